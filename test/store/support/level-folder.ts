import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";

import type { Database, Entry, Operation } from "../../../src/store/database.ts";
import { openLevelDatabase } from "../../../src/store/level/level-database.ts";
import type { LevelStoreOptions } from "../../../src/store/level/level-store.ts";
import { LevelStore } from "../../../src/store/level/level-store.ts";
import { ALL_KEYS } from "../../../src/store/store-keys.ts";

/** What outlives a test: run after it, last first. */
function cleanups(): (() => Promise<void>)[] {
  const list: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of list.splice(0).toReversed()) await cleanup();
  });
  return list;
}

export interface LevelFolders {
  /** A new temporary folder, removed after the test. */
  readonly newFolder: () => Promise<string>;
  /** Opens the store in a folder; closed after the test. */
  readonly open: (folder: string, options?: Partial<LevelStoreOptions>) => Promise<LevelStore>;
}

export function levelFolders(): LevelFolders {
  const list = cleanups();
  return {
    async newFolder() {
      const folder = await mkdtemp(join(tmpdir(), "outline-store-"));
      list.push(() => rm(folder, { recursive: true, force: true }));
      return folder;
    },
    async open(folder, options = {}) {
      const store = await LevelStore.open(folder, { now: Date.now, randomBytes, ...options });
      list.push(() => store.close());
      return store;
    },
  };
}

/** Works on the database of a closed store behind the driver's back. */
async function withDatabase<T>(
  folder: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = await openLevelDatabase(folder, { create: false });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Every record of a closed store. */
export function recordsOf(folder: string): Promise<readonly Entry[]> {
  return withDatabase(folder, async (database) => {
    const view = database.view();
    const entries: Entry[] = [];
    for await (const page of view.entries(ALL_KEYS)) entries.push(...page);
    await view.close();
    return entries;
  });
}

export function writeRecords(folder: string, operations: readonly Operation[]): Promise<void> {
  return withDatabase(folder, (database) => database.write(operations));
}

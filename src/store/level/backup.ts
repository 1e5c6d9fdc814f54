import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";

import { StoreError } from "../../documents/log/outline-log.ts";
import { copyHistory } from "./copy-history.ts";
import type { Database, OpenDatabase, Operation } from "../database.ts";
import { makeFolder } from "../make-folder.ts";
import type { StoreCore } from "./store-core.ts";
import { openFailure, reasonOf } from "../store-failure.ts";
import { filesOf, keepPrivate } from "./store-folder.ts";
import { StoreKeys } from "../store-keys.ts";
import { putMeta } from "./store-meta.ts";
import type { StoreProgress } from "../store-progress.ts";

export interface BackupOptions {
  readonly folder: string;
  readonly openDatabase: OpenDatabase;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onProgress: (progress: StoreProgress) => void;
}

export type Backup =
  | { readonly kind: "backed_up" }
  /** The folder holds files; nothing was written. */
  | { readonly kind: "not_empty" };

/**
 * Copies a store as it is at this moment, while it goes on. The copy is a store of its own, with a
 * mark. The record that makes it one is written last, so an interrupted copy is none.
 * @throws StoreError `outline_corrupt` for the first outline that can't be copied as it was written
 */
export async function backUp(core: StoreCore, options: BackupOptions): Promise<Backup> {
  const { folder } = options;
  const firstMade = await makeFolder(folder);
  const files = await filesOf(folder);
  if (files.length > 0) return { kind: "not_empty" };
  await keepPrivate(folder);
  try {
    const database = await options.openDatabase(folder, { create: true });
    try {
      await copyInto(database, core, options);
    } finally {
      await database.close();
    }
    return { kind: "backed_up" };
  } catch (error) {
    const failure = openFailure(folder, error);
    // Of another backup, which has come first.
    if (failure.code === "store_locked") throw failure;
    for (const file of await readdir(folder)) await rm(join(folder, file), { recursive: true });
    if (firstMade !== undefined) await removeFolders(folder, firstMade).catch(() => undefined);
    throw failure;
  }
}

/** Removes an empty folder, and those that it is in, up to `first`. */
async function removeFolders(folder: string, first: string): Promise<void> {
  await rmdir(folder);
  if (folder !== first) await removeFolders(dirname(folder), first);
}

function copyInto(database: Database, core: StoreCore, options: BackupOptions): Promise<void> {
  const { folder, now, onProgress } = options;
  const write = async (operations: readonly Operation[]) => {
    try {
      await database.write(operations);
    } catch (cause) {
      const message = `The backup in "${folder}" can't be written: ${reasonOf(cause)}.`;
      throw new StoreError("store_unavailable", message, { cause });
    }
  };
  return core.read(async (view, history) => {
    const { format, epoch, epochOrdinal } = history.meta;
    await copyHistory(view, history, { keys: new StoreKeys(0), write }, (progress) => {
      core.requireOpen();
      onProgress(progress);
    });
    await write([putMeta({ format, epoch, epochOrdinal, generation: 0, backupAt: now() })]);
  });
}

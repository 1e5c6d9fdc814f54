import { readFile, realpath, rm } from "node:fs/promises";
import { join } from "node:path";

import { ClassicLevel } from "classic-level";
import { Level } from "level";

import type {
  Database,
  Entry,
  KeyRange,
  OpenDatabase,
  Operation,
  ScanOptions,
  View,
} from "../database.ts";
import { layOut } from "./lay-out.ts";
import { isUnreadable } from "../store-failure.ts";

type RawDatabase = Level<string, Uint8Array>;
type RawSnapshot = ReturnType<RawDatabase["snapshot"]>;

const OPTIONS = {
  keyEncoding: "utf8",
  valueEncoding: "view",
  /** Snapshots are compressed better already. */
  compression: false,
  /** What waits in memory, and in the write-ahead log, before it becomes a table. */
  writeBufferSize: 16 * 1024 * 1024,
  cacheSize: 16 * 1024 * 1024,
} as const;

const PAGE_ENTRIES = 500;
const PAGE_BYTES = 256 * 1024;

/** Those that this process has open: the system's locks are between processes. [Q66] */
const openHere = new Set<string>();

/** LevelDB as a Database. */
export const openLevelDatabase: OpenDatabase = async (folder, { create, apart }) => {
  if (apart !== undefined) return openApart(folder, apart);
  const raw = await openRaw(folder, create);
  const path = await realpath(folder);
  openHere.add(path);
  return {
    view: () => new LevelView(raw),
    write: (operations) => write(raw, operations),
    async close() {
      await raw.close();
      openHere.delete(path);
    },
  };
};

async function openApart(folder: string, apart: string): Promise<Database> {
  if (openHere.has(await realpath(folder))) {
    throw Object.assign(new Error("It is open."), { code: "LEVEL_LOCKED" });
  }
  const remove = () => rm(apart, { recursive: true, force: true });
  try {
    await layOut(folder, apart);
    const database = await openLevelDatabase(apart, { create: false });
    return {
      ...database,
      async close() {
        await database.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * How many pieces of its log LevelDB has left out when it opened the database last, because their
 * checksums do not match: it says so in its own notes only, and goes on. A log that just ends in the
 * middle of a write, as after a crash, has lost no piece.
 */
export async function piecesLeftOut(folder: string): Promise<number> {
  const notes = await readFile(join(folder, "LOG"), "utf8").catch(() => "");
  return notes.split(": dropping ").length - 1;
}

/**
 * Has LevelDB put a database together from those of its files that it can read, whichever files
 * belonged to it. What was deleted or replaced may be there again.
 */
export function rebuildLevelDatabase(folder: string): Promise<void> {
  return ClassicLevel.repair(folder);
}

/**
 * The newest entry of each key, as far as LevelDB can read them. An entry at a time: LevelDB tells at
 * the end whether it met something that it could not read, and then nothing of the last page.
 * @param onUnreadable called when there was something that it could not read
 */
export async function* readableEntries(
  folder: string,
  onUnreadable: () => void,
): AsyncGenerator<Entry> {
  const raw = await openRaw(folder, false);
  const iterator = raw.iterator();
  try {
    for (;;) {
      const [entry] = await iterator.nextv(1).catch((error: unknown) => {
        if (!isUnreadable(error)) throw error;
        onUnreadable();
        return [];
      });
      if (entry === undefined) return;
      const [key, value] = entry;
      yield { key, value };
    }
  } finally {
    await raw.close();
  }
}

async function openRaw(folder: string, create: boolean): Promise<RawDatabase> {
  const raw: RawDatabase = new Level(folder, { ...OPTIONS, createIfMissing: create });
  await raw.open();
  return raw;
}

async function write(raw: RawDatabase, operations: readonly Operation[]): Promise<void> {
  // A chained batch, because it hands each operation over in native form at once: an array batch
  // costs three to four times the CPU.
  const batch = raw.batch();
  for (const { key, value } of operations) {
    if (value === undefined) batch.del(key);
    else batch.put(key, value);
  }
  await batch.write({ sync: true });
}

class LevelView implements View {
  readonly #raw: RawDatabase;
  readonly #snapshot: RawSnapshot;

  constructor(raw: RawDatabase) {
    this.#raw = raw;
    this.#snapshot = raw.snapshot();
  }

  get(key: string): Promise<Uint8Array | undefined> {
    return this.#raw.get(key, { snapshot: this.#snapshot });
  }

  getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.#raw.getMany([...keys], { snapshot: this.#snapshot });
  }

  async *entries(range: KeyRange, options: ScanOptions = {}): AsyncGenerator<readonly Entry[]> {
    const pages = nonEmptyPages(this.#raw.iterator(this.#scan(range, options)));
    for await (const page of pages) yield page.map(([key, value]) => ({ key, value }));
  }

  keys(range: KeyRange, options: ScanOptions = {}): AsyncGenerator<readonly string[]> {
    return nonEmptyPages(this.#raw.keys(this.#scan(range, options)));
  }

  close(): Promise<void> {
    return this.#snapshot.close();
  }

  #scan({ from, to }: KeyRange, { reverse = false, limit = -1 }: ScanOptions) {
    const snapshot = this.#snapshot;
    return { gte: from, lt: to, reverse, limit, snapshot, highWaterMarkBytes: PAGE_BYTES };
  }
}

async function* nonEmptyPages<T>(iterator: {
  nextv(size: number): Promise<T[]>;
  close(): Promise<void>;
}): AsyncGenerator<T[]> {
  try {
    for (;;) {
      const page = await iterator.nextv(PAGE_ENTRIES);
      if (page.length === 0) return;
      yield page;
    }
  } finally {
    await iterator.close();
  }
}

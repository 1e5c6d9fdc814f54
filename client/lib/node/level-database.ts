import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { Level } from "level";

/** Puts a value, or deletes where there is none. */
export interface Operation {
  readonly key: string;
  readonly value?: Uint8Array;
}

/** From the first key to before the second. */
export interface KeyRange {
  readonly from: string;
  readonly to: string;
}

/** An ordered map on the disk, in one folder, that one process has for itself. */
export interface Database {
  get(key: string): Promise<Uint8Array | undefined>;
  /** As it is at the first step, page by page. */
  pages(range: KeyRange): AsyncIterable<readonly (readonly [string, Uint8Array])[]>;
  /** All or nothing; resolves when it is on the disk. */
  write(operations: readonly Operation[]): Promise<void>;
  close(): Promise<void>;
}

export type OpenDatabase = (folder: string, options: { create: boolean }) => Promise<Database>;

const PAGE_ENTRIES = 500;
const PAGE_BYTES = 1024 * 1024;

/** LevelDB as a database. */
export const openLevelDatabase: OpenDatabase = async (folder, { create }) => {
  const level: Level<string, Uint8Array> = new Level(folder, {
    keyEncoding: "utf8",
    valueEncoding: "view",
    createIfMissing: create,
  });
  await level.open();
  return {
    get: async (key) => plain(await level.get(key)),
    async *pages({ from, to }) {
      const iterator = level.iterator({ gte: from, lt: to, highWaterMarkBytes: PAGE_BYTES });
      try {
        for (;;) {
          const page = await iterator.nextv(PAGE_ENTRIES);
          if (page.length === 0) return;
          yield page.map(([key, value]) => [key, plain(value)] as const);
        }
      } finally {
        await iterator.close();
      }
    },
    async write(operations) {
      // Chained, because it hands over each operation at once: an array costs several times the CPU.
      const batch = level.batch();
      for (const { key, value } of operations) {
        if (value === undefined) batch.del(key);
        else batch.put(key, value);
      }
      await batch.write({ sync: true });
    },
    close: () => level.close(),
  };
};

/** LevelDB answers a Buffer, whose `slice` is another than that of a Uint8Array. */
function plain<T extends Uint8Array | undefined>(bytes: T): T | Uint8Array {
  return bytes && new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Every file that LevelDB makes. */
const OWN_FILE = /^(?:CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(?:log|ldb|sst|dbtmp))$/;

/** Deletes a database that is closed, and its folder when nothing else is in it. */
export async function destroyLevelDatabase(folder: string): Promise<void> {
  const names = await readdir(folder);
  const own = names.filter((name) => OWN_FILE.test(name));
  for (const name of own) await rm(join(folder, name), { force: true });
  if (own.length === names.length) await rmdir(folder);
}

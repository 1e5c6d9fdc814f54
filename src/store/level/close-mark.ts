import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { type Database, reading } from "../database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { seal, unlessDamaged } from "../record.ts";
import { CLOSED_KEY } from "../store-keys.ts";

const FILE = "CLOSED";
/** LevelDB changes them only while somebody has it open. It finds tables that are gone by itself. */
const COUNTED_FILE = /^(CURRENT|MANIFEST-\d+|\d+\.log)$/;

/**
 * How a store was when it was closed in order, in a file beside the database. By it the next start
 * knows what has been lost since; while the store is open there is no such file, because after a
 * crash the end of the log may rightly be torn.
 */
export interface CloseMark {
  /** The last record of the database. */
  readonly text: string;
  /** The sizes of the files. */
  readonly files: Readonly<Record<string, number>>;
}

/** The last write before the database is closed. */
export function writeCloseRecord(database: Database, text: string): Promise<void> {
  return database.write([putJson(CLOSED_KEY, text)]);
}

/** Once the database is closed. */
export async function leaveCloseMark(folder: string, text: string): Promise<void> {
  const mark: CloseMark = { text, files: await sizesIn(folder) };
  const content = seal(FILE, Buffer.from(JSON.stringify(mark)));
  const file = await open(join(folder, FILE), "w", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Undefined when there is none that can be read. */
export async function readCloseMark(folder: string): Promise<CloseMark | undefined> {
  try {
    return jsonOf<CloseMark>(FILE, await readFile(join(folder, FILE)));
  } catch {
    return undefined;
  }
}

/**
 * A file that is shorter than when the store was closed, or gone; undefined when there is none. When
 * somebody else has opened the database since, others rightly stand in the place of those it had.
 */
export async function shortenedFileIn(
  folder: string,
  { files }: CloseMark,
): Promise<string | undefined> {
  const sizes = await sizesIn(folder);
  const names = Object.keys(files).filter((name) => COUNTED_FILE.test(name));
  const isUntouched = names.some((name) => name.startsWith("MANIFEST") && name in sizes);
  return names.find((name) => {
    const size = sizes[name];
    return size === undefined ? isUntouched : size < (files[name] ?? 0);
  });
}

/** Whether the last record before the close is still there. */
export async function isAsClosed({ text }: CloseMark, database: Database): Promise<boolean> {
  const value = await reading(database, (view) => view.get(CLOSED_KEY));
  if (value === undefined) return false;
  return unlessDamaged(
    async () => jsonOf<string>(CLOSED_KEY, value) === text,
    () => false,
  );
}

/** When the store is open: from now on a torn end of the log is no loss. */
export async function removeCloseMark(folder: string): Promise<void> {
  await rm(join(folder, FILE), { force: true });
  await syncFolder(folder);
}

/**
 * Makes what happened to the names in a folder durable, or a power cut could take it back. Where a
 * folder can't be opened (Windows), the file system keeps the order by itself.
 */
export async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, "r").catch(() => undefined);
  try {
    await directory?.sync();
  } finally {
    await directory?.close();
  }
}

async function sizesIn(folder: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const name of await readdir(folder)) {
    if (COUNTED_FILE.test(name)) sizes[name] = (await stat(join(folder, name))).size;
  }
  return sizes;
}

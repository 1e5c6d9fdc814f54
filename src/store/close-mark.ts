import { open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Database } from "./database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { CLOSED_KEY } from "./store-keys.ts";

/**
 * How a store knows, when it is opened, that the end of its log is missing: an orderly close writes
 * a fresh text as its last record and into a file beside the database. While the store is open there
 * is no such file, because after a crash the end of the log may rightly be torn.
 */
const FILE = "CLOSED";

export async function leaveCloseMark(
  folder: string,
  database: Database,
  text: string,
): Promise<void> {
  await database.write([putJson(CLOSED_KEY, text)]);
  const file = await open(join(folder, FILE), "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** False when the store was closed in order, and its last record is not there any more. */
export async function isAsClosed(folder: string, database: Database): Promise<boolean> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => undefined);
  if (text === undefined) return true;
  const view = database.view();
  try {
    const value = await view.get(CLOSED_KEY);
    return value !== undefined && jsonOf<string>(CLOSED_KEY, value) === text;
  } finally {
    await view.close();
  }
}

/** Before the first write: from now on a torn end of the log is no loss. */
export async function removeCloseMark(folder: string): Promise<void> {
  await rm(join(folder, FILE), { force: true });
  // Durable too, or a power cut could bring the file back. Where a folder can't be opened (Windows),
  // the file system keeps the order by itself.
  const directory = await open(folder, "r").catch(() => undefined);
  try {
    await directory?.sync();
  } finally {
    await directory?.close();
  }
}

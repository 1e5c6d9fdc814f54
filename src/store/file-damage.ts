import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { CloseMark } from "./close-mark.ts";
import { isMoreThanPadding, readLevelLog } from "./leveldb-log.ts";
import { readLiveFiles } from "./live-files.ts";
import { damagedBlockOf } from "./leveldb-table.ts";

/**
 * Looks for damage in the files of a LevelDB before it is opened. LevelDB as it is built for Node
 * does not: it ends the process when it meets a damaged block, and leaves out what follows a damaged
 * record of its log without a word. Reads the whole store.
 * @param mark when it was closed in order: then a torn end of a log is damage too
 * @returns what is damaged, for people; undefined when nothing is
 */
export async function damageIn(folder: string, mark?: CloseMark): Promise<string | undefined> {
  const live = await readLiveFiles(folder, mark);
  if ("damage" in live) return live.damage;
  for (const name of await readdir(folder)) {
    const [, digits, kind] = /^(\d+)\.(ldb|sst|log)$/.exec(name) ?? [];
    const number = Number(digits);
    const counts = kind === "log" ? number >= live.firstLog : live.tables.has(number);
    const content = counts ? await contentOf(join(folder, name)) : undefined;
    if (content === undefined) continue;
    const damage = kind === "log" ? logDamage(content, mark !== undefined) : tableDamage(content);
    if (damage !== undefined) return `${name} is damaged ${damage}`;
  }
  return undefined;
}

function logDamage(content: Uint8Array, isClosed: boolean): string | undefined {
  const { damagedAt, unread } = readLevelLog(content);
  if (damagedAt !== undefined) return `at byte ${damagedAt}`;
  return isClosed && unread.some(isMoreThanPadding) ? "at its end" : undefined;
}

function tableDamage(content: Uint8Array): string | undefined {
  const block = damagedBlockOf(content);
  if (block === undefined) return undefined;
  const { at, from = "the first", to } = block;
  return to === undefined ? `at byte ${at}` : `at byte ${at}, in the records from ${from} to ${to}`;
}

/** Undefined when it is gone: another process has the store open, and LevelDB will say so. */
async function contentOf(file: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

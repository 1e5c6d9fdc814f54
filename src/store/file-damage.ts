import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { OutlineId } from "../core/node-key.ts";
import type { CloseMark } from "./close-mark.ts";
import { isMoreThanPadding, readLevelLog } from "./leveldb-log.ts";
import { readLiveFiles } from "./live-files.ts";
import { damagedBlockOf } from "./leveldb-table.ts";
import { outlinesNamedIn } from "./lost-records.ts";

/** The remains of a last write that a crash has cut off. */
export interface TornEnd {
  readonly file: string;
  readonly bytes: number;
  /** Those that it was about, as far as their names are still there. */
  readonly outlines: readonly OutlineId[];
}

export interface FileFindings {
  /** What is damaged, for people; undefined when nothing is. */
  readonly damage?: string;
  /** Absent after an orderly close: then it is damage. */
  readonly tornEnd?: TornEnd;
}

/**
 * Looks for damage in the files of a LevelDB before it is opened. LevelDB as it is built for Node
 * does not: it ends the process when it meets a damaged block, and leaves out what follows a damaged
 * record of its log without a word. Reads the whole store.
 * @param mark when it was closed in order: then a torn end of a log is damage too
 */
export async function inspectFiles(folder: string, mark?: CloseMark): Promise<FileFindings> {
  const live = await readLiveFiles(folder, mark);
  if ("damage" in live) return live;
  let findings: FileFindings = {};
  for (const name of await readdir(folder)) {
    const [, digits, kind] = /^(\d+)\.(ldb|sst|log)$/.exec(name) ?? [];
    const number = Number(digits);
    const counts = kind === "log" ? number >= live.firstLog : live.tables.has(number);
    const content = counts ? await contentOf(join(folder, name)) : undefined;
    if (content === undefined) continue;
    const inFile =
      kind === "log" ? inspectLog(name, content, mark !== undefined) : inspectTable(name, content);
    findings = { ...findings, ...inFile };
    if (findings.damage !== undefined) return findings;
  }
  return findings;
}

function inspectLog(file: string, content: Uint8Array, isClosed: boolean): FileFindings {
  const { damagedAt, unread } = readLevelLog(content);
  if (damagedAt !== undefined) return { damage: `${file} is damaged at byte ${damagedAt}` };
  if (isClosed) {
    return unread.some(isMoreThanPadding) ? { damage: `${file} is damaged at its end` } : {};
  }
  const remains = unread.filter((part) => part.some((byte) => byte !== 0));
  if (remains.length === 0) return {};
  const bytes = remains.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const outlines = [...new Set(remains.flatMap(outlinesNamedIn))];
  return { tornEnd: { file, bytes, outlines } };
}

function inspectTable(file: string, content: Uint8Array): FileFindings {
  const block = damagedBlockOf(content);
  if (block === undefined) return {};
  const { at, from = "the first", to } = block;
  const records = to === undefined ? "" : `, in the records from ${from} to ${to}`;
  return { damage: `${file} is damaged at byte ${at}${records}` };
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

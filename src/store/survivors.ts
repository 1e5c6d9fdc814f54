import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import type { CloseMark } from "./close-mark.ts";
import type { LevelEntry } from "./leveldb-entry.ts";
import { batchEntries } from "./leveldb-entry.ts";
import { isMoreThanPadding, readLevelLog } from "./leveldb-log.ts";
import type { TableRange } from "./leveldb-manifest.ts";
import { guessLiveFiles } from "./live-files.ts";
import { readTable } from "./leveldb-table.ts";
import type { LostRecords } from "./lost-records.ts";

/**
 * Everything that can still be read in the files of a damaged LevelDB, in no order: of each key the
 * entry with the greatest sequence number counts. What can't be read is noted in `lost`.
 */
export async function* survivorsIn(
  folder: string,
  mark: CloseMark | undefined,
  lost: LostRecords,
): AsyncGenerator<LevelEntry> {
  const names = await readdir(folder);
  // Without it all files count: what is obsolete in them has smaller sequence numbers.
  const live = await guessLiveFiles(folder, mark);
  const missing = new Map(live?.tables);
  for (const name of names) {
    const [, digits, kind] = /^(\d+)\.(ldb|sst|log)$/.exec(name) ?? [];
    if (kind === undefined) continue;
    const number = Number(digits);
    const content = await readFile(join(folder, name));
    if (kind === "log") {
      if (live === undefined || number >= live.firstLog) {
        yield* entriesOfLog(content, mark !== undefined, lost);
      }
    } else if (live === undefined || live.tables.has(number)) {
      missing.delete(number);
      yield* entriesOfTable(content, live?.tables.get(number) ?? {}, lost);
    }
  }
  for (const range of missing.values()) lost.addKeys(range);
  const known = Object.keys(mark?.files ?? {});
  const isTableGone = known.some((name) => /\.(ldb|sst)$/.test(name) && !names.includes(name));
  if (live === undefined && isTableGone) lost.addKeys({});
}

function* entriesOfLog(
  content: Uint8Array,
  isClosed: boolean,
  lost: LostRecords,
): Generator<LevelEntry> {
  const { records, unread, damagedAt } = readLevelLog(content);
  for (const record of records) yield* batchEntries(record);
  // After a crash the end may be torn: nobody was told of it.
  if (damagedAt === undefined && !isClosed) return;
  for (const remains of unread) if (isMoreThanPadding(remains)) lost.addRemains(remains);
}

function* entriesOfTable(
  content: Uint8Array,
  range: Partial<TableRange>,
  lost: LostRecords,
): Generator<LevelEntry> {
  const table = readTable(content);
  yield* table.entries;
  for (const part of table.lost) {
    // Behind the last key nothing was.
    if (part.from === undefined || part.from !== range.to) lost.addKeys({ ...range, ...part });
  }
}

import * as decoding from "lib0/decoding";

import { textOf, TRAILER_BYTES } from "./leveldb-entry.ts";

/**
 * Which files a LevelDB consists of, from the records of its manifest (`VersionEdit::DecodeFrom` of
 * LevelDB): others may lie about, left over from a crash, and count for nothing.
 */
export interface LiveFiles {
  readonly tables: ReadonlyMap<number, TableRange>;
  /** Write-ahead logs from this number on are still needed; this one is there, unless it is 0. */
  readonly firstLog: number;
}

/** The keys that a table begins and ends with. */
export interface TableRange {
  readonly from: string;
  readonly to: string;
}

const TAG = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const;

/** Undefined when there are entries of a kind that is not known, or none that says from which log. */
export function liveFilesOf(records: readonly Uint8Array[]): LiveFiles | undefined {
  const tables = new Map<number, TableRange>();
  let firstLog: number | undefined;
  for (const record of records) {
    const decoder = decoding.createDecoder(record);
    const number = () => decoding.readVarUint(decoder);
    const bytes = () => decoding.readVarUint8Array(decoder);
    const addTable = () => {
      const [, table] = [number(), number(), number()];
      const [from, to] = [bytes(), bytes()].map((key) => textOf(key.subarray(0, -TRAILER_BYTES)));
      tables.set(table ?? 0, { from: from ?? "", to: to ?? "" });
    };
    while (decoding.hasContent(decoder)) {
      switch (number()) {
        case TAG.comparator:
          bytes();
          break;
        case TAG.logNumber:
          firstLog = number();
          break;
        case TAG.nextFile:
        case TAG.lastSequence:
        case TAG.previousLog:
          number();
          break;
        case TAG.compactPointer:
          number();
          bytes();
          break;
        case TAG.deletedFile:
          number();
          tables.delete(number());
          break;
        case TAG.newFile:
          addTable();
          break;
        default:
          return undefined;
      }
    }
  }
  return firstLog === undefined ? undefined : { tables, firstLog };
}

import * as decoding from "lib0/decoding";

/**
 * Which files a LevelDB consists of, from the records of its manifest (`VersionEdit::DecodeFrom` of
 * LevelDB): others may lie about, left over from a crash, and count for nothing.
 */
export interface LiveFiles {
  readonly tables: ReadonlySet<number>;
  /** Write-ahead logs from this number on are still needed. */
  readonly firstLog: number;
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

/** Undefined when there are entries of a kind that is not known. */
export function liveFilesOf(records: readonly Uint8Array[]): LiveFiles | undefined {
  const tables = new Set<number>();
  let firstLog = 0;
  for (const record of records) {
    const decoder = decoding.createDecoder(record);
    const number = () => decoding.readVarUint(decoder);
    const skipBytes = () => void decoding.readVarUint8Array(decoder);
    while (decoding.hasContent(decoder)) {
      switch (number()) {
        case TAG.comparator:
          skipBytes();
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
          skipBytes();
          break;
        case TAG.deletedFile:
          number();
          tables.delete(number());
          break;
        case TAG.newFile:
          number();
          tables.add(number());
          number();
          skipBytes();
          skipBytes();
          break;
        default:
          return undefined;
      }
    }
  }
  return { tables, firstLog };
}

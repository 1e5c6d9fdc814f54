import { maskedCrc32c } from "./crc32c.ts";

/**
 * LevelDB's log format (doc/log_format.md of LevelDB), that of its write-ahead log and of its
 * manifest: blocks of 32 KB; in them fragments of 4 bytes checksum, 2 bytes length, 1 byte type.
 */
const BLOCK_BYTES = 32 * 1024;
const HEADER_BYTES = 7;

const FRAGMENT = { none: 0, full: 1, first: 2, middle: 3, last: 4 } as const;

interface Fragment {
  readonly type: number;
  readonly payload: Uint8Array;
  /** Where the next one begins. */
  readonly end: number;
}

export interface LevelLogContent {
  /** In order; those that are damaged are left out. */
  readonly records: readonly Uint8Array[];
  /** Where a record is damaged that was complete once, because another one was written behind it. */
  readonly damagedAt?: number;
  /** What belongs to none of the records: the remains of others, and zeros. */
  readonly unread: readonly Uint8Array[];
}

export function readLevelLog(file: Uint8Array): LevelLogContent {
  const records: Uint8Array[] = [];
  const unread: Uint8Array[] = [];
  /** Of a record whose beginning was met and whose end was not. */
  let parts: Uint8Array[] | undefined;
  let beganAt = 0;
  let readUpTo = 0;
  let suspectAt: number | undefined;
  let damagedAt: number | undefined;
  for (let block = 0; block < file.byteLength; block += BLOCK_BYTES) {
    const blockEnd = Math.min(block + BLOCK_BYTES, file.byteLength);
    let at = block;
    while (at + HEADER_BYTES <= blockEnd) {
      const fragment = isUnused(file, at) ? "unused" : fragmentAt(file, at, blockEnd);
      if (fragment === "unused" || fragment === "damaged") {
        parts = undefined;
        if (fragment === "unused") break;
        suspectAt ??= at;
        at = nextStart(file, at + 1, blockEnd);
        continue;
      }
      const { type, payload, end } = fragment;
      const begins = type === FRAGMENT.full || type === FRAGMENT.first;
      const ends = type === FRAGMENT.full || type === FRAGMENT.last;
      // The end of a log may be torn: the last write, which nobody was told of. But a write begins
      // only when the one before it has reached the disk.
      if (begins && suspectAt !== undefined) damagedAt ??= suspectAt;
      if (begins) {
        parts = [];
        beganAt = at;
      }
      parts?.push(payload);
      if (ends && parts !== undefined) {
        records.push(Buffer.concat(parts));
        if (beganAt > readUpTo) unread.push(file.subarray(readUpTo, beganAt));
        readUpTo = end;
        parts = undefined;
      }
      at = end;
    }
  }
  if (readUpTo < file.byteLength) unread.push(file.subarray(readUpTo));
  return damagedAt === undefined ? { records, unread } : { records, unread, damagedAt };
}

/** Whether there was something once where nothing can be read: a block may end in some zeros. */
export function isMoreThanPadding(unread: Uint8Array): boolean {
  return unread.byteLength >= HEADER_BYTES;
}

function fragmentAt(file: Uint8Array, at: number, blockEnd: number): Fragment | "damaged" {
  const header = new DataView(file.buffer, file.byteOffset + at, HEADER_BYTES);
  const end = at + HEADER_BYTES + header.getUint16(4, true);
  if (end > blockEnd) return "damaged";
  if (maskedCrc32c(file.subarray(at + 6, end)) !== header.getUint32(0, true)) return "damaged";
  return { type: header.getUint8(6), payload: file.subarray(at + HEADER_BYTES, end), end };
}

/** Zeros to the end of the block: reserved by the file system, and never written. */
function isUnused(file: Uint8Array, at: number): boolean {
  return file.subarray(at, at + HEADER_BYTES).every((byte) => byte === 0);
}

/** Where the next undamaged fragment of the block begins that begins a record. */
function nextStart(file: Uint8Array, from: number, blockEnd: number): number {
  for (let at = from; at + HEADER_BYTES <= blockEnd; at += 1) {
    const type = file[at + 6];
    if (type !== FRAGMENT.full && type !== FRAGMENT.first) continue;
    if (fragmentAt(file, at, blockEnd) !== "damaged") return at;
  }
  return blockEnd;
}

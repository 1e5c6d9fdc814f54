import * as decoding from "lib0/decoding";

/** One write as LevelDB keeps it: the newest of a key counts. */
export interface LevelEntry {
  readonly key: string;
  /** Grows with each write to the database. */
  readonly sequence: number;
  /** Absent for a deletion. */
  readonly value?: Uint8Array;
}

const KIND = { deletion: 0, value: 1 } as const;
const BATCH_HEADER_BYTES = 12;
/** Behind our key in a table: the kind in one byte, the sequence number in seven. */
export const TRAILER_BYTES = 8;

/** The entry that a table has under a key of LevelDB's own. @throws when it is none */
export function tableEntry(internalKey: Uint8Array, value: Uint8Array): LevelEntry {
  const at = internalKey.byteLength - TRAILER_BYTES;
  const { buffer, byteOffset } = internalKey;
  const trailer = new DataView(buffer, byteOffset + at, TRAILER_BYTES).getBigUint64(0, true);
  const entry = { key: textOf(internalKey.subarray(0, at)), sequence: Number(trailer >> 8n) };
  const kind = Number(trailer & 0xffn);
  if (kind > KIND.value) throw new Error("no key of an entry");
  return kind === KIND.deletion ? entry : { ...entry, value };
}

/**
 * The entries of a record of the write-ahead log: what was written in one go (`WriteBatch` of
 * LevelDB). @throws when it is none
 */
export function* batchEntries(record: Uint8Array): Generator<LevelEntry> {
  const header = new DataView(record.buffer, record.byteOffset, BATCH_HEADER_BYTES);
  const first = Number(header.getBigUint64(0, true));
  const count = header.getUint32(8, true);
  const decoder = decoding.createDecoder(record.subarray(BATCH_HEADER_BYTES));
  for (let index = 0; index < count; index += 1) {
    const kind = decoding.readUint8(decoder);
    const key = textOf(decoding.readVarUint8Array(decoder));
    const entry = { key, sequence: first + index };
    yield kind === KIND.value ? { ...entry, value: decoding.readVarUint8Array(decoder) } : entry;
  }
}

export function textOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString();
}

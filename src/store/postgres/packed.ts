import { inParts } from "../in-parts.ts";

/** Rows that are sent together have so much, and no more than so many. */
const SENT_BYTES = 256 * 1024;
const SENT_ROWS = 1000;

export interface Packed<T> {
  readonly rows: readonly T[];
  /** Of all rows, one behind the other; where each begins, from 1, and how long it is. */
  readonly bytes: Buffer;
  readonly starts: readonly number[];
  readonly lengths: readonly number[];
}

/** Puts records together that are sent in one statement. */
export async function* packed<T extends { readonly record: Uint8Array }>(
  rows: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<Packed<T>> {
  const bytesOf = ({ record }: T): number => Math.max(record.byteLength, SENT_BYTES / SENT_ROWS);
  for await (const part of inParts(rows, SENT_BYTES, bytesOf)) yield packedOf(part);
}

function packedOf<T extends { readonly record: Uint8Array }>(rows: readonly T[]): Packed<T> {
  const lengths = rows.map(({ record }) => record.byteLength);
  let start = 1;
  const starts = lengths.map((length) => {
    start += length;
    return start - length;
  });
  return { rows, bytes: Buffer.concat(rows.map(({ record }) => record)), starts, lengths };
}

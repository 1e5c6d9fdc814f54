/** Rows that are sent together have so much, and so many. */
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
  let waiting: T[] = [];
  let bytes = 0;
  for await (const row of rows) {
    waiting.push(row);
    bytes += row.record.byteLength;
    if (bytes < SENT_BYTES && waiting.length < SENT_ROWS) continue;
    yield packedOf(waiting);
    waiting = [];
    bytes = 0;
  }
  if (waiting.length > 0) yield packedOf(waiting);
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

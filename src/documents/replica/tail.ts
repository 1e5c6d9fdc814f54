/** What the log has behind a snapshot, counted. */
export interface Tail {
  readonly updates: number;
  /** Of the updates themselves. */
  readonly bytes: number;
  /** What the disk took for them: each is a record that is synced, which takes a sector at least. */
  readonly writtenBytes: number;
}

const SECTOR_BYTES = 512;
/**
 * Milliseconds that opening takes longer for an update, which is looked through, applied and repaired
 * alone, and for the bytes that are in it: about what the same bytes take in a snapshot. That is for text
 * that was typed; an edit at a place of its own, which cuts what was there, takes three to four times as long.
 */
const MS_PER_UPDATE = 0.03;
const MS_PER_BYTE = 0.0002;
/** In an outline of 1,500 nodes, which is opened in the time of 2,500 updates; more in a large one. */
const SAVED_MS_PER_UPDATE = 0.01;

export function tailOf(updates: readonly Uint8Array[]): Tail {
  let bytes = 0;
  let writtenBytes = 0;
  for (const { byteLength } of updates) {
    bytes += byteLength;
    writtenBytes += Math.max(byteLength, SECTOR_BYTES);
  }
  return { updates: updates.length, bytes, writtenBytes };
}

export function tailWith(one: Tail, more: Tail): Tail {
  return {
    updates: one.updates + more.updates,
    bytes: one.bytes + more.bytes,
    writtenBytes: one.writtenBytes + more.writtenBytes,
  };
}

export function tailWithout(one: Tail, covered: Tail): Tail {
  return {
    updates: one.updates - covered.updates,
    bytes: one.bytes - covered.bytes,
    writtenBytes: one.writtenBytes - covered.writtenBytes,
  };
}

/** About how much longer an outline takes to open for it, in milliseconds of a processor. */
export function openingMsOf({ updates, bytes }: Tail): number {
  return updates * MS_PER_UPDATE + bytes * MS_PER_BYTE;
}

/** About what a snapshot spares whoever opens the outline next, at least: the same bytes are in it. */
export function savedMsOf({ updates }: Tail): number {
  return updates * SAVED_MS_PER_UPDATE;
}

import * as Y from "yjs";

/** Yjs sorts all updates again for each struct that it merges: the time grows with the square. */
const AT_ONCE = 64;

/** Larger updates are passed on as they are, and no merged one is larger than the other. */
const SMALL_UPDATE_BYTES = 4 * 1024;
const MERGED_BYTES = 64 * 1024;

/** How many of the updates from one on are to go into one, at least that: some milliseconds of work. */
export function countOfRun(updates: readonly Uint8Array[], from = 0): number {
  let bytes = 0;
  let end = from;
  for (; end < updates.length; end++) {
    const { byteLength = 0 } = updates[end] ?? {};
    bytes += byteLength;
    if (byteLength > SMALL_UPDATE_BYTES || bytes > MERGED_BYTES) break;
  }
  return Math.max(end - from, 1);
}

/**
 * One update that says what all of them say, in their order. Merged in rounds of 64, since a
 * thousand keystrokes in one go take seven times as long, and four thousand forty times.
 *
 * @param updates at least one
 */
export function mergedUpdate(updates: readonly Uint8Array[]): Uint8Array {
  let round = updates;
  while (round.length > 1) {
    const next: Uint8Array[] = [];
    for (let start = 0; start < round.length; start += AT_ONCE) {
      next.push(Y.mergeUpdates(round.slice(start, start + AT_ONCE)));
    }
    round = next;
  }
  const [merged] = round;
  if (merged === undefined) throw new Error("nothing to merge");
  return merged;
}

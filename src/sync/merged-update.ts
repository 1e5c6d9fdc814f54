import * as Y from "yjs";

/** Yjs sorts all updates again for each struct that it merges: the time grows with the square. */
const AT_ONCE = 64;

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

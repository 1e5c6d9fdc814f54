/**
 * How many of the first indexes below `length` something holds for, when it holds for none behind the
 * first that it does not hold for. O(log length).
 */
export function countWhile(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many of the ascending `clocks` are not greater than `clock`. O(log clocks). */
export function countUpTo(clocks: readonly number[], clock: number): number {
  return countWhile(clocks.length, (index) => (clocks[index] ?? 0) <= clock);
}

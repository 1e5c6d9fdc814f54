/** How many of the ascending `clocks` are not greater than `clock`. O(log clocks). */
export function countUpTo(clocks: readonly number[], clock: number): number {
  let low = 0;
  let high = clocks.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((clocks[middle] ?? 0) <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}

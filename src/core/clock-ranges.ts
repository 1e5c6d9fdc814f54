/**
 * The clocks of some ranges in their order, each once.
 * @param ranges pairs of clock and length, in any order
 */
export function mergedRanges(ranges: readonly number[]): number[] {
  const sorted: { readonly start: number; readonly end: number }[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const start = ranges[at] ?? 0;
    sorted.push({ start, end: start + (ranges[at + 1] ?? 0) });
  }
  sorted.sort((one, other) => one.start - other.start);
  const merged: number[] = [];
  let until = -1;
  for (const { start, end } of sorted) {
    if (start > until) merged.push(start, end - start);
    else if (end > until) merged.push((merged.pop() ?? 0) + end - until);
    until = Math.max(until, end);
  }
  return merged;
}

/**
 * Tells of ascending clocks whether they are in one of some ranges.
 * @param ranges pairs of clock and length, in any order
 */
export function inRanges(ranges: readonly number[]): (clock: number) => boolean {
  const merged = mergedRanges(ranges);
  let next = 0;
  return (clock) => {
    while (next < merged.length && (merged[next] ?? 0) + (merged[next + 1] ?? 0) <= clock)
      next += 2;
    return (merged[next] ?? Infinity) <= clock;
  };
}

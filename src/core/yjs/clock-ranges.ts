import { countWhile } from "../count-while.ts";

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

/**
 * The first of some ranges that ends behind a clock; undefined when none does. O(log ranges).
 * @param merged as `mergedRanges` answers them
 */
export function rangeBehind(
  merged: readonly number[],
  clock: number,
): { readonly start: number; readonly end: number } | undefined {
  const endAt = (index: number): number => (merged[2 * index] ?? 0) + (merged[2 * index + 1] ?? 0);
  const index = countWhile(merged.length / 2, (each) => endAt(each) <= clock);
  const start = merged[2 * index];
  return start === undefined ? undefined : { start, end: endAt(index) };
}

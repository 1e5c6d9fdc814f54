/**
 * Tells of ascending clocks whether they are in one of some ranges.
 * @param ranges pairs of clock and length, in any order
 */
export function inRanges(ranges: readonly number[]): (clock: number) => boolean {
  const sorted: { readonly start: number; readonly end: number }[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const start = ranges[at] ?? 0;
    sorted.push({ start, end: start + (ranges[at + 1] ?? 0) });
  }
  sorted.sort((a, b) => a.start - b.start);
  let next = 0;
  return (clock) => {
    while (next < sorted.length && (sorted[next]?.end ?? 0) <= clock) next++;
    return (sorted[next]?.start ?? Infinity) <= clock;
  };
}

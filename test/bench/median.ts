/** The middle one of some values. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that a share of the values is not greater than. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Which places of a list can stay as they are when the others are put into order: a longest run of rising
 * numbers, of those that are numbers at all. O(n log n).
 *
 * @param ranks where each stands now, in the order that is wanted; undefined for one that has to move
 */
export function keptInOrder(ranks: readonly (number | undefined)[]): ReadonlySet<number> {
  /** For each length of a run the place that ends it with the lowest rank. */
  const ends: number[] = [];
  /** For each place the one before it in its run. */
  const before: (number | undefined)[] = [];
  for (const [place, rank] of ranks.entries()) {
    if (rank === undefined) continue;
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ranks[ends[middle] ?? 0] ?? 0) < rank) low = middle + 1;
      else high = middle;
    }
    before[place] = ends[low - 1];
    ends[low] = place;
  }
  const kept = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = before[place]) kept.add(place);
  return kept;
}

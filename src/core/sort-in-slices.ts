/** What is sorted at once, or merged between two yields: a millisecond or less. */
const STEP = 1_000;

/** Sorts like `Array.sort`, into a new array; yields every millisecond or so. */
export function* sortInSlices<T extends object>(
  things: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let from = 0; from < things.length; from += STEP) {
    if (from > 0) yield;
    runs.push(things.slice(from, from + STEP).sort(compare));
  }
  while (runs.length > 1) {
    const longer: (readonly T[])[] = [];
    for (const [index, run] of runs.entries()) {
      const other = runs[index + 1];
      if (index % 2 === 0)
        longer.push(other === undefined ? run : yield* merge(run, other, compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* merge<T extends object>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Generator<void, readonly T[]> {
  const merged: T[] = [];
  let at = 0;
  for (const thing of left) {
    for (let other = right[at]; other !== undefined; other = right[++at]) {
      if (compare(other, thing) >= 0) break;
      merged.push(other);
      if (merged.length % STEP === 0) yield;
    }
    merged.push(thing);
    if (merged.length % STEP === 0) yield;
  }
  for (const other of right.slice(at)) merged.push(other);
  return merged;
}

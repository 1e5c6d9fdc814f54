/** What is written in one transaction: some milliseconds. */
export const AT_ONCE = 200;
/** A line that keeps text is made with its place, note and mark: as much as so many nodes. */
export const OF_KEPT_LINE = 10;

/** Some things in parts of which each is as much as a transaction does. */
export function* groups<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += AT_ONCE) yield rows.slice(from, from + AT_ONCE);
}

/** Says at each step of some work how much it was: as much as a transaction does, unless told. */
export function* weighed<T>(work: Generator<void, T>, weight = AT_ONCE): Generator<number, T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    yield weight;
  }
}

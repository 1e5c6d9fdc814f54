import type { Counts } from "./abuse.ts";

/** Counts things by name. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  add(name: string, count = 1): void {
    this.#counts[name] = (this.#counts[name] ?? 0) + count;
  }

  get(name: string): number {
    return this.#counts[name] ?? 0;
  }

  get counts(): Counts {
    return this.#counts;
  }
}

/** The sum of what is counted under names that begin like this. */
export function sumOf(counts: Counts, prefix: string): number {
  return Object.entries(counts).reduce(
    (sum, [name, count]) => sum + (name.startsWith(prefix) ? count : 0),
    0,
  );
}

/** A sentence when fewer were counted than there should be. */
export function fewerThan(counts: Counts, prefix: string, least: number): string | undefined {
  const count = sumOf(counts, prefix);
  return count >= least ? undefined : `${prefix}: only ${count} of at least ${least}`;
}

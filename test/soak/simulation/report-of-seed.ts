import { simulate } from "./simulate.ts";
import type { Broken, Counts } from "./world.ts";

const OPERATIONS = 500;
/** Of every so many seeds one is run twice, to see that a seed stands for one run. */
const TWICE_EVERY = 50;

export interface SeedReport {
  readonly counts: Counts;
  /** What did not hold, in words. */
  readonly failures: readonly string[];
}

/** Runs one of a row of seeds in this process. */
export async function reportOfSeed(
  { first, place }: { readonly first: number; readonly place: number },
  broken?: Broken,
): Promise<SeedReport> {
  const seed = first + place;
  const { counts, failures, digest } = await simulate(seed, OPERATIONS, broken);
  if (broken !== undefined || place % TWICE_EVERY > 0) return { counts, failures };
  const again = await simulate(seed, OPERATIONS);
  const isSame = again.digest === digest;
  const another = `seed ${seed}: another run of it went another way`;
  return { counts, failures: isSame ? failures : [...failures, another] };
}

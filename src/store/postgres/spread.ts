import type { OutlineId } from "../../core/node-key.ts";

/** How much a process has to do. */
export interface ProcessLoad {
  /** What it has in memory, and what somebody follows there. */
  readonly outlines: number;
  /** Whether it has no memory for more. */
  readonly isFull: boolean;
}

/** A process that serves and may take outlines. */
export interface Candidate extends ProcessLoad {
  readonly process: number;
}

/** What one may have above the mean of all: who is asked first takes an outline, whose next requests come there. */
const BOUND = 1.25;
const SLACK = 16;

/**
 * Which process is to take an outline that nobody has: the one that is asked for it, unless that has
 * much more to do than the others; then the others share what it does not take, each outline going to
 * the one with the greatest weight for it (rendezvous hashing: Thaler, Ravishankar 1998). With a bound
 * as in "Consistent hashing with bounded loads" (Mirrokni, Thorup, Zadimoghaddam 2016).
 */
export function takerOf(
  outline: OutlineId,
  self: Candidate,
  others: readonly Candidate[],
): Candidate {
  if (!hasTooMuch(self, others)) return self;
  return heaviest(outline, withRoom(self, others)) ?? self;
}

/** Whether a process should take nothing more, and give something away. */
export function hasTooMuch(self: Candidate, others: readonly Candidate[]): boolean {
  return self.isFull || self.outlines > BOUND * meanOf(self, others) + SLACK;
}

/** How many outlines a process has above the mean. */
export function aboveMean(self: Candidate, others: readonly Candidate[]): number {
  return Math.floor(self.outlines - meanOf(self, others));
}

/**
 * Where an outline goes that a process has which has too much: to the one with the greatest weight for
 * it of those that have less than the mean. Undefined when it stays: so that of a new process's share
 * each of the others gives its part.
 */
export function nextOwnerOf(
  outline: OutlineId,
  self: Candidate,
  others: readonly Candidate[],
): number | undefined {
  const next = heaviest(outline, [self, ...withRoom(self, others)]);
  return next === self ? undefined : next?.process;
}

/** The one with the greatest weight for an outline, whoever asks; undefined of none. */
export function heaviest(
  outline: OutlineId,
  candidates: readonly Candidate[],
): Candidate | undefined {
  let best: Candidate | undefined;
  let most = -1;
  for (const candidate of candidates) {
    const weight = weightOf(outline, candidate.process);
    if (weight > most) [best, most] = [candidate, weight];
  }
  return best;
}

function withRoom(self: Candidate, others: readonly Candidate[]): readonly Candidate[] {
  const mean = meanOf(self, others);
  const free = others.filter(({ isFull }) => !isFull);
  const below = free.filter(({ outlines }) => outlines <= mean);
  return below.length > 0 || !self.isFull ? below : free;
}

function meanOf(self: Candidate, others: readonly Candidate[]): number {
  const sum = others.reduce((all, { outlines }) => all + outlines, self.outlines);
  return sum / (others.length + 1);
}

/** A number of 32 bits that says nothing of either (the last steps of MurmurHash3). */
function weightOf(outline: OutlineId, process: number): number {
  let hash = Math.imul(process, 0x9e3779b1);
  for (let at = 0; at < outline.length; at += 8) {
    hash = mixed(hash ^ Number.parseInt(outline.slice(at, at + 8), 16));
  }
  return hash >>> 0;
}

function mixed(bits: number): number {
  let hash = bits;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

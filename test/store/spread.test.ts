import { expect, test } from "vitest";
import { newOutlineId, type OutlineId } from "../../src/core/node-key.ts";
import {
  aboveMean,
  type Candidate,
  hasTooMuch,
  heaviest,
  nextOwnerOf,
  takerOf,
} from "../../src/store/postgres/spread.ts";
import { seededRandom } from "../support/seeded-random.ts";

const random = seededRandom(7);
const OUTLINES: readonly OutlineId[] = Array.from({ length: 4000 }, () => newOutlineId(random));

function candidate(process: number, outlines = 0, isFull = false): Candidate {
  return { process, outlines, isFull };
}

/** How many outlines each process has the greatest weight for. */
function countsOf(candidates: readonly Candidate[]): readonly number[] {
  const winners = OUTLINES.map((outline) => heaviest(outline, candidates)?.process);
  return candidates.map(({ process }) => winners.filter((winner) => winner === process).length);
}

test("[P105] what a process leaves goes to all the others alike, and what they have stays", () => {
  const all = [3, 11, 12, 40, 41].map((process) => candidate(process));
  for (const count of countsOf(all)) expect(Math.abs(count - 800)).toBeLessThan(120);
  const others = all.filter(({ process }) => process !== 12);
  const before = OUTLINES.map((outline) => heaviest(outline, all)?.process);
  const after = OUTLINES.map((outline) => heaviest(outline, others)?.process);
  const moved = OUTLINES.filter((_, index) => before[index] !== after[index]);
  expect(moved).toEqual(OUTLINES.filter((_, index) => before[index] === 12));
  for (const { process } of others) {
    const got = moved.filter((outline) => heaviest(outline, others)?.process === process);
    expect(Math.abs(got.length - moved.length / 4)).toBeLessThan(60);
  }
});

test("[P105] the process that is asked takes an outline, unless it has much more to do than the others", () => {
  const [outline] = OUTLINES as readonly [OutlineId];
  const others = [candidate(2, 100), candidate(3, 110)];
  expect(takerOf(outline, candidate(1, 120), others)).toMatchObject({ process: 1 });
  expect(takerOf(outline, candidate(1, 5000), [])).toMatchObject({ process: 1 });
  const takers = OUTLINES.map((each) => takerOf(each, candidate(1, 400), others).process);
  expect(new Set(takers)).toEqual(new Set([2, 3]));
  // Small differences are none.
  expect(hasTooMuch(candidate(1, 15), [candidate(2), candidate(3)])).toBe(false);
});

test("[P105] a process without memory for more takes nothing while another one has some", () => {
  const [outline] = OUTLINES as readonly [OutlineId];
  const full = candidate(1, 10, true);
  expect(takerOf(outline, full, [candidate(2, 500)])).toMatchObject({ process: 2 });
  expect(takerOf(outline, full, [candidate(2, 5, true)])).toMatchObject({ process: 1 });
  expect(takerOf(outline, candidate(1, 900), [candidate(2, 5, true)])).toMatchObject({
    process: 1,
  });
});

test("[P105] of what each has too much a new process gets its part", () => {
  const self = candidate(1, 300);
  const fresh = candidate(9);
  const others = [candidate(2, 300), fresh];
  expect(hasTooMuch(self, others)).toBe(true);
  expect(aboveMean(self, others)).toBe(100);
  const moves = OUTLINES.map((outline) => nextOwnerOf(outline, self, others));
  // None to the one that has as much itself.
  expect(new Set(moves)).toEqual(new Set([undefined, 9]));
});

import { expect, test } from "vitest";
import { CONFLICT_RULES, type ConflictRules } from "../../src/core/tree/conflict-rules.ts";
import { ALL_REPAIR_STEPS, type RepairSteps } from "../../src/core/merge/repair-steps.ts";
import type { TreeRow } from "../../src/core/tree/tree-row.ts";
import { EVERYDAY, MIRRORED, STORM } from "./actions.ts";
import { optionsOf, simulate, type SimulationOptions } from "./simulation.ts";

interface Mutant {
  readonly what: string;
  readonly rules?: Partial<ConflictRules>;
  readonly steps?: Partial<RepairSteps>;
  /** Other runs than the usual ones. */
  readonly options?: Partial<SimulationOptions>;
  /** What its failure says. */
  readonly finding: RegExp;
  /** Within how many seeds it must be found. */
  readonly within: number;
  /** The first of them, for one that the usual ones find late; 1 when not given. */
  readonly first?: number;
}

const MUTANTS: readonly Mutant[] = [
  {
    what: "nothing is rescued",
    steps: { rescue: false },
    finding: /lost/,
    within: 60,
  },
  {
    what: "a deletion that did not see a move stands",
    steps: { voidDeletions: false },
    finding: /lost/,
    within: 60,
    first: 31,
  },
  {
    what: "what was rescued stays outside of what is shown again",
    steps: { returns: false },
    finding: /not back/,
    within: 60,
    first: 11,
  },
  {
    what: "text typed into a line that is gone for good is gone too",
    steps: { keepText: false },
    finding: /nowhere/,
    within: 60,
  },
  {
    what: "a ring is cut where it was found first",
    rules: { cutOf: (ring) => first(ring) },
    finding: /differs?|shownTree/,
    within: 60,
  },
  {
    what: "a ring is cut at its oldest move",
    rules: { cutOf: (ring) => oldest(ring) },
    finding: /differs?|displaced/,
    within: 60,
  },
  {
    what: "of rows that would be shown in a ring, the first that was found gives way",
    rules: { shownCutOf: (ring) => first(ring) },
    options: { devices: 5, steps: 60, mix: STORM, repair: false, gossip: false },
    finding: /differs?/,
    within: 150,
    first: 53,
  },
  {
    what: "members of a ring stay where they were when it is none any more",
    rules: { released: () => [] },
    finding: /differs?|parent|shownTree/,
    within: 60,
  },
  {
    what: "rings are not written down",
    steps: { writeDown: false },
    finding: /lasting/,
    within: 60,
  },
  {
    what: "an earlier move wins over a later one",
    steps: { laterMoves: false },
    finding: /later move/,
    within: 60,
  },
  {
    what: "an earlier write of a register wins over a later one",
    steps: { laterWrites: false },
    options: { devices: 3, steps: 150, mix: EVERYDAY, repair: true, gossip: false },
    finding: /later write was lost: [lxs] /,
    within: 150,
    first: 16,
  },
  {
    what: "a deletion mark is won by the client id",
    steps: { deletions: false },
    finding: /later write was lost: d |deleted for good and back/,
    within: 150,
    first: 80,
  },
  {
    what: "a mirror is shown when its origin is not",
    rules: { isCovered: () => false },
    options: { mix: MIRRORED },
    finding: /differs?|no mirror/,
    within: 20,
  },
  {
    what: "what is put into a mirror stands below that, not in the origin",
    rules: { mirrorsHold: true },
    options: { mix: MIRRORED },
    finding: /differs?|not in the origin|lost/,
    within: 20,
  },
  {
    what: "what is put into a mirror is shown where it was before",
    rules: { placeThroughMirror: () => undefined },
    options: { mix: MIRRORED },
    finding: /differs?|not in the origin/,
    within: 20,
  },
  {
    what: "a mirror into which somebody has written stays one",
    steps: { unmirror: false },
    options: { mix: MIRRORED, repair: true },
    finding: /nowhere/,
    within: 40,
  },
];

function first(ring: readonly TreeRow[]): TreeRow {
  const row = ring[0];
  if (row === undefined) throw new Error("an empty ring");
  return row;
}

/** The opposite of the rule: the member whose register is the smallest by time and key. */
function oldest(ring: readonly TreeRow[]): TreeRow {
  const left = [...ring];
  while (left.length > 1) left.splice(left.indexOf(CONFLICT_RULES.cutOf(left)), 1);
  return first(left);
}

test.each(MUTANTS)(
  "[D53] a mutant is found: $what",
  (mutant) => {
    const options = (seed: number): SimulationOptions => ({
      ...optionsOf(seed),
      ...mutant.options,
      ...(mutant.rules === undefined ? {} : { rules: { ...CONFLICT_RULES, ...mutant.rules } }),
      ...(mutant.steps === undefined
        ? {}
        : { repairSteps: { ...ALL_REPAIR_STEPS, ...mutant.steps } }),
    });
    let failure = "none";
    const { first: from = 1, within } = mutant;
    for (let seed = from; seed < from + within && failure === "none"; seed++) {
      try {
        simulate(seed, options(seed));
      } catch (error) {
        failure = String(error);
      }
    }
    expect(failure).toMatch(mutant.finding);
  },
  240_000,
);

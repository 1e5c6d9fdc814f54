import type { Case, Step } from "./gene.ts";

function step(channel: Step["channel"], genes: string): Step {
  return {
    channel,
    genes: genes.split(" ").map((text) => {
      const [kind = "", ...numbers] = text.split(",");
      const [count = 1, size = 1, pick = 0] = numbers.map(Number);
      return { kind, count, size, pick };
    }),
    times: 1,
  };
}

/**
 * What was too dear once, as kind, count, size and pick of each gene: every search begins with these,
 * and goes on from them.
 */
export const PINNED_CASES: readonly Case[] = [
  // Stubs of seeds, of nine bytes each.
  [step("update", "seeds,800,1,0")],
  // A few bytes that a long text is written with.
  [step("update", "nodes,1,1,0 entities,10000,50,0")],
  // Each begins a format that does not end.
  [step("update", "nodes,1,1,0 foreignFormats,2500,3,0")],
  [step("update", "nodes,1,1,0 formats,2500,1,1")],
  // Between those of others, whose authors did not know of them.
  [step("update", "nodes,1,1,0 onePlace,2000,390,0")],
  [step("update", "nodes,1,1,0 cuts,2500,1,1"), step("update", "deletions,1,1,0")],
  // Letters between others' letters, and then beside a place among them.
  [step("update", "cuts,106,9,690"), step("update", "onePlace,161,2,887")],
  // Pieces in many formats, compared with those of others.
  [{ ...step("update", "cuts,106,9,923 foreignFormats,2,2,333"), times: 4 }],
  // Rings, and moves in them.
  [step("update", "nodes,600,1,4 moves,1200,1,1")],
  [step("update", "timeMarks,3000,1,1")],
  [step("update", "shortcuts,900,1,999"), step("requests", "targets,20 setTarget,20,1,0")],
  // Each a month of its own, then a year.
  [step("requests", "create,60,1,4 create,60,1,5")],
  // Lines of a letter each.
  [step("requests", "pieces,4000,1,55 create,1,1,0")],
  // What might begin a format.
  [
    step("update", "nodes,1"),
    step("requests", "mixed,5000,3,0 rename,2,1,0 pieces,9000,1,11 rename,2"),
  ],
];

import { benchGroup, noGoal, type RowOf, upTo } from "../bench-group.ts";
import { atMost } from "../goal.ts";
import { type LivedFigures, measureLived, type OpenedFigures } from "../lived.ts";

/** The goals were set for a hundred thousand nodes. */
const LARGE = 100_000;

const LIVES = {
  fresh: "as it was imported",
  history: "with 2.3 edits and 0.22 moves a node",
  tail: "the same, with 10,000 edits behind the snapshot",
} as const;

function rowsOf(life: keyof typeof LIVES): readonly RowOf<LivedFigures>[] {
  const figuresOf = (figures: LivedFigures): OpenedFigures => figures[life];
  return [
    {
      id: `lived-open-${life}`,
      what: `open an outline ${LIVES[life]}, CPU`,
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(6_500)),
      limit: "Yjs, which makes an object of each struct: an edit in the middle of a name adds two.",
      read: (figures) => ({ measured: figuresOf(figures).cpuMs }),
    },
    {
      id: `lived-heap-${life}`,
      what: "heap for each of its nodes",
      unit: "bytes",
      comparison: "absolute",
      goal: noGoal,
      limit: "As above.",
      read: (figures) => ({ measured: figuresOf(figures).heapBytes }),
    },
  ];
}

/** Outlines that have been used for years. */
export const LIVED_ROWS = benchGroup({
  name: "lived",
  title: "Outlines that were used for years",
  sizes: [10_000, LARGE],
  measure: (nodes) => measureLived(nodes),
  rows: (["fresh", "history", "tail"] as const).flatMap(rowsOf),
});

import { always, type BenchGroup, benchGroup, noGoal } from "../bench-group.ts";
import { measureSize } from "../core-size.ts";
import { atMost, type Goal } from "../goal.ts";

interface Goals {
  readonly stored: Goal;
  readonly heap: Goal;
}

function sizeRows(
  kind: "fresh" | "history",
  title: string,
  sizes: readonly number[],
  goals: Goals,
): BenchGroup {
  return benchGroup({
    name: `size-${kind}`,
    title,
    sizes,
    measure: (nodes) => measureSize(nodes, kind),
    rows: [
      {
        id: `stored-${kind}`,
        what: "stored for each node, before compression",
        unit: "bytes",
        comparison: "absolute",
        goal: always(goals.stored),
        limit: "Text, keys and registers; 9.6 structs a node after three edits and 0.3 moves.",
        read: (figures) => ({ measured: figures.bytesPerNode }),
      },
      {
        id: `heap-${kind}`,
        what: "heap for each node of an open outline",
        unit: "bytes",
        comparison: "absolute",
        goal: always(goals.heap),
        floor: "Yjs alone, without the index",
        limit:
          "Yjs takes nine tenths as loaded: for a node with one register 3.5 items at 112 bytes with ids of 40, a Y.Text with a map (184), two event handlers and four arrays.",
        read: (figures) => ({ measured: figures.heapPerNode, floor: figures.bareHeapPerNode }),
      },
      {
        id: `index-${kind}`,
        what: "making the index of all nodes, CPU",
        unit: "ms",
        comparison: "absolute",
        goal: noGoal,
        limit: "A third of it is reading registers that are no longer in the processor's cache.",
        read: (figures) => ({ measured: figures.indexMs }),
      },
    ],
  });
}

/** What an outline takes on the disk and in memory, as one import makes it. */
export const FRESH_SIZE_ROWS = sizeRows(
  "fresh",
  "Size, fresh from an import",
  [1000, 10_000, 100_000, 1_000_000],
  {
    stored: atMost(119),
    heap: atMost(1700),
  },
);

/** The same after three edits of each name and a move of every third node. */
export const HISTORY_SIZE_ROWS = sizeRows(
  "history",
  "Size, with three edits a name",
  [1000, 10_000, 100_000],
  {
    stored: atMost(191),
    heap: atMost(3200),
  },
);

import { always, benchGroup, noGoal, type RowOf, upTo } from "../bench-group.ts";
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
      id: `lived-bare-${life}`,
      what: "Yjs alone applies the same, in one transaction, CPU",
      unit: "ms",
      comparison: "absolute",
      goal: noGoal,
      limit:
        "The service's index of the tree, and parts, so that others have their turns, come on top.",
      read: (figures) => ({ measured: figuresOf(figures).bareCpuMs }),
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

/** A client of y-websocket that has nothing, and the last of these outlines, which nobody has opened. */
const SERVED_ROWS: readonly RowOf<LivedFigures>[] = [
  {
    id: "lived-stock",
    what: "a client of y-websocket gets all of that, CPU of the server",
    unit: "ms",
    comparison: "absolute",
    goal: noGoal,
    limit: "What is stored is sent as it is; nothing is opened.",
    read: ({ served }) => ({ measured: served.cpuMs }),
  },
  {
    id: "lived-stock-wait",
    what: "until it has all, by the clock",
    unit: "ms",
    comparison: "absolute",
    goal: noGoal,
    limit: "Yjs in the client, which applies all of it.",
    read: ({ served }) => ({ measured: served.waitMs }),
  },
  {
    id: "lived-stock-edit",
    what: "until the API has its first edit, CPU of the server",
    unit: "ms",
    comparison: "absolute",
    goal: upTo(LARGE, atMost(6_500)),
    limit: "The outline is opened for it, as above.",
    read: ({ served }) => ({ measured: served.editCpuMs }),
  },
  {
    id: "lived-stock-closed",
    what: "connections of it that were closed",
    unit: "",
    comparison: "absolute",
    goal: always(atMost(0)),
    limit: "The time for a greeting ends when the first message has come.",
    read: ({ served }) => ({ measured: served.closed }),
  },
];

/** Outlines that have been used for years. */
export const LIVED_ROWS = benchGroup({
  name: "lived",
  title: "Outlines that were used for years",
  sizes: [10_000, LARGE],
  measure: (nodes) => measureLived(nodes),
  rows: [...(["fresh", "history", "tail"] as const).flatMap(rowsOf), ...SERVED_ROWS],
});

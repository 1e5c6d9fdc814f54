import { always, benchGroup, noGoal, type RowOf } from "../bench-group.ts";
import { atLeast, atMost, type Goal } from "../goal.ts";
import { type AppendFigures, storeFigures } from "../store.ts";
import { benchWriteAmplification } from "../write-amplification.ts";

type Figures = Awaited<ReturnType<typeof storeFigures>>;

const FLOOR = "LevelDB behind a bare group commit: no numbers, heads or checksums";

function appends(
  appenders: number,
  row: Pick<RowOf<Figures>, "id" | "what" | "unit" | "comparison" | "limit">,
  figure: "perSecond" | "cpuUs",
  goals?: { readonly now: Goal; readonly next: Goal },
): RowOf<Figures> {
  return {
    ...row,
    goal: goals === undefined ? noGoal : always(goals.now),
    ...(goals !== undefined && { nextGoal: goals.next }),
    floor: FLOOR,
    read({ appends: all }) {
      const found = all.find((each: AppendFigures) => each.appenders === appenders)?.[figure];
      return found && { measured: found.store, floor: found.floor };
    },
  };
}

/** What the store costs, whatever the size of outlines. */
export const STORE_ROWS = benchGroup<Figures>({
  name: "store",
  title: "The store",
  sizes: [0],
  measure: () => storeFigures(),
  rows: [
    appends(
      1000,
      {
        id: "appends-1000",
        what: "durable appends by 1,000 at once, gathered, by the clock",
        unit: "a second",
        comparison: "absolute",
        limit:
          "Of the CPU 38 % LevelDB's batch, 17 % keys and batches, 14 % garbage collection, 11 % checksums: each append has two records, itself and the head.",
      },
      "perSecond",
      // What the plan for many users counts on.
      { now: atLeast(125_000), next: atLeast(180_000) },
    ),
    ...[1, 64, 1000].map((appenders) =>
      appends(
        appenders,
        {
          id: `append-cpu-${appenders}`,
          what: `a durable append, ${appenders.toLocaleString("en")} at once, CPU`,
          unit: "µs",
          comparison: "cost",
          limit: appenders === 1 ? "A batch and an fsync of its own for each append." : "As above.",
        },
        "cpuUs",
      ),
    ),
    {
      id: "store-stall",
      what: "longest stall while a snapshot of 12 MB is saved and loaded, by the clock",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(50)),
      nextGoal: atMost(20),
      limit: "Compression runs in the thread pool; what is left is copying.",
      read: ({ snapshot }) => ({ measured: snapshot.stallMs }),
    },
  ],
});

/** What edits make the disk write. */
export const WRITE_ROWS = benchGroup({
  name: "write-amplification",
  title: "What edits write",
  sizes: [1000, 10_000],
  measure: (nodes) => benchWriteAmplification(nodes),
  rows: [
    {
      id: "write-amplification",
      what: "handed to LevelDB for each byte that the log grows by, snapshots too",
      unit: "times",
      comparison: "absolute",
      goal: always(atMost(3)),
      nextGoal: atMost(2),
      limit:
        "A snapshot is written when the log outweighs the last one, compressed to 0.4: it adds 0.7 to 0.8 bytes for each byte of the log.",
      read: ({ stored }) => ({ measured: stored }),
    },
    {
      id: "write-files",
      what: "written to LevelDB's files for each such byte",
      unit: "times",
      comparison: "absolute",
      goal: noGoal,
      limit: "LevelDB's own log and tables.",
      read: ({ written }) => ({ measured: written }),
    },
    {
      id: "write-entry",
      what: "an entry of the log for each byte of its update",
      unit: "times",
      comparison: "absolute",
      goal: noGoal,
      limit: "Key and checksum stand beside an update of 16 bytes.",
      read: ({ entry }) => ({ measured: entry }),
    },
  ],
});

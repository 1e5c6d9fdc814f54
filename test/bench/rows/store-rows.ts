import { benchGroup, always, noGoal, type RowOf } from "../bench-group.ts";
import { atMost } from "../goal.ts";
import { storeFigures } from "../store.ts";

type Figures = Awaited<ReturnType<typeof storeFigures>>;

function appends(appenders: number): RowOf<Figures> {
  const by = appenders.toLocaleString("en");
  return {
    id: `appends-${appenders}`,
    what: `durable appends by ${by} at once, gathered`,
    unit: "a second",
    comparison: "rate",
    goal: noGoal,
    floor: "LevelDB behind a group commit of twenty lines: no numbers, heads or checksums",
    limit: "fsync for one appender; for many, the records' checksums and keys.",
    read({ appends: all }) {
      const figures = all.find((each) => each.appenders === appenders);
      return figures && { measured: figures.perSecond.store, floor: figures.perSecond.floor };
    },
  };
}

/** What the store costs, whatever the size of outlines. */
export const STORE_ROWS = benchGroup({
  name: "store",
  title: "The store",
  sizes: [0],
  measure: () => storeFigures(),
  rows: [
    appends(1),
    appends(64),
    appends(1000),
    {
      id: "store-stall",
      what: "longest stall while a snapshot of 12 MB is saved and loaded",
      unit: "ms",
      comparison: "absolute",
      goal: always(atMost(50)),
      limit: "Compression runs in the thread pool; what is left is copying.",
      read: ({ snapshot }) => ({ measured: snapshot.stallMs }),
    },
  ],
});

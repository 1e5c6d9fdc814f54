import { always, benchGroup, type RowOf } from "../bench-group.ts";
import { atMost } from "../goal.ts";
import { benchStart, type StartFigures } from "../start.ts";

const SIZES = [0.1, 1, 4];
const LIMIT =
  "LevelDB reads the list of its tables, of 2 MB each; the program reads a handful of records.";

/** What a start costs, whatever is stored. */
export const START_ROWS = benchGroup<readonly StartFigures[]>({
  name: "start",
  title: "Starts",
  sizes: [0],
  measure: () => benchStart(SIZES),
  rows: SIZES.flatMap((size): readonly RowOf<readonly StartFigures[]>[] => {
    const of = (all: readonly StartFigures[]) => all.find(({ gigabytes }) => gigabytes === size);
    return [
      {
        id: `start-read-${size}`,
        what: `opening a store of ${size} GB: read from files`,
        unit: "KB",
        comparison: "absolute",
        goal: always(atMost(400)),
        nextGoal: atMost(100),
        limit: LIMIT,
        read: (all) => ({ measured: of(all)?.readKilobytes ?? [] }),
      },
      {
        id: `start-cpu-${size}`,
        what: `opening a store of ${size} GB: CPU`,
        unit: "ms",
        comparison: "absolute",
        goal: always(atMost(100)),
        nextGoal: atMost(30),
        limit: LIMIT,
        read: (all) => ({ measured: of(all)?.cpuMs ?? [] }),
      },
    ];
  }),
});

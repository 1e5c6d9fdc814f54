import { benchGroup, upTo } from "../bench-group.ts";
import { measureOpen } from "../core-open.ts";
import { atMost } from "../goal.ts";
import type { LongestTurn } from "../turn-watch.ts";

/** The goals were set for a hundred thousand nodes. */
const LARGE = 100_000;

function cpuOf(turns: readonly LongestTurn[]): readonly number[] {
  return turns.map(({ cpuMs }) => cpuMs);
}

/** What it costs when an outline is opened, compacted or exported, and what others feel of it. */
export const OPEN_ROWS = benchGroup({
  name: "open",
  title: "Opening, compacting, exporting",
  sizes: [100_000, 1_000_000],
  measure: (nodes) => measureOpen(nodes),
  rows: [
    {
      id: "open",
      what: "open from LevelDB, ready to serve, CPU",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(800)),
      floor: "Yjs alone applies the same state in one go",
      limit:
        "Yjs alone takes 70 %, half of it in the collector; the index most of the rest, of which a third is reading registers that are no longer in the processor's cache. Building rows while each chunk is still in the cache was tried: 4 %.",
      read: ({ openCpuMs, bareCpuMs }) => ({ measured: openCpuMs, floor: bareCpuMs }),
    },
    {
      id: "stall-open",
      what: "longest turn of the event loop while it opens, CPU of the thread",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(50)),
      nextGoal: atMost(25),
      limit: "A chunk of the state that meets a collection.",
      read: ({ opening }) => ({ measured: cpuOf(opening) }),
    },
    {
      id: "stall-compact",
      what: "while it is compacted",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(50)),
      nextGoal: atMost(25),
      limit: "Encoding one chunk.",
      read: ({ compacting }) => ({ measured: compacting.cpuMs }),
    },
    {
      id: "stall-export",
      what: "while it is exported",
      unit: "ms",
      comparison: "absolute",
      goal: upTo(LARGE, atMost(50)),
      nextGoal: atMost(25),
      limit: "The document order, in one go.",
      read: ({ exporting }) => ({ measured: cpuOf(exporting) }),
    },
  ],
});

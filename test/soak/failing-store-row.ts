import { openFailingStore } from "./failing-store/breakable-store.ts";
import { runFaultLanes } from "./failing-store/fault-lanes.ts";
import type { SoakRow } from "./soak-row.ts";

const SHORT = 5;

/** The store refuses, hangs, or fails once, under clients of every kind, and works again. */
export const failingStoreRow: SoakRow = {
  name: "failing-store",
  fault: "the store refuses or hangs for 3.5 s, hangs until given up, or fails one fsync",
  goal: "0 acknowledgements meanwhile, 503, clients told within 1 s, no restart, nothing lost",
  unit: "faults",
  full: 200,
  short: SHORT,
  budgetMs: 30 * 60_000,
  controls: { "says-stored": "the log answers that what it failed to store is stored" },
  run: (task) =>
    runFaultLanes({
      task,
      openStore: openFailingStore,
      lies: task.control === "says-stored",
      judgesTimes: task.amount > SHORT,
    }),
};

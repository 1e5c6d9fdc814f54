import { runFaultLanes } from "./failing-store/fault-lanes.ts";
import type { SoakRow } from "./soak-row.ts";

/** Each fault once. */
const SHORT = 6;

/**
 * The store refuses, hangs, or fails once, or its disk is full, under clients of every kind, and works
 * again. A file system is really filled and freed; where this process may not mount one
 * (`realDisks: 0`), a store that fails as if it were full stands in for it.
 */
export const failingStoreRow: SoakRow = {
  name: "failing-store",
  fault:
    "the store refuses, hangs or has a full disk for 3.5 s, hangs until given up, or fails one fsync",
  goal: "0 acknowledgements meanwhile, 503, clients told within 1 s, no restart, nothing lost",
  unit: "faults",
  full: 240,
  short: SHORT,
  budgetMs: 30 * 60_000,
  controls: { "says-stored": "the log answers that what it failed to store is stored" },
  run: (task) =>
    runFaultLanes({
      task,
      lies: task.control === "says-stored",
      judgesTimes: task.amount > SHORT,
    }),
};

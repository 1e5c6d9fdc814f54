import { openFullDiskStore } from "./disk-full/full-disk-store.ts";
import { runFaultLanes } from "./failing-store/fault-lanes.ts";
import type { SoakRow } from "./soak-row.ts";

const SHORT = 2;

/**
 * A file system that is filled and freed again under clients of every kind. Where this process may
 * not mount one (`realDisks: 0`), a store that fails as if it were full stands in for it.
 */
export const diskFullRow: SoakRow = {
  name: "disk-full",
  fault: "the disk is full for 3.5 s, then freed",
  goal: "0 acknowledgements meanwhile, 503, clients told within 1 s, no restart, nothing lost",
  unit: "times full",
  full: 50,
  short: SHORT,
  budgetMs: 30 * 60_000,
  controls: { "says-stored": "the log answers that what it failed to store is stored" },
  run: (task) =>
    runFaultLanes({
      task,
      openStore: openFullDiskStore,
      lies: task.control === "says-stored",
      judgesTimes: task.amount > SHORT,
    }),
};

import { type ClusterReport, simulateCluster } from "./cluster/simulated/simulate-cluster.ts";
import type { Defects } from "./cluster/simulated/simulated-world.ts";
import { SEEDS_OF_A_PROCESS, SeedProcesses } from "./simulation/seed-processes.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/** What must have happened in ten seeds, or they have shown nothing; in proportion for more. */
const AT_LEAST_IN_10: Readonly<Record<string, number>> = {
  added: 2000,
  listed: 1000,
  passed: 500,
  killed: 5,
  stopped: 5,
  asleep: 5,
  "line hung": 5,
  "line stranded": 5,
  "database restarted": 5,
  "failed over": 1,
};

const DEFECTS: Readonly<Record<string, Defects>> = {
  "no-fence": { hasNoFence: true },
  "no-lease": { hasNoLease: true },
  "free-locks": { believesFreeLocks: true },
  "unseen-crashes": { seesNoCrash: true },
  "keeps-nothing": { keepsNothing: true },
};

/** Several processes, in one, on simulated time, lines and a simulated database. */
export const clusterSimulationRow: SoakRow = {
  name: "cluster/simulation",
  fault: "processes, the lines between them and to the database, clocks and the database break",
  goal: "0 acknowledged writes lost, 0 stale reads, everything served again",
  unit: "seeds",
  full: 10_000,
  short: 10,
  budgetMs: 4 * 60 * 60_000,
  controls: {
    "no-fence": "the database takes whatever is appended",
    "no-lease": "processes serve however long they have heard nothing",
    "free-locks": "a free lock counts, whenever it was taken",
    "unseen-crashes": "a crash within the database, behind which all locks are free, is none",
    "keeps-nothing": "nothing is kept of what a database may have lost",
  },
  controlSeeds: {
    "no-fence": 78,
    "free-locks": 19,
    "unseen-crashes": 19,
    "keeps-nothing": 35,
  },
  async run(task) {
    const { amount, seed, control, goesOn } = task;
    const failures: string[] = [];
    const totals: Record<string, number> = {};
    let done = 0;
    const onReport = (report: ClusterReport): void => {
      done += 1;
      failures.push(...report.failures);
      for (const [what, times] of Object.entries(report.counts)) {
        totals[what] = (totals[what] ?? 0) + times;
      }
    };
    if (control === undefined && amount > SEEDS_OF_A_PROCESS) {
      const processes = new SeedProcesses(task, onReport, { of: "cluster" });
      await processes.run();
      failures.push(...processes.failures);
    } else {
      for (let at = seed; at < seed + amount && goesOn(done); at++) {
        onReport(await simulateCluster(at, DEFECTS[control ?? ""]));
        if (isEnoughOf(failures, control)) break;
      }
    }
    if (control === undefined && failures.length === 0 && done >= 10) {
      for (const [what, atLeast] of Object.entries(AT_LEAST_IN_10)) {
        const times = totals[what] ?? 0;
        if (times < (atLeast * done) / 10) failures.push(`too rare: ${what}, ${times}`);
      }
    }
    return { done, failures, figures: totals };
  },
};

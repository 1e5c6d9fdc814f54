import { BROKEN_VARIANTS, withBroken } from "./simulation/broken-variants.ts";
import { reportOfSeed, type SeedReport } from "./simulation/report-of-seed.ts";
import { SEEDS_OF_A_PROCESS, SeedProcesses } from "./simulation/seed-processes.ts";
import type { Counts } from "./simulation/world.ts";
import type { SoakRow, SoakTask } from "./soak-row.ts";

/** What must have happened in 15 seeds, or they have shown nothing; in proportion for more. */
const AT_LEAST_IN_15: Counts = {
  "requests done": 500,
  "requests refused: 503": 30,
  "requests without an answer": 2,
  "statuses saved": 500,
  "acknowledged updates": 600,
  connections: 700,
  "links hung": 80,
  "links cut": 80,
  "device crashes": 80,
  "server crashes": 60,
  "server crashes during a commit": 4,
  restarts: 15,
  "disk failing": 20,
  "disk slow": 8,
  "device disks failing": 20,
  "keys revoked": 10,
  "days slept": 8,
  compactions: 8,
  purges: 3,
  "second tabs": 15,
  clones: 2,
  "old copies brought back": 3,
  "refused: missing": 3,
  "replicas replaced": 2,
  "mirrors made": 10,
  "mirrors removed": 2,
  "texts of their own in mirrors": 5,
};

/** The whole system, in one process, on simulated time, network and disks. */
export const simulationRow: SoakRow = {
  name: "simulation",
  fault:
    "links, devices, disks and servers break, keys end, days pass, while all work on an outline",
  goal: "0 divergences; nothing promised is lost",
  unit: "seeds",
  full: 10_000,
  short: 15,
  budgetMs: 4 * 60 * 60_000,
  controls: BROKEN_VARIANTS,
  // Two who move each other's nodes apart are rare, and the server writes rings down soon.
  controlSeeds: { "rings-cut-anywhere": 124, "forgets-its-outbox": 8 },
  async run(task) {
    const failures: string[] = [];
    const totals: Counts = {};
    let done = 0;
    const onReport = (report: SeedReport): void => {
      done += 1;
      failures.push(...report.failures);
      for (const [what, times] of Object.entries(report.counts)) {
        totals[what] = (totals[what] ?? 0) + times;
      }
    };
    if (task.control === undefined && task.amount > SEEDS_OF_A_PROCESS) {
      const processes = new SeedProcesses(task, onReport, { of: "simulation" });
      await processes.run();
      failures.push(...processes.failures);
    } else await runHere(task, onReport);
    if (task.control === undefined && done >= 15) failures.push(...whatWasTooRare(totals, done));
    return { done, failures, figures: totals };
  },
};

async function runHere(
  { amount, seed, control, goesOn }: SoakTask,
  onReport: (report: SeedReport) => void,
): Promise<void> {
  for (let done = 0; done < amount && goesOn(done); done++) {
    const report = await withBroken(control, (broken) =>
      reportOfSeed({ first: seed, place: done }, broken),
    );
    onReport(report);
    // A control that is found out once is found out.
    if (control !== undefined && report.failures.length > 0) return;
  }
}

function whatWasTooRare(totals: Counts, seeds: number): readonly string[] {
  return Object.entries(AT_LEAST_IN_15).flatMap(([what, atLeast]) => {
    const times = totals[what] ?? 0;
    return times >= (atLeast * seeds) / 15 ? [] : [`too rare to show anything: ${what}, ${times}`];
  });
}

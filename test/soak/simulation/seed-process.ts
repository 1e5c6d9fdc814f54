/**
 * A process that runs a batch of seeds, tells of each when it is over, and ends: also when there is
 * nobody any more to be told.
 */
import { simulateCluster } from "../cluster/simulated/simulate-cluster.ts";
import { reportOfSeed, type SeedReport } from "./report-of-seed.ts";
import type { SeedBatch } from "./seed-processes.ts";

process.once("disconnect", () => process.exit());
// That was while this was being loaded.
if (!process.connected) process.exit();

const { of, first, from, to } = JSON.parse(process.argv[2] ?? "") as SeedBatch;
for (let place = from; place < to; place++) {
  await tell(
    await (of === "cluster" ? simulateCluster(first + place) : reportOfSeed({ first, place })),
  );
}
process.disconnect();

function tell(report: SeedReport): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(report, undefined, undefined, (error: Error | null) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

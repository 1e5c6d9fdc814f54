import { Cluster } from "../e2e/cluster.ts";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import type { ClusterFault } from "./cluster/cluster-fault.ts";
import { cutFromPeers } from "./cluster/cut-from-peers.ts";
import { deafProcess } from "./cluster/deaf-process.ts";
import { failedOver } from "./cluster/failed-over.ts";
import { fullDatabase } from "./cluster/full-database.ts";
import { lostLock } from "./cluster/lost-lock.ts";
import { manyAtOnce } from "./cluster/many-at-once.ts";
import { rollingUpgrade } from "./cluster/rolling-upgrade.ts";
import { slowDatabase } from "./cluster/slow-database.ts";
import { stoppedOwner } from "./cluster/stopped-owner.ts";
import { strandedProcesses } from "./cluster/stranded-processes.ts";
import { wrongClock } from "./cluster/wrong-clock.ts";
import { isEnoughOf, type SoakRow, type SoakResult, type SoakTask } from "./soak-row.ts";

const FAULTS: readonly ClusterFault[] = [
  deafProcess,
  failedOver,
  wrongClock,
  cutFromPeers,
  lostLock,
  strandedProcesses,
  stoppedOwner(3),
  stoppedOwner(8),
  stoppedOwner(30),
  rollingUpgrade,
  slowDatabase,
  fullDatabase,
  manyAtOnce(10_000),
];
const TIMES = 10;

/** What is done to several processes on a database. */
export const CLUSTER_ROWS: readonly SoakRow[] = FAULTS.map((fault) => ({
  name: `cluster/${fault.name}`,
  fault: fault.what,
  goal: "0 acknowledged writes lost, 0 stale reads, everything served again",
  unit: "times",
  full: fault.times ?? TIMES,
  short: 1,
  budgetMs: 60 * 60_000,
  controls: fault.controls ?? {},
  ...(fault.obstacle && { obstacle: fault.obstacle }),
  run: (task) => run(fault, task),
}));

/** Each time with processes and a database of its own. */
async function run(
  fault: ClusterFault,
  { amount, control, goesOn }: SoakTask,
): Promise<SoakResult> {
  const failures: string[] = [];
  const figures: Record<string, number> = {};
  const figure = (name: string, value: number): void => {
    figures[name] = Math.max(figures[name] ?? 0, value);
  };
  let done = 0;
  while (done < amount && !isEnoughOf(failures, control) && goesOn(done)) {
    done += 1;
    const cluster = await (fault.makeCluster?.() ?? Cluster.start(await PostgresServer.start()));
    try {
      failures.push(...(await fault.run({ cluster, control, figure })));
    } catch (error) {
      failures.push(`time ${done}: ${String(error)}`);
    } finally {
      await cluster.stop();
    }
  }
  return { done, failures, figures };
}

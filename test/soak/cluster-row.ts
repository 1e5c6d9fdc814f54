import { Cluster } from "../e2e/cluster.ts";
import type { ClusterFault } from "./cluster/cluster-fault.ts";
import { cutFromPeers } from "./cluster/cut-from-peers.ts";
import { deafProcess } from "./cluster/deaf-process.ts";
import { failedOver } from "./cluster/failed-over.ts";
import { fullDatabase } from "./cluster/full-database.ts";
import { manyAtOnce } from "./cluster/many-at-once.ts";
import { rollingUpgrade } from "./cluster/rolling-upgrade.ts";
import { slowDatabase } from "./cluster/slow-database.ts";
import { stoppedOwner } from "./cluster/stopped-owner.ts";
import { wrongClock } from "./cluster/wrong-clock.ts";
import { PostgresServer } from "../support/postgres/postgres-server.ts";
import { isEnoughOf, type SoakRow } from "./soak-row.ts";

/** Those of the short form first: the others take longer, or stand still for some seconds. */
const FAULTS: readonly ClusterFault[] = [
  deafProcess,
  failedOver,
  wrongClock,
  cutFromPeers,
  stoppedOwner(3),
  stoppedOwner(8),
  rollingUpgrade,
  slowDatabase,
  fullDatabase,
  stoppedOwner(30),
  manyAtOnce(10_000),
];
const SHORT = 2;
const ROUNDS = 10;

/** Faults one after the other, each with processes of its own. */
export const clusterRow: SoakRow = {
  name: "cluster",
  fault:
    "several processes on a database: stopped, cut off, upgraded, with wrong clocks; the database slow, full, failed over",
  goal: "0 acknowledged writes lost, 0 stale reads, everything served again",
  unit: "faults",
  full: ROUNDS * FAULTS.length,
  short: SHORT,
  budgetMs: 120 * 60_000,
  controls: Object.fromEntries(FAULTS.flatMap(({ controls = {} }) => Object.entries(controls))),
  async run({ amount, control, goesOn }) {
    const failures: string[] = [];
    const figures: Record<string, number> = {};
    const figure = (name: string, value: number): void => {
      figures[name] = Math.max(figures[name] ?? 0, value);
    };
    const faults =
      control === undefined ? FAULTS : FAULTS.filter((each) => control in (each.controls ?? {}));
    let shared: Cluster | undefined;
    let done = 0;
    try {
      while (done < amount && !isEnoughOf(failures, control) && goesOn(done)) {
        const fault = faults[done % faults.length];
        if (fault === undefined) break;
        done += 1;
        const obstacle = fault.obstacle?.();
        if (obstacle !== undefined) {
          console.log(`NOT RUN  ${fault.name}: ${obstacle}`);
          continue;
        }
        if (done % faults.length === 1) {
          await shared?.stop();
          shared = undefined;
        }
        const own = await fault.makeCluster?.();
        const cluster =
          own ?? own ?? (shared ??= await Cluster.start(await PostgresServer.start()));
        try {
          const found = await fault.run({ cluster, control, figure });
          failures.push(...found.map((failure) => `${fault.name}: ${failure}`));
        } catch (error) {
          failures.push(`${fault.name}: ${String(error)}`);
        } finally {
          await cluster.killAll();
          await own?.stop();
        }
      }
      return { done, failures, figures };
    } finally {
      await shared?.stop();
    }
  },
};

import { setTimeout as delay } from "node:timers/promises";
import { missingOf } from "../../e2e/cluster.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import { until } from "../../support/socket-until.ts";
import { type ClusterFault, harmTo, lossIn } from "./cluster-fault.ts";

/** The owner stands still for so long, while programs write by way of all processes, and wakes. */
export function stoppedOwner(seconds: number): ClusterFault {
  return {
    name: `stopped-${seconds}`,
    what: `the owner stands still for ${seconds} s, and wakes`,
    async run({ cluster, figure }) {
      const processes = [];
      for (const name of ["one", "two", "three"]) processes.push(await cluster.newProcess(name));
      const writers = new Writers(cluster, processes);
      const failures: string[] = [];
      try {
        await writers.more(30);
        const owner = await cluster.ownerAmong(processes);
        owner.send("SIGSTOP");
        await delay(seconds * 1000);
        const known = [...writers.acknowledged];
        owner.send("SIGCONT");
        let names: readonly string[] | undefined;
        const answers = async (): Promise<boolean> =>
          (names = await cluster.names(owner)) !== undefined;
        await until(answers, "an answer", 60_000);
        failures.push(...lossIn("read from a process that woke", missingOf(names, known)));
        await writers.more(30);
        await writers.stop();
        figure(
          `longest gap while the owner stood still for ${seconds} s, ms`,
          writers.longestGapMs,
        );
        return [...failures, ...(await harmTo(cluster, writers))];
      } finally {
        await cluster.killAll();
        await writers.stop();
      }
    },
  };
}

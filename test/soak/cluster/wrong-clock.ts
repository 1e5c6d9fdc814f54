import type { ClusterProcess } from "../../e2e/cluster.ts";
import { missingOf } from "../../e2e/cluster.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import { until } from "../../support/socket-until.ts";
import { changed } from "./changed.ts";
import { type ClusterFault, harmTo, lossIn } from "./cluster-fault.ts";

/** One machine's clock is an hour ahead, and another one's is set while it serves. */
export const wrongClock: ClusterFault = {
  name: "wrong-clock",
  what: "the clock of a process is an hour ahead, another one's is set forward and back",
  async run({ cluster, figure }) {
    const ahead = await cluster.newProcess("ahead", changed("clock"));
    const set = await cluster.newProcess("set", changed("clock-jumps"));
    const processes = [ahead, set];
    const writers = new Writers(cluster, processes);
    const failures: string[] = [];
    try {
      await writers.more(30);
      // Forward and back again: a lease that was an hour long ends, or one seems to have ended.
      for (let jump = 0; jump < 2; jump += 1) {
        set.send("SIGUSR2");
        await writers.more(30);
        const known = [...writers.acknowledged];
        for (const process of processes) {
          failures.push(...lossIn("read behind a jump", missingOf(await namesOf(process), known)));
        }
      }
      // Each takes over from the other, by the clock of the database.
      const owner = await cluster.ownerAmong(processes);
      await owner.stop("SIGKILL");
      processes.splice(processes.indexOf(owner), 1);
      await writers.more(30);
      await writers.stop();
      figure("longest gap with wrong clocks, ms", writers.longestGapMs);
      return [...failures, ...(await harmTo(cluster, writers))];
    } finally {
      await writers.stop();
      await cluster.killAll();
    }

    async function namesOf(process: ClusterProcess): Promise<readonly string[]> {
      let names: readonly string[] | undefined;
      const answers = async (): Promise<boolean> =>
        (names = await cluster.names(process)) !== undefined;
      await until(answers, "an answer", 60_000);
      return names ?? [];
    }
  },
};

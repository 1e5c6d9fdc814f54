import { Writers } from "../../e2e/cluster-writers.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { changed } from "./changed.ts";
import { type ClusterFault, harmTo } from "./cluster-fault.ts";

const ROUNDS = 3;
/** A lease is 4 s; an answer would be waited for 20 s. */
const LONGEST_GAP_MS = 12_000;

/**
 * The machine of the database is gone without a word, and another one has its address: connections that
 * were open hang for ever, new ones work.
 */
export const strandedProcesses: ClusterFault = {
  name: "stranded",
  what: "open connections to the database hang for ever, and new ones work",
  controls: { "waits-for-answers": "connections that hang are not given up" },
  async run({ cluster, control, figure }) {
    const line = await TcpProxy.start(cluster.database.port);
    const port = Number(new URL(line.url).port);
    const options = { port, ...(control !== undefined && changed(control)) };
    const processes = [];
    for (const name of ["one", "two"]) processes.push(await cluster.newProcess(name, options));
    const writers = new Writers(cluster, processes);
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await writers.more(30);
        line.strand();
      }
      await writers.more(30);
      await writers.stop();
      const gapMs = writers.longestGapMs;
      figure("longest gap behind connections that hang, ms", gapMs);
      const isLong = gapMs > LONGEST_GAP_MS;
      return [
        ...(isLong ? [`nothing was acknowledged for ${gapMs} ms`] : []),
        ...(await harmTo(cluster, writers)),
      ];
    } finally {
      await cluster.killAll();
      await writers.stop();
      await line.stop();
    }
  },
};

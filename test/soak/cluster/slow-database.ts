import { setTimeout as delay } from "node:timers/promises";
import { Writers } from "../../e2e/cluster-writers.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { type ClusterFault, harmTo } from "./cluster-fault.ts";

const HELD_MS = 900;
const ROUNDS = 20;

/** The line to the database carries something only now and then: every answer takes a second. */
export const slowDatabase: ClusterFault = {
  name: "slow-database",
  what: "every answer of the database takes a second",
  async run({ cluster, figure }) {
    const proxy = await TcpProxy.start(cluster.database.port);
    const port = Number(new URL(proxy.url).port);
    const processes = [];
    for (const name of ["one", "two"]) processes.push(await cluster.newProcess(name, { port }));
    const writers = new Writers(cluster, processes);
    try {
      await writers.more(30);
      for (let round = 0; round < ROUNDS; round += 1) {
        proxy.hang();
        await delay(HELD_MS);
        await proxy.pass();
        await delay(100);
      }
      const meanwhile = writers.acknowledged.length;
      await writers.more(30);
      await writers.stop();
      figure("lines acknowledged while the database was slow", meanwhile);
      figure("longest gap while the database was slow, ms", writers.longestGapMs);
      return await harmTo(cluster, writers);
    } finally {
      await cluster.killAll();
      await writers.stop();
      await proxy.stop();
    }
  },
};

import { Writers } from "../../e2e/cluster-writers.ts";
import { missingOf } from "../../e2e/cluster.ts";
import { until } from "../../support/socket-until.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { type ClusterFault, harmTo, lossIn } from "./cluster-fault.ts";

/**
 * The others can't reach the owner, which has the database. It keeps its outlines and serves who comes
 * to itself; whoever comes to another one is told at once to come again, and nobody waits for ever.
 */
export const cutFromPeers: ClusterFault = {
  name: "cut-from-peers",
  what: "the other processes can't reach the owner, which has the database",
  async run({ cluster, figure }) {
    const owner = await cluster.newProcess("owner");
    await until(() => cluster.add(owner, "first"), "an owner");
    const other = await cluster.newProcess("other");
    const proxy = await TcpProxy.start(Number(owner.address.split(":")[1]));
    const failures: string[] = [];
    try {
      // The others find it behind a line that can be cut.
      const place = new URL(proxy.url).host;
      await cluster.database.run(
        "postgres",
        `update outline_store.process set address = '${place}' where address = '${owner.address}'`,
      );
      const writers = new Writers(cluster, [owner, other]);
      const isOwner = async (): Promise<boolean> => (await cluster.ownerAddress()) === place;
      for (const cut of [() => proxy.hang(), () => proxy.hang("down"), () => proxy.reset()]) {
        await until(async () => (await cluster.names(other)) !== undefined, "an answer", 60_000);
        await writers.more(30);
        cut();
        // It ends, one way or the other.
        const answer = await cluster.ask(other, "nodes?parent_id=inbox");
        if (answer.status !== 503) failures.push(`the other process answered ${answer.status}`);
        await writers.more(30);
        if (!(await isOwner())) failures.push("the owner lost what it could still serve");
        await proxy.pass();
      }
      await until(async () => (await cluster.names(other)) !== undefined, "an answer", 60_000);
      const known = [...writers.acknowledged];
      const stale = missingOf(await cluster.names(other), known);
      await writers.stop();
      failures.push(...lossIn("read by way of the other process", stale));
      failures.push(...(await harmTo(cluster, writers)));
      figure("lines acknowledged while the owner was cut off", writers.acknowledged.length);
      return failures;
    } finally {
      await cluster.killAll();
      await proxy.stop();
    }
  },
};

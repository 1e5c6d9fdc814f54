import { missingOf } from "../../e2e/cluster.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import type { PostgresServer } from "../../support/postgres/postgres-server.ts";
import { until } from "../../support/socket-until.ts";
import { TcpProxy } from "../../support/tcp-proxy.ts";
import { changed } from "./changed.ts";
import { type ClusterFault, lossIn } from "./cluster-fault.ts";

const LINES = 30;

function portOf(proxy: TcpProxy): number {
  return Number(new URL(proxy.url).port);
}

/**
 * The database is failed over to a standby that lacks the newest of what was acknowledged. The
 * processes live, and have it.
 */
export const failedOver: ClusterFault = {
  name: "failed-over",
  what: "the database is failed over to a standby that lacks the newest writes",
  controls: { "hands-nothing-in": "processes keep nothing of what the database has confirmed" },
  async run({ cluster, control, figure }) {
    const primary = cluster.database;
    const line = await TcpProxy.start(primary.port);
    const front = await TcpProxy.start(primary.port);
    let standby: PostgresServer | undefined;
    let writers: Writers | undefined;
    try {
      const options = { port: portOf(front), ...(control !== undefined && changed(control)) };
      const processes = [];
      for (const name of ["one", "two"]) processes.push(await cluster.newProcess(name, options));
      writers = new Writers(cluster, processes);
      await writers.more(LINES);
      standby = await primary.standby(portOf(line));
      await writers.more(LINES);
      line.hang();
      await writers.more(LINES);
      await writers.stop();
      const before = await linesIn(primary);
      await primary.kill();
      await standby.promote();
      front.target = standby.port;
      front.dropConnections();
      cluster.database = standby;
      const lacking = before - (await linesIn(standby));
      figure("updates that the standby lacked", lacking);
      const [one] = processes;
      if (one === undefined) throw new Error("two processes");
      const answers = async (): Promise<boolean> => (await cluster.names(one)) !== undefined;
      await until(answers, "an answer", 60_000);
      const { acknowledged } = writers;
      const isWhole = async (): Promise<boolean> =>
        missingOf(await cluster.names(one), acknowledged).length === 0;
      // Who keeps nothing has nothing to hand in, however long one waits.
      await until(isWhole, "all lines", control === undefined ? 120_000 : 5000).catch(
        () => undefined,
      );
      const missing = await cluster.lossOf(acknowledged);
      return [
        ...lossIn("after a failover to a standby that lagged", missing),
        ...(lacking > 0 ? [] : ["the standby lacked nothing"]),
      ];
    } finally {
      await cluster.killAll();
      await writers?.stop();
      await line.stop();
      await front.stop();
      if (standby !== undefined) await primary.stop();
    }
  },
};

/** Lines have an update each, and the server may add some of its own. */
async function linesIn(database: PostgresServer): Promise<number> {
  const [row] = await database.run(
    "postgres",
    "select max(head)::int as head from outline_store.outline",
  );
  return Number(row?.["head"]);
}

import { PROCESS_CLASS } from "../../../src/store/postgres/locks.ts";
import type { ClusterProcess } from "../../e2e/cluster.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import { until } from "../../support/socket-until.ts";
import { type ClusterFault, harmTo } from "./cluster-fault.ts";

const ENDS = 8;
const CRASHES = 2;

/**
 * The connection ends that shows that the owner lives, while the owner goes on and another process may
 * have its outlines at once. Then the database kills all connections itself, since one of its own
 * processes has crashed: it goes on as the same server, with all locks free.
 */
export const lostLock: ClusterFault = {
  name: "lost-lock",
  what: "the connection with the owner's lock ends, then a process of the database crashes",
  async run({ cluster, figure }) {
    const processes: ClusterProcess[] = [];
    for (const name of ["one", "two", "three"]) processes.push(await cluster.newProcess(name));
    const writers = new Writers(cluster, processes);
    const lockOf = ({ address }: ClusterProcess): string =>
      `from pg_locks l join outline_store.process p on p.id = l.objid::bigint
        where l.locktype = 'advisory' and l.objsubid = 2
          and l.classid::bigint = ${PROCESS_CLASS} and p.address = '${address}'`;
    try {
      await writers.more(30);
      for (let end = 0; end < ENDS; end += 1) {
        const owner = await cluster.ownerAmong(processes);
        const ended = await cluster.database.run(
          "postgres",
          `select pg_terminate_backend(l.pid) ${lockOf(owner)}`,
        );
        if (ended.length !== 1) return ["the owner has no lock"];
        await writers.more(30);
      }
      figure("longest gap behind a connection that ended, ms", writers.longestGapMs);
      for (let crash = 0; crash < CRASHES; crash += 1) {
        const owner = await cluster.ownerAmong(processes);
        const [row] = await cluster.database.run("postgres", `select l.pid ${lockOf(owner)}`);
        process.kill(Number(row?.["pid"]), "SIGKILL");
        await until(() => cluster.database.isRunning(), "the database", 60_000);
        await writers.more(30);
      }
      await writers.stop();
      return await harmTo(cluster, writers);
    } finally {
      await writers.stop();
      await cluster.killAll();
    }
  },
};

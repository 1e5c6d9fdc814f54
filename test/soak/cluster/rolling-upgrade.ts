import { changeGivingWay } from "../../../src/store/postgres/give-way.ts";
import { DEFAULT_SQL_LIMITS, SqlSession } from "../../../src/store/postgres/sql-session.ts";
import { Writers } from "../../e2e/cluster-writers.ts";
import { type ClusterFault, harmTo } from "./cluster-fault.ts";

const NAMES = ["one", "two", "three"] as const;
const LONGEST_MS = 60_000;
/** As a later version does that earlier ones can live with. */
const ADDED = `
  alter table outline_store.process add column of_the_future integer;
  alter table outline_store.outline add column of_the_future text;
  alter table outline_store.entry add column of_the_future bytea;
  alter table outline_store.account add column of_the_future text;
  alter table outline_store.meta add column of_the_future text;
  update outline_store.meta set format = format + 1`;

/**
 * A later version brings the tables to its own form while processes of this one serve, and these are
 * stopped and started one after the other beside it: the day on which both run.
 */
export const rollingUpgrade: ClusterFault = {
  name: "rolling-upgrade",
  what: "a later version adds to the tables, and three processes are restarted one after the other",
  async run({ cluster, figure }) {
    const sql = (text: string): Promise<unknown> => cluster.database.run("postgres", text);
    const processes = [];
    for (const name of NAMES) processes.push(await cluster.newProcess(name));
    const writers = new Writers(cluster, processes);
    const failures: string[] = [];
    try {
      await writers.more(30);
      await add(cluster.database.urlOf("postgres"));
      await writers.more(30);
      for (const [index, process] of [...processes].entries()) {
        const { code } = await process.stop("SIGTERM");
        if (code !== 0) failures.push(`a process ended with ${code}`);
        processes[index] = await cluster.newProcess(process.name);
        await writers.more(30);
      }
      figure("longest gap of a rolling restart, ms", writers.longestGapMs);
      // From now on earlier versions can't work on the tables: those that serve go on, none comes in.
      await sql("update outline_store.meta set oldest = format");
      const late = await cluster.newProcess("late").then(
        () => "started",
        (error: Error) => error.message,
      );
      if (!late.includes("a later version")) failures.push(`a process that is too old: ${late}`);
      await writers.more(30);
      await writers.stop();
      await sql("update outline_store.meta set oldest = format - 1");
      return [...failures, ...(await harmTo(cluster, writers))];
    } finally {
      await writers.stop();
      await cluster.killAll();
    }
  },
};

/** As the start of a later version does. */
async function add(url: string): Promise<void> {
  const session = await SqlSession.open({ ...DEFAULT_SQL_LIMITS, url, silenceMs: LONGEST_MS });
  await changeGivingWay(session, () => session.query(ADDED), LONGEST_MS);
  await session.close();
}

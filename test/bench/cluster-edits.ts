import { Agent, request } from "node:http";
import { Cluster, type ClusterProcess } from "../e2e/cluster.ts";
import { addUsers } from "../support/postgres/add-users.ts";
import { cpuUsOf } from "./process-time.ts";

/** Small writes to many outlines, by way of one, two and three processes. */
export type EditsFigures = readonly {
  readonly processes: number;
  readonly perSecond: readonly number[];
  /** Of all processes of the service, for a write; without the database's own. */
  readonly cpuUs: readonly number[];
}[];

const ROUNDS = 5;
const USERS = 192;
const EDITS = 30;

/** Each outline has a process to which all of its requests come, as behind a balancer that knows them. */
export async function benchEdits(): Promise<EditsFigures> {
  const figures: EditsFigures[number][] = [];
  for (const count of [1, 2, 3]) {
    const cluster = await Cluster.start();
    try {
      // It makes the first user, whom nobody needs.
      const first = await cluster.newProcess("first");
      await first.stop("SIGTERM");
      const keys = await addUsers(cluster.database.urlOf("postgres"), USERS);
      const processes: ClusterProcess[] = [];
      for (let index = 0; index < count; index += 1) {
        processes.push(await cluster.newProcess(`process ${index}`));
      }
      const rounds: { readonly perSecond: number; readonly cpuUs: number }[] = [];
      for (let round = -1; round < ROUNDS; round += 1) {
        const found = await editAll(processes, keys);
        if (round >= 0) rounds.push(found);
      }
      figures.push({
        processes: count,
        perSecond: rounds.map(({ perSecond }) => perSecond),
        cpuUs: rounds.map(({ cpuUs }) => cpuUs),
      });
    } finally {
      await cluster.stop();
    }
  }
  return figures;
}

async function editAll(
  processes: readonly ClusterProcess[],
  keys: readonly string[],
): Promise<{ readonly perSecond: number; readonly cpuUs: number }> {
  const agent = new Agent({ keepAlive: true });
  const cpu = async (): Promise<number> => {
    const each = await Promise.all(processes.map(({ pid }) => cpuUsOf(pid)));
    return each.reduce((sum, us) => sum + us, 0);
  };
  const before = await cpu();
  const startedAt = performance.now();
  await Promise.all(
    keys.map(async (key, index) => {
      const url = processes[index % processes.length]?.url ?? "";
      for (let edit = 0; edit < EDITS; edit += 1) await write(agent, url, key);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  const count = keys.length * EDITS;
  return { perSecond: count / seconds, cpuUs: ((await cpu()) - before) / count };
}

function write(agent: Agent, url: string, key: string): Promise<void> {
  const body = JSON.stringify({ name: "A line", parent_id: "inbox", position: "bottom" });
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v1/nodes`, { method: "POST", agent, headers }, (answer) => {
      answer.resume().once("end", resolve);
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`));
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

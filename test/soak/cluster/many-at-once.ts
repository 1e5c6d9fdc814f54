import { setTimeout as delay } from "node:timers/promises";
import type { Cluster, ClusterProcess } from "../../e2e/cluster.ts";
import { addUsers } from "../../support/postgres/add-users.ts";
import { quantileOf } from "../../support/returning-devices.ts";
import type { ClusterFault } from "./cluster-fault.ts";

const AT_ONCE = 64;
/** Of one outline, which has nothing in it. */
const MOST_ATTEMPTS = 200;

/** A process ends that owns very many outlines, and everybody comes to another one at once. */
export function manyAtOnce(count: number): ClusterFault {
  return {
    name: "many-at-once",
    what: `a process ends that owns ${count.toLocaleString("en")} outlines, and all are asked for at once`,
    times: 3,
    async run({ cluster, figure }) {
      // The first one makes the first user, whom nobody needs; the others are added to its database.
      const first = await cluster.newProcess("first");
      await first.stop("SIGTERM");
      const keys = await addUsers(cluster.database.urlOf("postgres"), count);
      const owner = await cluster.newProcess("owner");
      await forAll(keys, async (key) => {
        await served(cluster, owner, key);
      });
      const other = await cluster.newProcess("other");
      if ((await ownedOutlines(cluster)) < count) return ["the owner did not get all"];
      const before = await bystander(cluster, other, () => delay(2000));
      await owner.stop("SIGKILL");
      const startedAt = performance.now();
      let served503 = 0;
      const during = await bystander(cluster, other, () =>
        forAll(keys, async (key) => {
          served503 += await served(cluster, other, key);
        }),
      );
      figure("time until all were served again, ms", Math.round(performance.now() - startedAt));
      figure("answers that said to come again", served503);
      figure("a bystander's p99 before, ms", before);
      figure("a bystander's p99 meanwhile, ms", during);
      return [];
    },
  };
}

async function forAll(
  keys: readonly string[],
  work: (key: string) => Promise<void>,
): Promise<void> {
  let next = 0;
  const workThrough = async (): Promise<void> => {
    for (let key = keys[next++]; key !== undefined; key = keys[next++]) await work(key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workThrough));
}

/** Asks until there is an answer. @returns how often there was none */
async function served(cluster: Cluster, process: ClusterProcess, key: string): Promise<number> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const asked = cluster.ask(process, "nodes", { key });
    const { status } = await asked.catch(() => ({ status: 0 }));
    if (status === 200) return attempt;
    await delay(50);
  }
  throw new Error("an outline is served by nobody");
}

async function ownedOutlines({ database }: Cluster): Promise<number> {
  const [row] = await database.run(
    "postgres",
    `select count(*)::int as count from outline_store.outline o
      join outline_store.process p on p.id = o.owner`,
  );
  return Number(row?.["count"]);
}

/** Writes to an outline that the process has, until the work is done. @returns the p99 in ms */
async function bystander(
  cluster: Cluster,
  process: ClusterProcess,
  work: () => Promise<void>,
): Promise<number> {
  const times: number[] = [];
  const over = new AbortController();
  const writing = (async () => {
    while (!over.signal.aborted) {
      const startedAt = performance.now();
      if (await cluster.add(process, "a line")) times.push(performance.now() - startedAt);
      await delay(5);
    }
  })();
  try {
    await work();
  } finally {
    over.abort();
    await writing;
  }
  times.sort((one, other) => one - other);
  return Math.round(quantileOf(times, 0.99));
}

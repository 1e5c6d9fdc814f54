import type { Cluster, ClusterProcess } from "../../e2e/cluster.ts";
import { until } from "../../support/socket-until.ts";
import { changed } from "./changed.ts";
import type { ClusterFault } from "./cluster-fault.ts";

/** Heartbeats within which a process has asked. */
const ENOUGH = 6;

/** What the database tells by itself does not arrive: then each process asks. */
export const deafProcess: ClusterFault = {
  name: "deaf",
  what: "what the database tells the processes does not arrive",
  controls: { "asks-nothing": "processes wait to be told" },
  async run({ cluster, control, figure }) {
    const how = changed("deaf", ...(control === undefined ? [] : [control]));
    const one = await cluster.newProcess("one", how);
    try {
      await until(() => cluster.add(one, "a line"), "an owner", 60_000);
      const made = await cluster.ask(one, "keys", { body: { name: "borrowed" } });
      const { id, key } = JSON.parse(made.text) as { readonly id: string; readonly key: string };
      // Later: it would have to hear of the new key, too.
      const two = await cluster.newProcess("two", how);
      const isKnown = async (): Promise<boolean> =>
        (await cluster.ask(two, "nodes?parent_id=inbox", { key })).status === 200;
      await until(isKnown, "a key that opens", 60_000);
      const startedAt = performance.now();
      let isAnswered = false;
      const revoked = cluster.ask(one, `keys/${id}`, { method: "DELETE" }).then(
        () => (isAnswered = true),
        () => undefined,
      );
      const beats = await beatsOf(cluster, two, () => isAnswered);
      if (!isAnswered && (await isKnown())) {
        return [`a revoked key opens after ${beats} heartbeats`];
      }
      await revoked;
      figure("revocation heard by asking, ms", Math.round(performance.now() - startedAt));
      return (await isKnown()) ? ["a key opens that was answered to be revoked"] : [];
    } finally {
      await cluster.killAll();
    }
  },
};

/** Waits for some heartbeats of a process, or for something else. @returns how many came */
async function beatsOf(
  { database }: Cluster,
  { address }: ClusterProcess,
  isOver: () => boolean,
): Promise<number> {
  const seen = new Set<string>();
  while (!isOver() && seen.size < ENOUGH) {
    const [row] = await database.run(
      "postgres",
      `select seen_at::text from outline_store.process where address = '${address}'`,
    );
    seen.add(String(row?.["seen_at"]));
  }
  return seen.size;
}

import { compactUpdates } from "../store/compact-updates.ts";
import { isWorthCompacting } from "../store/compaction.ts";
import { planCompaction } from "../store/replica-meta.ts";
import type { ReplicaMeta } from "../store/replica-meta.ts";
import { StoreError } from "../store/replica-store.ts";
import { META_KEY } from "./open-database.ts";
import { ReplicaDatabase } from "./replica-database.ts";
import { storedUpdates } from "./stored-updates.ts";

/**
 * Compacts the replica in a database, over a connection of its own: for a worker, since it takes
 * seconds. What it has read is exchanged in one transaction at the end, and only when it is all
 * there still; so others may write meanwhile, and it may be stopped at any moment.
 *
 * @throws StoreError
 */
export async function compactDatabase(factory: IDBFactory, name: string): Promise<void> {
  const database = await ReplicaDatabase.open(factory, name, { create: false });
  try {
    await compact(database);
  } finally {
    database.close();
  }
}

async function compact(database: ReplicaDatabase): Promise<void> {
  const now = await database.transact([], "readonly", async ({ meta }) => meta);
  if (!isWorthCompacting(now)) return;
  const { meta, chunks } = await compactedReplica(database, now.generation);
  await database.transact(["state", "tail"], "readwrite", async (transaction) => {
    const planned = planCompaction(transaction.meta, { meta, chunks });
    if (planned === undefined) return;
    const state = transaction.part("state");
    state.clear();
    for (const [index, chunk] of chunks.entries()) state.put(chunk, index + 1);
    transaction.part("tail").delete(IDBKeyRange.upperBound(meta.lastNumber));
    transaction.part("meta").put({ ...transaction.meta, ...planned }, META_KEY);
  });
}

async function compactedReplica(
  database: ReplicaDatabase,
  generation: number,
): Promise<{ meta: ReplicaMeta; chunks: readonly Uint8Array[] }> {
  let meta: ReplicaMeta | undefined;
  async function* updates() {
    meta = yield* storedUpdates(database, generation);
  }
  try {
    const chunks = await compactUpdates(updates(), async () => undefined);
    if (meta === undefined) throw new Error("the updates were not read to their end");
    return { meta, chunks };
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    throw new StoreError("failed", "what is stored is no replica", { cause });
  }
}

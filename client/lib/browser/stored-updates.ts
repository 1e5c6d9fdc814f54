import { type OwnUpdate, StoreError } from "../store/replica-store.ts";
import { resultOf } from "./indexeddb-transaction.ts";
import type { DatabaseMeta } from "./open-database.ts";
import type { ReplicaDatabase } from "./replica-database.ts";

const SLICE_BYTES = 1024 * 1024;
const FIRST_COUNT = 16;
const MOST_COUNT = 2048;

interface Slice {
  readonly meta: DatabaseMeta;
  readonly part: "state" | "tail";
  readonly stored: readonly OwnUpdate[];
}

/**
 * All updates of a replica in their order, in slices of about a megabyte, each in a transaction of
 * its own. When the replica is compacted meanwhile it begins again: applying updates twice is
 * harmless, and missing one is not.
 *
 * @param generation of the replica that is meant
 * @returns how the store was at the end
 * @throws StoreError, `replaced` when another replica has taken the place of this one meanwhile
 */
export async function* storedUpdates(
  database: ReplicaDatabase,
  generation: number,
): AsyncGenerator<Uint8Array, DatabaseMeta> {
  let count = FIRST_COUNT;
  let slice = await readSlice(database, "state", 0, count);
  for (;;) {
    const { meta, part, stored } = slice;
    if (meta.generation !== generation) {
      throw new StoreError("replaced", "another replica is in the place of this one");
    }
    const last = stored.at(-1)?.number;
    const updates = stored.map(({ update }) => update);
    if (last === undefined && part === "tail") return meta;
    count = nextCount(count, updates);
    // What comes next is fetched while the reader works.
    const next =
      last === undefined
        ? readSlice(database, "tail", 0, count)
        : readSlice(database, part, last, count);
    next.catch(() => undefined);
    yield* updates;
    slice = await next;
    if (slice.meta.stateUpTo !== meta.stateUpTo) {
      slice = await readSlice(database, "state", 0, count);
    }
  }
}

/** What a part holds beyond a number: all of it, or the first `count`. */
export async function updatesBeyond(
  part: IDBObjectStore,
  number: number,
  count?: number,
): Promise<readonly OwnUpdate[]> {
  const range = IDBKeyRange.lowerBound(number, true);
  const [keys, updates] = await Promise.all([
    resultOf(part.getAllKeys(range, count)),
    resultOf(part.getAll(range, count)),
  ]);
  // Only numbers and bytes were ever put there.
  return updates.map((update: Uint8Array, index) => ({ number: Number(keys[index]), update }));
}

function readSlice(
  database: ReplicaDatabase,
  part: "state" | "tail",
  after: number,
  count: number,
): Promise<Slice> {
  return database.transact([part], "readonly", async (transaction) => ({
    meta: transaction.meta,
    part,
    stored: await updatesBeyond(transaction.part(part), after, count),
  }));
}

function nextCount(count: number, updates: readonly Uint8Array[]): number {
  const bytes = updates.reduce((sum, update) => sum + update.byteLength, 0);
  if (bytes > SLICE_BYTES) return Math.max(1, Math.floor(count / 2));
  return bytes < SLICE_BYTES / 2 ? Math.min(MOST_COUNT, count * 2) : count;
}

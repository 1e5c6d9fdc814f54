import { compactUpdates } from "../store/compact-updates.ts";
import { isWorthCompacting } from "../store/compaction.ts";
import { recordOf, textOfRecord } from "../store/record-text.ts";
import type { PlannedWrite, ReplicaMeta } from "../store/replica-meta.ts";
import {
  emptyMeta,
  headOf,
  planCompaction,
  planReplacement,
  planWrite,
} from "../store/replica-meta.ts";
import type {
  OwnUpdate,
  ReplicaBatch,
  ReplicaNews,
  ReplicaReplacement,
  ReplicaStore,
  StoredReplica,
} from "../store/replica-store.ts";
import { StoreError } from "../store/replica-store.ts";
import { WriteQueue } from "../store/write-queue.ts";
import type { Database, KeyRange, OpenDatabase, Operation } from "./level-database.ts";
import { destroyLevelDatabase, openLevelDatabase } from "./level-database.ts";
import { levelFailure } from "./level-failure.ts";
import { ReplicaFolder } from "./replica-folder.ts";
import {
  decodeMeta,
  decodeText,
  encodeMeta,
  encodeText,
  META_KEY,
  numberedKey,
  numberOf,
  OUTBOX,
  recordKey,
  type ReplicaPart,
  UPDATES,
} from "./replica-records.ts";

/** How long compacting keeps the program from other things at a time. */
const SLICE_MS = 8;

interface StoredUpdate {
  readonly key: string;
  readonly update: Uint8Array;
}

/** A replica in a folder of the disk, in LevelDB. One process has it at a time, with one handle. */
export class LevelReplicaStore implements ReplicaStore {
  readonly #path: string;
  readonly #folder: ReplicaFolder;
  readonly #writes = new WriteQueue();
  #compacting: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(path: string, open: OpenDatabase) {
    this.#path = path;
    this.#folder = new ReplicaFolder(path, open);
  }

  /**
   * Makes the folder when there is none.
   *
   * @throws StoreError `busy` when it is open already, here or in another process; `refused`, `full`,
   *   `newer`, `failed`
   */
  static async open(folder: string, open = openLevelDatabase): Promise<LevelReplicaStore> {
    const store = new LevelReplicaStore(folder, open);
    try {
      await store.#folder.create();
      await store.#folder.run(readMeta);
      return store;
    } catch (error) {
      await store.#folder.close();
      throw error;
    }
  }

  async read(): Promise<StoredReplica> {
    this.#requireOpen();
    return this.#folder.run(async (database) => {
      const meta = await readMeta(database);
      const outbox: OwnUpdate[] = [];
      for await (const { key, update } of entries(database, OUTBOX)) {
        outbox.push({ number: numberOf(key), update });
      }
      return { ...headOf(meta), outbox, updates: this.#updates(database) };
    });
  }

  async write(batch: ReplicaBatch): Promise<readonly number[]> {
    const settled = (batch.settled ?? []).map((number) => ({ key: numberedKey("outbox", number) }));
    return this.#write(
      (meta) => planWrite(meta, batch),
      async () => settled,
    );
  }

  /** No updates: there are no other handles. */
  async readNew(): Promise<ReplicaNews> {
    return { ...(await this.read()), updates: [] };
  }

  async compact(): Promise<void> {
    this.#requireOpen();
    const compacting = this.#compacting.catch(() => undefined).then(() => this.#compact());
    this.#compacting = compacting;
    return compacting;
  }

  async replace(replacement: ReplicaReplacement): Promise<readonly number[]> {
    return this.#write((meta) => planReplacement(meta, replacement), deletionOfReplica);
  }

  /** Nobody deletes folders but people, who may want to see it. */
  async beginAnew(): Promise<void> {
    this.#requireOpen();
    throw new StoreError("lost", "a folder is not made anew");
  }

  async readRecord(name: string): Promise<unknown> {
    this.#requireOpen();
    const bytes = await this.#folder.run((database) => database.get(recordKey(name)));
    return recordOf(bytes && decodeText(bytes));
  }

  async writeRecord(name: string, value: unknown): Promise<void> {
    this.#requireOpen();
    const text = textOfRecord(name, value);
    const key = recordKey(name);
    await this.#folder.write([text === undefined ? { key } : { key, value: encodeText(text) }]);
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    return this.#folder.failure.onFailure(listener);
  }

  async destroy(): Promise<void> {
    this.#requireOpen();
    await this.close();
    try {
      await destroyLevelDatabase(this.#path);
    } catch (error) {
      throw levelFailure(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writes.idle();
    await this.#folder.close();
    await this.#compacting.catch(() => undefined);
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    this.#folder.failure.check();
  }

  /** @param deletions what the write deletes, before it puts anything */
  async #write(
    plan: (meta: ReplicaMeta) => PlannedWrite,
    deletions: (database: Database) => Promise<readonly Operation[]>,
  ): Promise<readonly number[]> {
    this.#requireOpen();
    return this.#writes.run(async () => {
      const { planned, deleted } = await this.#folder.run(async (database) => ({
        planned: plan(await readMeta(database)),
        deleted: await deletions(database),
      }));
      const { meta, added, own } = planned;
      await this.#folder.write([
        ...deleted,
        ...added.map(({ number, update }) => put("tail", number, update)),
        ...own.map(({ number, update }) => put("outbox", number, update)),
        { key: META_KEY, value: encodeMeta(meta) },
      ]);
      return own.map(({ number }) => number);
    });
  }

  async #compact(): Promise<void> {
    const compaction = await this.#folder.run(async (database) => {
      const meta = await readMeta(database);
      if (!isWorthCompacting(meta)) return undefined;
      const keys: string[] = [];
      const chunks = await this.#compacted(replicaUpTo(database, meta, keys));
      return { meta, chunks, keys };
    });
    if (compaction === undefined) return;
    const { meta, chunks, keys } = compaction;
    await this.#writes.run(async () => {
      const planned = await this.#folder.run(async (database) =>
        planCompaction(await readMeta(database), { meta, chunks }),
      );
      if (planned === undefined) return;
      await this.#folder.write([
        ...keys.map((key) => ({ key })),
        ...chunks.map((chunk, index) => put("state", index, chunk)),
        { key: META_KEY, value: encodeMeta(planned) },
      ]);
    });
  }

  async #compacted(updates: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
    const pause = slices();
    try {
      return await compactUpdates(updates, async () => {
        await pause();
        this.#requireOpen();
      });
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw new StoreError("failed", "what is stored is no replica", { cause });
    }
  }

  async *#updates(database: Database): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const { update } of entries(database, UPDATES)) yield update;
    } catch (error) {
      throw levelFailure(error);
    }
  }
}

async function readMeta(database: Database): Promise<ReplicaMeta> {
  const bytes = await database.get(META_KEY);
  return bytes === undefined ? emptyMeta() : decodeMeta(bytes);
}

/** What is stored up to the moment of `meta`. Their keys are added to `keys`. */
async function* replicaUpTo(
  database: Database,
  { lastNumber }: ReplicaMeta,
  keys: string[],
): AsyncGenerator<Uint8Array, void> {
  for await (const { key, update } of entries(database, UPDATES)) {
    if (key > numberedKey("tail", lastNumber)) return;
    keys.push(key);
    yield update;
  }
}

async function deletionOfReplica(database: Database): Promise<readonly Operation[]> {
  const deleted: Operation[] = [];
  for (const range of [UPDATES, OUTBOX]) {
    for await (const { key } of entries(database, range)) deleted.push({ key });
  }
  return deleted;
}

async function* entries(database: Database, range: KeyRange): AsyncGenerator<StoredUpdate, void> {
  for await (const page of database.pages(range)) {
    for (const [key, update] of page) yield { key, update };
  }
}

function put(part: ReplicaPart, number: number, value: Uint8Array): Operation {
  return { key: numberedKey(part, number), value };
}

/** A pause of one turn of the event loop after every few milliseconds of work. */
function slices(): () => Promise<void> {
  let end = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < end) return;
    await new Promise((resolve) => setImmediate(resolve));
    end = performance.now() + SLICE_MS;
  };
}

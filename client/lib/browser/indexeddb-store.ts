import { isWorthCompacting } from "../store/compaction.ts";
import { ReadMark } from "../store/read-mark.ts";
import { recordOf, textOfRecord } from "../store/record-text.ts";
import type { PlannedWrite } from "../store/replica-meta.ts";
import { headOf, planBeginning, planReplacement, planWrite } from "../store/replica-meta.ts";
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
import type { Compactor } from "./compact-in-worker.ts";
import { compactInWorker } from "./compact-in-worker.ts";
import { resultOf } from "./indexeddb-transaction.ts";
import type { DatabaseMeta } from "./open-database.ts";
import { META_KEY } from "./open-database.ts";
import type { Transaction } from "./replica-database.ts";
import { ReplicaDatabase } from "./replica-database.ts";
import { storedUpdates, updatesBeyond } from "./stored-updates.ts";

export interface IndexedDbStoreOptions {
  /** Instead of the browser's. */
  readonly factory?: IDBFactory | undefined;
  /** Instead of a worker. */
  readonly compactor?: Compactor;
}

/** A replica in IndexedDB. Every tab that opens the same name has a handle of the same replica. */
export class IndexedDbStore implements ReplicaStore {
  readonly #name: string;
  readonly #database: ReplicaDatabase;
  readonly #compactor: Compactor;
  readonly #writes = new WriteQueue();
  readonly #mark = new ReadMark();
  readonly #closing = new AbortController();
  /** Of the replica that this handle knows. */
  #generation: number;
  #compacting: Promise<void> | undefined;

  private constructor(
    name: string,
    database: ReplicaDatabase,
    generation: number,
    compactor: Compactor,
  ) {
    this.#name = name;
    this.#database = database;
    this.#generation = generation;
    this.#compactor = compactor;
  }

  /**
   * @throws StoreError `refused` where the browser keeps nothing; `newer` when a newer version of the
   *   program has the database, `busy` when an older one does not let it go; `full`, `failed`
   */
  static async open(name: string, options: IndexedDbStoreOptions = {}): Promise<IndexedDbStore> {
    const { factory = browserFactory(), compactor = compactInWorker } = options;
    if (factory === undefined) throw new StoreError("refused", "this browser stores nothing");
    const database = await ReplicaDatabase.open(factory, name, { create: true });
    const meta = await database.transact([], "readonly", async (transaction) => transaction.meta);
    return new IndexedDbStore(name, database, meta.generation, compactor);
  }

  async read(): Promise<StoredReplica> {
    await this.#database.takeAnew(false);
    this.#requireOpen();
    const { meta, outbox } = await this.#database.transact(
      ["outbox"],
      "readonly",
      async (transaction) => ({
        meta: transaction.meta,
        outbox: await outboxIn(transaction),
      }),
    );
    this.#generation = meta.generation;
    return { ...headOf(meta), outbox, updates: this.#updates(meta.generation) };
  }

  async write(batch: ReplicaBatch): Promise<readonly number[]> {
    return this.#write(["tail", "outbox"], async (transaction) => {
      for (const number of batch.settled ?? []) transaction.part("outbox").delete(number);
      return planWrite(transaction.meta, batch);
    });
  }

  async readNew(): Promise<ReplicaNews> {
    this.#requireOpen();
    const { upTo } = this.#mark;
    const { meta, missed, tail, outbox } = await this.#database.transact(
      ["state", "tail", "outbox"],
      "readonly",
      async (transaction) => {
        const { meta: now, part } = transaction;
        this.#requireKnown(now);
        const hasMissed = now.stateUpTo > upTo;
        return {
          meta: now,
          outbox: await outboxIn(transaction),
          // Only bytes were ever put there.
          missed: hasMissed ? ((await resultOf(part("state").getAll())) as Uint8Array[]) : [],
          tail: await updatesBeyond(part("tail"), upTo),
        };
      },
    );
    const added = tail.filter(({ number }) => this.#mark.isNew(number));
    this.#mark.read(meta.lastNumber);
    return { ...headOf(meta), outbox, updates: [...missed, ...added.map(({ update }) => update)] };
  }

  async compact(): Promise<void> {
    this.#requireOpen();
    this.#compacting ??= this.#compact().finally(() => (this.#compacting = undefined));
    return this.#compacting;
  }

  async replace(replacement: ReplicaReplacement): Promise<readonly number[]> {
    return this.#write(["state", "tail", "outbox"], async ({ meta, part }) => {
      for (const each of ["state", "tail", "outbox"] as const) part(each).clear();
      return planReplacement(meta, replacement);
    });
  }

  async beginAnew(): Promise<void> {
    await this.#database.takeAnew(true);
    this.#generation = await this.#database.transact([], "readwrite", async ({ meta, part }) => {
      const lost = { generation: this.#generation, lastNumber: this.#mark.upTo };
      const planned = planBeginning(meta, lost);
      part("meta").put({ ...planned, id: meta.id }, META_KEY);
      return planned.generation;
    });
  }

  async readRecord(name: string): Promise<unknown> {
    this.#requireOpen();
    const text = await this.#database.transact(["records"], "readonly", ({ part }) =>
      resultOf<unknown>(part("records").get(name)),
    );
    return recordOf(text);
  }

  async writeRecord(name: string, value: unknown): Promise<void> {
    this.#requireOpen();
    const text = textOfRecord(name, value);
    await this.#database.transact(["records"], "readwrite", async ({ part }) => {
      if (text === undefined) part("records").delete(name);
      else part("records").put(text, name);
    });
  }

  onFailure(listener: (error: StoreError) => void): () => void {
    return this.#database.failure.onFailure(listener);
  }

  async destroy(): Promise<void> {
    this.#requireOpen();
    await this.#end();
    await this.#database.destroy();
  }

  async close(): Promise<void> {
    await this.#end();
    this.#database.close();
  }

  /** Nothing new is begun, and what was begun ends. */
  async #end(): Promise<void> {
    this.#closing.abort();
    await this.#writes.idle();
    await this.#compacting?.catch(() => undefined);
  }

  #requireOpen(): void {
    if (this.#closing.signal.aborted) throw new StoreError("failed", "the store is closed");
    this.#database.failure.check();
  }

  #requireKnown({ generation }: DatabaseMeta): void {
    if (generation === this.#generation) return;
    throw new StoreError("replaced", "another replica is in the place of this one");
  }

  async #write(
    parts: readonly ("state" | "tail" | "outbox")[],
    plan: (transaction: Transaction) => Promise<PlannedWrite>,
  ): Promise<readonly number[]> {
    this.#requireOpen();
    return this.#writes.run(async () => {
      const { meta, added, own } = await this.#database.transact(
        parts,
        "readwrite",
        async (transaction) => {
          this.#requireKnown(transaction.meta);
          const planned = await plan(transaction);
          put(transaction, planned);
          return planned;
        },
      );
      if (meta.generation !== this.#generation) {
        this.#generation = meta.generation;
        this.#mark.read(meta.lastNumber);
      }
      for (const { number } of added) this.#mark.wrote(number);
      return own.map(({ number }) => number);
    });
  }

  async #compact(): Promise<void> {
    const isWorthIt = await this.#database.transact([], "readonly", async ({ meta }) => {
      this.#requireKnown(meta);
      return isWorthCompacting(meta);
    });
    if (isWorthIt) await this.#compactor(this.#name, this.#closing.signal);
  }

  async *#updates(generation: number): AsyncGenerator<Uint8Array, void> {
    const meta = yield* storedUpdates(this.#database, generation);
    if (generation === this.#generation) this.#mark.read(meta.lastNumber);
  }
}

function put({ meta: { id }, part }: Transaction, { meta, added, own }: PlannedWrite): void {
  for (const { number, update } of added) part("tail").put(alone(update), number);
  for (const { number, update } of own) part("outbox").put(alone(update), number);
  part("meta").put({ ...meta, id }, META_KEY);
}

/** A view of a larger buffer would be stored with all of that buffer. */
function alone(update: Uint8Array): Uint8Array {
  return update.byteLength === update.buffer.byteLength ? update : update.slice();
}

async function outboxIn({ part }: Transaction): Promise<readonly OwnUpdate[]> {
  return updatesBeyond(part("outbox"), 0);
}

/** Where storage is switched off, some browsers throw and some have nothing there. */
function browserFactory(): IDBFactory | undefined {
  try {
    return globalThis.indexedDB;
  } catch {
    return undefined;
  }
}

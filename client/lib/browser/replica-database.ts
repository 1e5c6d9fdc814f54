import { LastingFailure } from "../store/lasting-failure.ts";
import { StoreError } from "../store/replica-store.ts";
import { indexedDbFailure } from "./indexeddb-failure.ts";
import { resultOf, runTransaction } from "./indexeddb-transaction.ts";
import type { DatabaseMeta, StorePart } from "./open-database.ts";
import { META_KEY, openDatabase } from "./open-database.ts";

/** How long to wait behind each attempt to open the database that was broken off. */
const OPEN_AGAIN_MS = [20, 100, 500, 2000, 10_000];

/**
 * How long to wait behind each look at a database that the browser has closed, or that has failed: while
 * it clears what it has stored it may answer none of them, and what is lost is said to be on this device
 * until one is.
 */
const LOOK_AGAIN_MS = [500, 1000, 2000, 5000, 10_000, 30_000, 60_000];

/** What a task of a transaction works with. */
export interface Transaction {
  readonly meta: DatabaseMeta;
  readonly part: (part: StorePart) => IDBObjectStore;
}

/**
 * A store's database, and the way back to it when the browser has closed it. A database that is gone, or
 * another of the same name, is a store that was lost, until `takeAnew`.
 */
export class ReplicaDatabase {
  readonly failure = new LastingFailure();
  readonly #factory: IDBFactory;
  readonly #name: string;
  #opened: Promise<IDBDatabase> | undefined;
  /** Of the database that was opened first. */
  #id: string | undefined;
  #isClosed = false;
  #isLooking = false;

  private constructor(factory: IDBFactory, name: string) {
    this.#factory = factory;
    this.#name = name;
  }

  /** @throws StoreError */
  static async open(
    factory: IDBFactory,
    name: string,
    options: { readonly create: boolean },
  ): Promise<ReplicaDatabase> {
    const database = new ReplicaDatabase(factory, name);
    try {
      database.#opened = database.#open(options.create);
      await database.transact([], "readonly", async () => undefined);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /**
   * Runs a task on some parts in one transaction: all or nothing, on the disk when it resolves.
   *
   * @throws StoreError, whatever went wrong
   */
  async transact<T>(
    parts: readonly StorePart[],
    mode: "readonly" | "readwrite",
    task: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    this.failure.check();
    try {
      const transaction = await this.#begin(["meta", ...parts], mode);
      return await runTransaction(transaction, async () => {
        const meta = await this.#readMeta(transaction);
        return task({ meta, part: (part) => transaction.objectStore(part) });
      });
    } catch (cause) {
      const error = indexedDbFailure(cause);
      if (error.code === "lost" || error.code === "newer") this.#fail(error);
      else if (error.code !== "full" && error.code !== "replaced") {
        // A connection that fails is not used again: some only work once they were opened anew. Dropped,
        // it hears of nothing any more, and nobody else may ask for the database.
        this.#drop();
        void this.#look();
      }
      throw error;
    }
  }

  /**
   * Takes the database that has the name now, after one was lost.
   *
   * @param create whether it is made when there is none
   * @throws StoreError
   */
  async takeAnew(create: boolean): Promise<void> {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    const { failure } = this;
    if (failure.code !== "lost") return failure.check();
    try {
      const database = await this.#open(create);
      if (this.#isClosed) return database.close();
      this.#id = undefined;
      this.#opened = Promise.resolve(database);
      failure.end();
    } catch (cause) {
      throw indexedDbFailure(cause);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  /** Deletes the database. @throws StoreError */
  async destroy(): Promise<void> {
    // First, because as long as another tab does not close, the deletion has to wait.
    const all = ["state", "tail", "outbox", "records"] as const;
    const emptied = this.transact(all, "readwrite", async ({ part }) => {
      for (const each of [...all, "meta"] as const) part(each).clear();
    });
    const failure = await emptied.then(
      () => undefined,
      (error: unknown) => error,
    );
    this.close();
    const isDeleted = await deleteDatabase(this.#factory, this.#name);
    if (!isDeleted && failure !== undefined) throw failure;
  }

  async #begin(
    stores: readonly StorePart[],
    mode: "readonly" | "readwrite",
  ): Promise<IDBTransaction> {
    const options = { durability: "strict" } as const;
    this.#opened ??= this.#open(false);
    const database = await this.#opened;
    try {
      return database.transaction([...stores], mode, options);
    } catch {
      // Closed behind our back, and nothing has begun: so it may be tried again at once.
      this.#drop();
      this.#opened = this.#open(false);
      return (await this.#opened).transaction([...stores], mode, options);
    }
  }

  async #open(create: boolean): Promise<IDBDatabase> {
    const database = await this.#openWhenPossible(create);
    database.addEventListener("versionchange", ({ newVersion }) => {
      // Who deletes or upgrades waits until everybody has closed.
      database.close();
      this.#fail(
        newVersion === null
          ? new StoreError("lost", "the database was deleted")
          : new StoreError("newer", "a newer version of the program has taken the database"),
      );
    });
    database.addEventListener("close", () => {
      if (this.#isClosed) return;
      this.#opened = undefined;
      void this.#look();
    });
    return database;
  }

  /** The browser does not say why. Whether the database is gone shows when it is opened. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (const waitMs of LOOK_AGAIN_MS) {
      if (this.#isClosed) break;
      const isKnown = await this.transact([], "readonly", async () => undefined).then(
        () => true,
        ({ code }: StoreError) => code === "lost" || code === "newer",
      );
      if (isKnown) break;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
    this.#isLooking = false;
  }

  /** While the browser clears what it has stored, it breaks off each attempt. */
  async #openWhenPossible(create: boolean): Promise<IDBDatabase> {
    for (const waitMs of OPEN_AGAIN_MS) {
      try {
        return await openDatabase(this.#factory, this.#name, { create });
      } catch (error) {
        if (this.#isClosed || !isBrokenOff(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
    return openDatabase(this.#factory, this.#name, { create });
  }

  async #readMeta(transaction: IDBTransaction): Promise<DatabaseMeta> {
    // Written by this program, in this layout.
    const meta = (await resultOf(transaction.objectStore("meta").get(META_KEY))) as
      | DatabaseMeta
      | undefined;
    this.#id ??= meta?.id;
    if (meta === undefined || meta.id !== this.#id) {
      throw new StoreError("lost", "the database was deleted");
    }
    return meta;
  }

  #fail(error: StoreError): void {
    this.#drop();
    if (!this.#isClosed) this.failure.set(error);
  }

  #drop(): void {
    const opened = this.#opened;
    this.#opened = undefined;
    opened?.then(
      (database) => database.close(),
      () => undefined,
    );
  }
}

/** True when it is deleted, or will be as soon as the other tabs have closed it. */
function deleteDatabase(factory: IDBFactory, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = factory.deleteDatabase(name);
    request.addEventListener("success", () => resolve(true));
    request.addEventListener("blocked", () => resolve(true));
    request.addEventListener("error", () => resolve(false));
  });
}

function isBrokenOff(error: unknown): boolean {
  const { cause } = error instanceof StoreError ? error : { cause: error };
  return cause instanceof Error && cause.name === "AbortError";
}

import { access } from "node:fs/promises";
import { join } from "node:path";

import { LastingFailure } from "../store/lasting-failure.ts";
import { StoreError } from "../store/replica-store.ts";
import type { Database, OpenDatabase, Operation } from "./level-database.ts";
import { levelFailure } from "./level-failure.ts";

/**
 * The database in its folder, and the way back to it after a failure: what a failed write has left in
 * memory can't be trusted, so the database is closed, and what is read back from the disk counts.
 */
export class ReplicaFolder {
  readonly failure = new LastingFailure();
  readonly #folder: string;
  readonly #open: OpenDatabase;
  #opened: Promise<Database> | undefined;
  /** Of a database that has failed: two can't be open at once. */
  #closing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(folder: string, open: OpenDatabase) {
    this.#folder = folder;
    this.#open = open;
  }

  /** The first time: makes the folder when there is none. */
  async create(): Promise<void> {
    this.#opened = this.#open(this.#folder, { create: true });
    await this.run(async () => undefined);
  }

  /** Resolves when everything is on the disk. @throws StoreError */
  async write(operations: readonly Operation[]): Promise<void> {
    await this.run(async (database) => {
      await database.write(operations);
      // The system lets a program write to files that were deleted while it had them open.
      await access(join(this.#folder, "CURRENT")).catch((cause: unknown) => {
        throw new StoreError("lost", `the store in ${this.#folder} was deleted`, { cause });
      });
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = this.#opened;
    this.#opened = undefined;
    await closeQuietly(opened);
    await this.#closing;
  }

  /** @throws StoreError, whatever went wrong */
  async run<T>(task: (database: Database) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new StoreError("failed", "the store is closed");
    this.failure.check();
    this.#opened ??= this.#closing.then(() => this.#open(this.#folder, { create: false }));
    const opened = this.#opened;
    try {
      return await task(await opened);
    } catch (cause) {
      const error = levelFailure(cause);
      // What the task itself refuses says nothing against the database.
      if (!(cause instanceof StoreError) && this.#opened === opened) {
        this.#opened = undefined;
        this.#closing = closeQuietly(opened);
      }
      if (error.code === "lost" || error.code === "newer") this.failure.set(error);
      throw error;
    }
  }
}

/** What is lost by a database that can't even be closed is lost already. */
async function closeQuietly(opened: Promise<Database> | undefined): Promise<void> {
  try {
    await (await opened)?.close();
  } catch {}
}

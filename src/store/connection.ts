import type { StoreError } from "../documents/log/outline-log.ts";
import { storeClosed, storeUnavailable } from "./store-failure.ts";

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;

/** What is open, and can be given up. */
interface Closable {
  close(): Promise<void>;
}

export interface ConnectionOptions<D extends Closable> {
  /** Opens the database again and makes it ready to serve. */
  readonly reopen: () => Promise<D>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onFailure: (error: StoreError) => void;
}

type State<D> =
  | { readonly kind: "open"; readonly database: D }
  /** Given up after a failed write. Opened again for whoever asks once `backoffMs` have passed. */
  | {
      readonly kind: "down";
      readonly database: D;
      readonly cause: unknown;
      readonly failedAt: number;
      readonly backoffMs: number;
    }
  | { readonly kind: "opening"; readonly attempt: Promise<D> }
  | { readonly kind: "closed" };

/**
 * The open database, and the way back to one after a failure. What a failed write has left in
 * memory and in the page cache can't be trusted, and a second fsync may claim success for what never
 * reached the disk: so the database is closed, and what is read back from its files is what counts.
 */
export class Connection<D extends Closable> {
  readonly #options: ConnectionOptions<D>;
  #state: State<D>;

  constructor(database: D, options: ConnectionOptions<D>) {
    this.#options = options;
    this.#state = { kind: "open", database };
  }

  /**
   * The database, opened again when it had failed; one attempt at a time, for all who ask.
   * @throws StoreError `store_unavailable`, `store_closed`
   */
  async database(): Promise<D> {
    const state = this.#state;
    switch (state.kind) {
      case "open":
        return state.database;
      case "opening":
        return state.attempt;
      case "closed":
        throw storeClosed();
      case "down":
        // A clock that was set back must not prolong the wait.
        if (Math.abs(this.#options.now() - state.failedAt) < state.backoffMs) {
          throw storeUnavailable(state.cause);
        }
        return this.#reopen(state);
    }
  }

  /** Gives up a database that failed to write. */
  fail(database: D, cause: unknown): StoreError {
    const error = storeUnavailable(cause);
    if (this.#state.kind === "open" && this.#state.database === database) {
      const failedAt = this.#options.now();
      this.#state = { kind: "down", database, cause, failedAt, backoffMs: 0 };
      this.#options.onFailure(error);
    }
    return error;
  }

  /** For good. True when it works, and what is to be done last in it has been done. */
  async close(last: (database: D) => Promise<void>): Promise<boolean> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    switch (state.kind) {
      case "open": {
        const isDone = await last(state.database).then(
          () => true,
          () => false,
        );
        await state.database.close();
        return isDone;
      }
      case "down":
        await state.database.close();
        return false;
      case "opening":
        await (await state.attempt.catch(() => undefined))?.close();
        return false;
      case "closed":
        return false;
    }
  }

  #reopen(down: Extract<State<D>, { kind: "down" }>): Promise<D> {
    const attempt = this.#attempt(down);
    this.#state = { kind: "opening", attempt };
    return attempt;
  }

  async #attempt(down: Extract<State<D>, { kind: "down" }>): Promise<D> {
    try {
      await down.database.close();
      const database = await this.#options.reopen();
      if (this.#state.kind === "opening") this.#state = { kind: "open", database };
      return database;
    } catch (cause) {
      const backoffMs = Math.min(Math.max(FIRST_BACKOFF_MS, down.backoffMs * 2), MAX_BACKOFF_MS);
      const failedAt = this.#options.now();
      if (this.#state.kind === "opening") this.#state = { ...down, cause, failedAt, backoffMs };
      throw storeUnavailable(cause);
    }
  }
}

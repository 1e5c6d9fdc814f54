import type { Seq } from "./outline-log.ts";

/**
 * How many writes share a transaction at most. A write takes some milliseconds at worst; with more of
 * them in one there is hardly anything left to save.
 */
const MOST = 16;

/** The replica that is written to. */
export interface SharedWritesOptions {
  /** Does what is to be written in the replica's turn; rejects when the replica has ended. */
  readonly take: (work: () => void) => Promise<void>;
  /** Does everything in one transaction. When that throws and the replica is still open, nothing has changed. */
  readonly change: (fn: () => void) => void;
  /** Resolves when the change is durable. */
  readonly commit: () => Promise<Seq>;
  /** @throws UnavailableError when the replica has ended */
  readonly requireOpen: () => void;
}

interface Write {
  readonly fn: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Gathers the writes of one turn of the event loop for one transaction: what a transaction costs, in
 * memory, in the log and for everybody who is told, is most of what a small write costs. Where there
 * are many, others have their turn between.
 */
export class SharedWrites {
  readonly #options: SharedWritesOptions;
  #waiting: Write[] = [];
  #isScheduled = false;

  constructor(options: SharedWritesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Calls `fn` at the end of this turn, earlier when somebody wants to read, or later when others have
   * much to do. Resolves when all of
   * the transaction is durable. When another write of it throws, this one is done all the same, or
   * rejects with `ThrownAwayError`.
   */
  add<T>(fn: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // `resolve` is only ever called with what this write's own `fn` has returned.
      this.#waiting.push({ fn, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isScheduled) void this.#runSoon();
    });
  }

  /** Does all that waits, at once. */
  runNow(): void {
    while (!this.isEmpty) this.#runSome();
  }

  async #runSoon(): Promise<void> {
    const { take } = this.#options;
    this.#isScheduled = true;
    try {
      while (!this.isEmpty) {
        await take(() => {
          if (!this.isEmpty) this.#runSome();
        });
      }
    } catch (error) {
      rejectAll(this.#waiting, error);
      this.#waiting = [];
    }
    this.#isScheduled = false;
  }

  /** Does the first of what waits in one transaction. */
  #runSome(): void {
    const { change, commit } = this.#options;
    const writes = this.#waiting.slice(0, MOST);
    const results: unknown[] = [];
    let running: Write | undefined;
    try {
      change(() => {
        for (const write of writes) {
          running = write;
          results.push(write.fn());
        }
        running = undefined;
      });
    } catch (error) {
      this.#afterFailure(running, error);
      return;
    }
    this.#waiting.splice(0, writes.length);
    commit().then(
      () => writes.forEach(({ resolve }, index) => resolve(results[index])),
      (error: unknown) => rejectAll(writes, error),
    );
  }

  /**
   * The others are still to be done, unless the failure took the replica along.
   * @param failed undefined when it was none of the writes that failed
   */
  #afterFailure(failed: Write | undefined, error: unknown): void {
    if (failed === undefined) {
      rejectAll(this.#waiting, error);
      this.#waiting = [];
      return;
    }
    failed.reject(error);
    this.#waiting = this.#waiting.filter((write) => write !== failed);
    try {
      this.#options.requireOpen();
    } catch (end) {
      rejectAll(this.#waiting, end);
      this.#waiting = [];
    }
  }
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  for (const { reject } of writes) reject(error);
}

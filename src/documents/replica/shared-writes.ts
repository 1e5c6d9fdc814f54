import { Deferred } from "../turns/deferred.ts";
import type { Seq } from "../log/outline-log.ts";

/** How many writes share a transaction at most: with more in one there is hardly anything left to save. */
const MOST = 16;

/** The replica that is written to. */
export interface SharedWritesOptions {
  /** Does what is to be written in the replica's turn; rejects when the replica has ended. */
  readonly take: (work: () => void) => Promise<void>;
  /** Whether that turn is over. */
  readonly isOver: () => boolean;
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
  /** Made when somebody asks: resolves when it was done or refused, durable or not. */
  done?: Deferred<void>;
}

/**
 * Gathers the writes of one turn of the event loop for one transaction: what a transaction costs, in
 * memory, in the log and for everybody who is told, is most of what a small write costs. A transaction
 * ends when the turn is over: where there is much, others have their turn between.
 */
export class SharedWrites {
  readonly #options: SharedWritesOptions;
  /** Of requests that are not answered yet [Q40]. */
  #waiting: Write[] = [];
  #isScheduled = false;

  constructor(options: SharedWritesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Calls `fn` at the end of this turn, or later when others have much to do. Resolves when all of the
   * transaction is durable. When another write of it throws, this one is done all the same, or
   * rejects with `ThrownAwayError`.
   */
  add<T>(fn: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // `resolve` is only ever called with what this write's own `fn` has returned.
      this.#waiting.push({ fn, resolve: resolve as (result: unknown) => void, reject });
      if (!this.#isScheduled) void this.#runSoon();
    });
  }

  /** Resolves when all that waits now was done or refused, durable or not. */
  async done(): Promise<void> {
    const last = this.#waiting.at(-1);
    if (last === undefined) return;
    last.done ??= new Deferred();
    await last.done.promise;
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
    const { change, commit, isOver } = this.#options;
    const results: unknown[] = [];
    let running: Write | undefined;
    try {
      change(() => {
        for (const write of this.#waiting.slice(0, MOST)) {
          running = write;
          results.push(write.fn());
          if (isOver()) break;
        }
        running = undefined;
      });
    } catch (error) {
      this.#afterFailure(running, error);
      return;
    }
    const writes = this.#waiting.splice(0, results.length);
    for (const { done } of writes) done?.resolve();
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
    rejectAll([failed], error);
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
  for (const { reject, done } of writes) {
    reject(error);
    done?.resolve();
  }
}

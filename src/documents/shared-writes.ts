import type { Seq } from "./outline-log.ts";

/** The replica that is written to. */
export interface SharedWritesOptions {
  /** Resolves after others had their turn of the event loop. */
  readonly yieldNow: () => Promise<void>;
  /** Begins work as soon as nobody works exclusively; rejects when the replica has ended. */
  readonly whenQuiet: (work: () => Promise<void>) => Promise<void>;
  /** Does everything in one transaction. When that throws and the replica is still open, nothing has changed. */
  readonly change: <T>(fn: () => T) => T;
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
 * memory, in the log and for everybody who is told, is most of what a small write costs.
 */
export class SharedWrites {
  readonly #options: SharedWritesOptions;
  #waiting: Write[] = [];

  constructor(options: SharedWritesOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /**
   * Calls `fn` at the end of this turn, or earlier when somebody wants to read. Resolves when all of
   * the transaction is durable. When another write of it throws, this one is done all the same, or
   * rejects with `ThrownAwayError`.
   */
  add<T>(fn: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // `resolve` is only ever called with what this write's own `fn` has returned.
      this.#waiting.push({ fn, resolve: resolve as (result: unknown) => void, reject });
      if (this.#waiting.length === 1) void this.#runSoon();
    });
  }

  /** Does what waits, at once. */
  runNow(): void {
    let writes: readonly Write[] = this.#waiting;
    this.#waiting = [];
    while (writes.length > 0) writes = this.#run(writes);
  }

  async #runSoon(): Promise<void> {
    await this.#options.yieldNow();
    try {
      await this.#options.whenQuiet(async () => this.runNow());
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    }
  }

  /** @returns those that are to be done again, without the one that threw */
  #run(writes: readonly Write[]): readonly Write[] {
    const { change, commit } = this.#options;
    let running: Write | undefined;
    try {
      const results = change(() => {
        const all = writes.map((write) => {
          running = write;
          return write.fn();
        });
        running = undefined;
        return all;
      });
      commit().then(
        () => writes.forEach(({ resolve }, index) => resolve(results[index])),
        (error: unknown) => rejectAll(writes, error),
      );
      return [];
    } catch (error) {
      if (running === undefined) {
        rejectAll(writes, error);
        return [];
      }
      running.reject(error);
      return this.#spared(writes.filter((write) => write !== running));
    }
  }

  /** Those that another's failure leaves; when it took the replica along, they are told so. */
  #spared(writes: readonly Write[]): readonly Write[] {
    try {
      this.#options.requireOpen();
      return writes;
    } catch (error) {
      rejectAll(writes, error);
      return [];
    }
  }
}

function rejectAll(writes: readonly Write[], error: unknown): void {
  for (const { reject } of writes) reject(error);
}

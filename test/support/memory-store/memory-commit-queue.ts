import { StoreError } from "../../../src/documents/log/outline-log.ts";

interface Waiting {
  readonly settle: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit without a disk: one commit at a time, what arrives meanwhile goes into the next, and
 * a commit that fails takes everything that waits with it.
 */
export class MemoryCommitQueue {
  readonly #commit: () => Promise<void>;
  /** [Q66] */
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(commit: () => Promise<void>) {
    this.#commit = commit;
  }

  /** Runs `apply` when its commit is done; resolves with what it returns, rejects if it throws. */
  write<T>(apply: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise<T>((resolve, reject) => {
      const settle = () => {
        try {
          resolve(apply());
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ settle, reject });
      this.#running ??= this.#run();
    });
  }

  /** Reads between two commits. */
  async read<T>(query: () => T): Promise<T> {
    if (this.#closed) throw closedError();
    await Promise.resolve();
    return query();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#commit();
      } catch (cause) {
        const failed = [...batch, ...this.#waiting];
        this.#waiting = [];
        const error = new StoreError("store_unavailable", "the store can't be written now", {
          cause,
        });
        for (const { reject } of failed) reject(error);
        continue;
      }
      for (const { settle } of batch) settle();
    }
    // At once with the last look at what waits, or a write that comes in between would wait for ever.
    this.#running = undefined;
  }
}

function closedError(): StoreError {
  return new StoreError("store_closed", "the store is closed");
}

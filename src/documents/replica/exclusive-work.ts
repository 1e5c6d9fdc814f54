import type { CommitQueue } from "./commit-queue.ts";
import { Deferred } from "../turns/deferred.ts";

/** Work on a replica that nobody may look into before it is done. */
export class ExclusiveWork {
  /** [Q40] */
  readonly #running = new Set<Promise<void>>();
  readonly #queue: CommitQueue;
  readonly #discard: () => void;

  /** @param discard ends the replica: work has failed that had changed something */
  constructor(queue: CommitQueue, discard: () => void) {
    this.#queue = queue;
    this.#discard = discard;
  }

  /** True when there is none. */
  get isQuiet(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when what is under way now has ended; never rejects. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Runs `work`; what it commits becomes durable in one append, before this resolves. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#queue.hold();
    const before = this.#queue.lastSeq;
    const busy = new Deferred<void>();
    this.#running.add(busy.promise);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      if (this.#queue.lastSeq !== before) this.#discard();
      throw error;
    } finally {
      this.#running.delete(busy.promise);
      busy.resolve();
      this.#queue.release();
    }
    await this.#queue.settled();
    return result;
  }
}

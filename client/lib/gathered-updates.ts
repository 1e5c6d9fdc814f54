import { countOfRun, mergedUpdate } from "../../src/core/yjs/merged-update.ts";

/** What somebody has written, with where in the server's log who has it stands. */
interface Written {
  readonly seq: number;
  readonly update: Uint8Array;
}

/**
 * Takes in what others write behind everything else that waits for its turn, and all that has come
 * until then as one. One by one they may come faster than a page can show them, and input, painting
 * and the store would wait behind all that has come [L127].
 */
export class GatheredUpdates {
  readonly #yieldNow: () => Promise<void>;
  readonly #take: (written: Written) => void;
  /** What waits, and for each of them where it leads to. */
  #updates: Uint8Array[] = [];
  #seqs: number[] = [];
  #isTaking = false;

  constructor(yieldNow: () => Promise<void>, take: (written: Written) => void) {
    this.#yieldNow = yieldNow;
    this.#take = take;
  }

  add({ seq, update }: Written): void {
    this.#updates.push(update);
    this.#seqs.push(seq);
    if (!this.#isTaking) void this.#takeInTurns();
  }

  /** Takes in all that waits now, in its order: what comes next builds on it. */
  flush(): void {
    while (this.#updates.length > 0) this.#takeRun();
  }

  /** Forgets what waits: it comes again with another connection. */
  drop(): void {
    this.#updates = [];
    this.#seqs = [];
  }

  /** Until nothing waits. */
  async #takeInTurns(): Promise<void> {
    this.#isTaking = true;
    try {
      while (this.#updates.length > 0) {
        await this.#yieldNow();
        this.#takeRun();
      }
    } finally {
      this.#isTaking = false;
    }
  }

  #takeRun(): void {
    const count = countOfRun(this.#updates);
    const run = this.#updates.splice(0, count);
    const seq = this.#seqs.splice(0, count).at(-1);
    // A turn may come when nothing waits any more.
    if (seq !== undefined) this.#take({ seq, update: mergedUpdate(run) });
  }
}

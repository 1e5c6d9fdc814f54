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
  #waiting: Written[] = [];
  #isTaking = false;

  constructor(yieldNow: () => Promise<void>, take: (written: Written) => void) {
    this.#yieldNow = yieldNow;
    this.#take = take;
  }

  add(written: Written): void {
    this.#waiting.push(written);
    if (!this.#isTaking) void this.#takeInTurns();
  }

  /** Takes in all that waits now, in its order: what comes next builds on it. */
  flush(): void {
    while (this.#waiting.length > 0) this.#takeRun();
  }

  /** Forgets what waits: it comes again with another connection. */
  drop(): void {
    this.#waiting = [];
  }

  /** Until nothing waits. */
  async #takeInTurns(): Promise<void> {
    this.#isTaking = true;
    try {
      while (this.#waiting.length > 0) {
        await this.#yieldNow();
        this.#takeRun();
      }
    } finally {
      this.#isTaking = false;
    }
  }

  #takeRun(): void {
    const count = countOfRun(this.#waiting.map(({ update }) => update));
    const run = this.#waiting.splice(0, count);
    const last = run.at(-1);
    if (last === undefined) return;
    this.#take({ seq: last.seq, update: mergedUpdate(run.map(({ update }) => update)) });
  }
}

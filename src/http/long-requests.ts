import type { Payer } from "../charges/payer.ts";
import { FairQueue } from "../documents/fair-queue.ts";

/** In all. More would only wait for each other in the middle of their work. */
const MOST_AT_ONCE = 16;

/**
 * Lets each payer have one long request in work at a time, and all together a few: what they hold
 * while they are worked on can't be given up any more. The others wait with what they have sent.
 */
export class LongRequests {
  /** Each holds its body, which is charged. [Q13] */
  readonly #waiting = new FairQueue<Payer, () => void>();
  /** Whose is in work. [Q13] */
  readonly #working = new Set<Payer>();

  /** Does `work` when it is its turn. */
  async run<T>(payer: Payer, work: () => Promise<T> | T): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.add(payer, resolve);
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#working.delete(payer);
      this.#startNext();
    }
  }

  #startNext(): void {
    while (this.#working.size < MOST_AT_ONCE) {
      let next: Payer | undefined;
      const start = this.#waiting.take((payer) => {
        if (this.#working.has(payer)) return false;
        next = payer;
        return true;
      });
      if (start === undefined || next === undefined) return;
      this.#working.add(next);
      start();
    }
  }
}

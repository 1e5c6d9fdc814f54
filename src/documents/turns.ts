import { FairQueue } from "./fair-queue.ts";
import type { Timers } from "./timers.ts";

/** How long all that can wait takes together before others get their turn of the event loop. */
const TURN_MS = 8;

/** What one of very many gets at least: a few small updates. */
const SHARE_MS = 1;

/** One party's part in the turns of the event loop. */
export interface Turn {
  /**
   * Does `work` in one of the next turns, the party's works in their order. Rejects with what `work`
   * throws.
   */
  take<T>(work: () => T): Promise<T>;
  /** Within `work`: whether it should end, and go on in another turn. */
  readonly isOver: boolean;
}

/**
 * Shares each turn of the event loop between the parties that have work: in turn, as long as there
 * is time, and the next time those go first that had to wait. So a turn is short however much there
 * is to do, and a party with little to do waits for a share of each other one, and not until those
 * with much to do have done it.
 */
export class Turns {
  readonly #timers: Pick<Timers, "yieldNow">;
  readonly #elapsed: () => number;
  readonly #waiting = new FairQueue<() => void>();
  #shareEndsAt = 0;
  #isScheduled = false;

  /** @param elapsed milliseconds of a clock that nobody sets */
  constructor(timers: Pick<Timers, "yieldNow">, elapsed: () => number) {
    this.#timers = timers;
    this.#elapsed = elapsed;
  }

  of(party: unknown): Turn {
    const isOver = (): boolean => this.#elapsed() >= this.#shareEndsAt;
    return {
      take: (work) => this.#take(party, work),
      get isOver() {
        return isOver();
      },
    };
  }

  #take<T>(party: unknown, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(party, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isScheduled) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isScheduled = true;
    while (!this.#waiting.isEmpty) {
      await this.#timers.yieldNow();
      this.#runTurn();
    }
    this.#isScheduled = false;
  }

  /** What is asked for meanwhile is for a later turn. */
  #runTurn(): void {
    const endsAt = this.#elapsed() + TURN_MS;
    for (let left = this.#waiting.size; left > 0; left--) {
      const now = this.#elapsed();
      if (now >= endsAt) return;
      this.#shareEndsAt = now + Math.max(SHARE_MS, (endsAt - now) / left);
      this.#waiting.take()?.();
    }
  }
}

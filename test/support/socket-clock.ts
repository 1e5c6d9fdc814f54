import { setImmediate as yieldNow } from "node:timers/promises";
import type { Timers } from "../../src/documents/turns/timers.ts";

interface Due {
  readonly at: number;
  readonly callback: () => void;
}

/** Time that stands still until a test moves it. Turns of the event loop are real. */
export class SocketClock implements Timers {
  #now: number;
  readonly #due = new Set<Due>();

  constructor(now = 1_795_000_000_000) {
    this.#now = now;
  }

  readonly now = (): number => this.#now;

  setTimeout(callback: () => void, ms: number): unknown {
    const due: Due = { at: this.#now + ms, callback };
    this.#due.add(due);
    return due;
  }

  clearTimeout(handle: unknown): void {
    this.#due.delete(handle as Due);
  }

  yieldNow(): Promise<void> {
    return yieldNow();
  }

  /** Moves the time on, and calls what was due at the time it was due. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#due.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

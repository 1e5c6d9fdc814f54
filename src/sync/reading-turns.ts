import { FairQueue } from "../documents/fair-queue.ts";
import type { Timers } from "../documents/timers.ts";

/** What people write in a turn is less: they are read at once, whatever others send. */
const MUCH_BYTES = 4 * 1024;

/** A part of a large message costs less, thousands of small ones cost much more. */
const MUCH_MS = 0.25;

/** How long connections that have waited are read in a turn, as far as can be told beforehand. */
const TURN_MS = 4;

interface Waiting {
  readonly costMs: number;
  readonly resume: () => void;
}

/**
 * When connections are read that make work: some in each turn of the event loop, the outlines' in
 * turn. What comes at once, 64 KB at most, may be thousands of messages, each to be answered; all the
 * rest stays in the system's buffers meanwhile, and holds up its sender.
 */
export class ReadingTurns {
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
  readonly #timers: Pick<Timers, "yieldNow">;
  /** One for each connection at most [Q56]. */
  readonly #waiting = new FairQueue<unknown, Waiting>();
  #isRunning = false;

  constructor(timers: Pick<Timers, "yieldNow">, elapsed: () => number) {
    this.#timers = timers;
    this.elapsed = elapsed;
  }

  /** Whether a connection has to wait after having sent so much at once. */
  isMuch(bytes: number, costMs: number): boolean {
    return bytes >= MUCH_BYTES && costMs >= MUCH_MS;
  }

  /**
   * Calls `resume` when a connection of the outline is to be read again.
   * @param costMs how long it took to take in what it sent last
   */
  wait(outline: unknown, costMs: number, resume: () => void): void {
    this.#waiting.add(outline, { costMs, resume });
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#waiting.isEmpty) {
      await this.#timers.yieldNow();
      // What comes next from a connection is mostly as what came last.
      for (let leftMs = TURN_MS; leftMs > 0;) {
        const next = this.#waiting.take();
        if (next === undefined) break;
        leftMs -= next.costMs;
        next.resume();
      }
    }
    this.#isRunning = false;
  }
}

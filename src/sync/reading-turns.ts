import { FairQueue } from "../documents/fair-queue.ts";
import type { Timers } from "../documents/timers.ts";

/** More than people write in a turn: what sends so much at once waits before it is read again. */
const MUCH_BYTES = 4 * 1024;

/**
 * When connections that send much are read: one in each turn of the event loop, the outlines' in
 * turn. What comes in one piece, 64 KB at most, may be thousands of messages; all the rest stays in
 * the system's buffers, and holds up its sender. Who sends a little is read at once.
 */
export class ReadingTurns {
  readonly #timers: Pick<Timers, "yieldNow">;
  readonly #waiting = new FairQueue<() => void>();
  #isRunning = false;

  constructor(timers: Pick<Timers, "yieldNow">) {
    this.#timers = timers;
  }

  /** Whether a connection that has sent so much at once has to wait. */
  isMuch(bytes: number): boolean {
    return bytes >= MUCH_BYTES;
  }

  /** Calls `resume` when a connection of the outline is to be read again. */
  wait(outline: unknown, resume: () => void): void {
    this.#waiting.add(outline, resume);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#waiting.isEmpty) {
      await this.#timers.yieldNow();
      this.#waiting.take()?.();
    }
    this.#isRunning = false;
  }
}

import { FairQueue } from "../documents/turns/fair-queue.ts";
import type { Timers } from "../documents/turns/timers.ts";

/** What people write in a turn is less: they are read at once, whatever others send. */
const MUCH_BYTES = 4 * 1024;

/**
 * What the system does for each byte, before anything is done with it: it fills fresh memory. A
 * hundred connections that each send a large message at once take a quarter of a second of that.
 */
const READ_MS_PER_BYTE = 1 / 2 ** 20;

/** How long connections that have waited are read in a turn, as far as can be told beforehand. */
const TURN_MS = 2;

/** What came of a connection at once. */
interface Piece {
  readonly bytes: number;
  /** How long it took to take it in. */
  readonly workMs: number;
}

interface Waiting {
  readonly costMs: number;
  readonly resume: () => void;
}

/**
 * When connections are read that send much: some in each turn of the event loop, the outlines' in
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
  isMuch(bytes: number): boolean {
    return bytes >= MUCH_BYTES;
  }

  /** Calls `resume` when a connection of the outline is to be read again. */
  wait(outline: unknown, { bytes, workMs }: Piece, resume: () => void): void {
    this.#waiting.add(outline, { costMs: workMs + bytes * READ_MS_PER_BYTE, resume });
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

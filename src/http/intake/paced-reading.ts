import type { Connection } from "./connections.ts";
import { holdReading } from "./hold-reading.ts";

export interface PacedReadingOptions {
  /** Resolves when all that has arrived in this turn of the event loop is taken in. */
  readonly yieldNow: () => Promise<void>;
  /** Milliseconds of a clock that nobody sets. */
  readonly elapsed: () => number;
}

/** A connection that is to be read on. */
type ReadOn = () => void;

/**
 * Reads of a network that sends many requests at once one connection in a turn of the event loop.
 *
 * Node takes in 64 KiB of a connection in one go, which may be thousands of requests and 25 ms, and in
 * a turn as much of each connection that has something. With many connections that is seconds, in
 * which nobody else is served. What others do has several parts: between two such turns they have as
 * much time.
 */
export class PacedReading {
  readonly #options: PacedReadingOptions;
  /** By network, connections that are not read for now, each at most twice [Q10]. */
  readonly #waiting = new Map<string, ReadOn[]>();
  #isRunning = false;

  constructor(options: PacedReadingOptions) {
    this.#options = options;
  }

  /** Holds all connections of a network, unless they are held already, and reads on in turn. */
  begin(network: string, connections: Iterable<Connection>): void {
    if (this.#waiting.has(network)) return;
    this.#waiting.set(
      network,
      [...connections].map(({ socket }) => holdReading(socket)),
    );
    if (!this.#isRunning) void this.#run();
  }

  /** Reads on when it is the connection's turn among those of its network. */
  readOn(network: string, readOn: ReadOn): void {
    const waiting = this.#waiting.get(network);
    if (waiting === undefined) this.#waiting.set(network, [readOn]);
    else waiting.push(readOn);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { yieldNow, elapsed } = this.#options;
    this.#isRunning = true;
    let startedAt = elapsed();
    while (this.#waiting.size > 0) {
      await yieldNow();
      for (const endsAt = 2 * elapsed() - startedAt; elapsed() < endsAt;) await yieldNow();
      startedAt = elapsed();
      for (const [network, waiting] of this.#waiting) {
        const next = waiting.shift();
        if (next === undefined) this.#waiting.delete(network);
        else next();
      }
    }
    this.#isRunning = false;
  }
}

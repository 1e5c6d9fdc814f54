import type { Timers } from "../documents/turns/timers.ts";

/** How long connections of one outline are read in a turn. */
const TURN_MS = 2;

/** A connection that can be left unread for a while. */
export interface ReadConnection {
  rest(isResting: boolean): void;
}

/**
 * The reading of one outline's connections. When what came of some has taken long enough, nothing more
 * is read of any before the next turn of the event loop: else somebody with a hundred of them, each of
 * which sends as much as is read at once, holds up everybody for as long as all of it takes.
 */
export class SharedReading {
  readonly #timers: Pick<Timers, "yieldNow">;
  /** [Q56] */
  readonly #connections = new Set<ReadConnection>();
  #tookMs = 0;
  #isCounting = false;
  #isResting = false;

  constructor(timers: Pick<Timers, "yieldNow">) {
    this.#timers = timers;
  }

  join(connection: ReadConnection): void {
    this.#connections.add(connection);
    if (this.#isResting) connection.rest(true);
  }

  leave(connection: ReadConnection): void {
    this.#connections.delete(connection);
  }

  /** What came of a connection at once has taken so long. */
  took(connection: ReadConnection, ms: number): void {
    this.#tookMs += ms;
    if (!this.#isCounting) {
      this.#isCounting = true;
      void this.#timers.yieldNow().then(() => this.#beginTurn());
    }
    if (this.#tookMs < TURN_MS || this.#isResting) return;
    // In the next turn the others come first.
    if (this.#connections.delete(connection)) this.#connections.add(connection);
    this.#restAll(true);
  }

  #beginTurn(): void {
    this.#isCounting = false;
    this.#tookMs = 0;
    if (this.#isResting) this.#restAll(false);
  }

  #restAll(isResting: boolean): void {
    this.#isResting = isResting;
    for (const connection of this.#connections) connection.rest(isResting);
  }
}

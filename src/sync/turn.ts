import type { Timers } from "../documents/timers.ts";

/** How long messages are handled before others get their turn, all clients' together. */
const TURN_MS = 8;

/**
 * The time that messages may take in one turn of the event loop. A socket hands over all messages of
 * a packet at once, which may be thousands, and a small one may be as much work as they all.
 */
export class Turn {
  readonly #timers: Pick<Timers, "yieldNow">;
  readonly #now: () => number;
  #endsAt: number | undefined;

  /** @param options.now milliseconds */
  constructor({
    timers,
    now,
  }: {
    readonly timers: Pick<Timers, "yieldNow">;
    readonly now: () => number;
  }) {
    this.#timers = timers;
    this.#now = now;
  }

  /** Whether what can wait should wait for the next turn. */
  get isOver(): boolean {
    const now = this.#now();
    if (this.#endsAt !== undefined) return now >= this.#endsAt;
    this.#endsAt = now + TURN_MS;
    void this.#begin();
    return false;
  }

  next(): Promise<void> {
    return this.#timers.yieldNow();
  }

  async #begin(): Promise<void> {
    await this.next();
    this.#endsAt = undefined;
  }
}

import type { Timers } from "./timers.ts";

/** How long small updates are taken before others get their turn, those of all outlines together. */
const TURN_MS = 8;

/** The time that what comes from outside may take in one turn of the event loop. */
export class Turn {
  readonly #timers: Pick<Timers, "yieldNow">;
  readonly #now: () => number;
  #endsAt: number | undefined;

  /** @param now milliseconds */
  constructor(timers: Pick<Timers, "yieldNow">, now: () => number) {
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

export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

/**
 * Lets something happen so many times in a window of time: that many at once when it was quiet, then
 * evenly spread (the generic cell rate algorithm: one number of state).
 */
export class Allowance {
  readonly #rate: Rate;
  /** When all of it will be there again. */
  #wholeAt = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  isWhole(now: number): boolean {
    return this.#wholeAt <= now;
  }

  /** Takes one if there is one: 0, or the milliseconds until there will be. */
  take(now: number): number {
    const { count, windowMs } = this.#rate;
    // What is further away is of a clock that was set back since.
    const wholeAt = this.#wholeAt > now + windowMs ? now : Math.max(now, this.#wholeAt);
    const next = wholeAt + windowMs / count;
    const waitMs = Math.max(0, next - windowMs - now);
    if (waitMs === 0) this.#wholeAt = next;
    return waitMs;
  }

  /** What was taken did not happen. */
  giveBack(): void {
    this.#wholeAt -= this.#rate.windowMs / this.#rate.count;
  }
}

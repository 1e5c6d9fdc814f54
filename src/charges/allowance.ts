export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

export interface AllowanceLeft {
  /** How often it may happen now. */
  readonly left: number;
  /** Until all of it is there again. */
  readonly wholeInMs: number;
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

  standing(now: number): AllowanceLeft {
    const { count, windowMs } = this.#rate;
    const wholeInMs = Math.min(windowMs, Math.max(0, this.#wholeAt - now));
    return { left: Math.floor(count - (wholeInMs * count) / windowMs), wholeInMs };
  }

  /** What was taken did not happen. */
  giveBack(): void {
    this.#wholeAt -= this.#rate.windowMs / this.#rate.count;
  }
}

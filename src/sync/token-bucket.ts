/**
 * Lets something happen so many times a second: a number of times at once when it was quiet, then
 * evenly spread (the generic cell rate algorithm: one number of state).
 */
export class TokenBucket {
  readonly #costMs: number;
  readonly #burstMs: number;
  /** When the bucket will be full again. */
  #fullAt = 0;

  constructor(options: { readonly perSecond: number; readonly burst: number }) {
    this.#costMs = 1000 / options.perSecond;
    this.#burstMs = this.#costMs * (options.burst - 1);
  }

  /** Milliseconds until there is a token; 0 is now. */
  waitMs(now: number): number {
    // What is further away is of a clock that was set back since.
    if (this.#fullAt > now + this.#burstMs + this.#costMs) this.#fullAt = now;
    return Math.max(0, this.#fullAt - now - this.#burstMs);
  }

  /** Takes one token. False when there is none at `now` (ms). */
  take(now: number): boolean {
    if (this.waitMs(now) > 0) return false;
    this.#fullAt = Math.max(now, this.#fullAt) + this.#costMs;
    return true;
  }
}

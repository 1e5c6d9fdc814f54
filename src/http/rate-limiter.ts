import { LRUCache } from "lru-cache";

const MAX_KEYS = 50_000;
const MINUTE_MS = 60_000;

/**
 * Lets each key do a number of things a minute: that many at once when it was quiet, then evenly
 * spread (the generic cell rate algorithm, one number for each key). Bounded: of more keys than
 * 50,000 those that were quiet longest are forgotten, and start afresh.
 */
export class RateLimiter {
  readonly #now: () => number;
  readonly #windowMs: number;
  readonly #burstMs: number;
  readonly #costMs: number;
  /** When the key's allowance will be whole again. [Q19] */
  readonly #wholeAt = new LRUCache<string, number>({ max: MAX_KEYS });

  /** @param count of things that a key may do within the window, by default a minute */
  constructor(count: number, now: () => number, windowMs = MINUTE_MS) {
    this.#now = now;
    this.#windowMs = windowMs;
    this.#costMs = windowMs / count;
    this.#burstMs = windowMs - this.#costMs;
  }

  /** Counts one thing if it is allowed: 0, or the milliseconds until it will be. */
  take(key: string): number {
    const now = this.#now();
    const known = this.#wholeAt.get(key) ?? 0;
    // What is further away is of a clock that was set back since.
    const wholeAt = known > now + this.#windowMs ? now : Math.max(now, known);
    const waitMs = Math.max(0, wholeAt - this.#burstMs - now);
    if (waitMs === 0) this.#wholeAt.set(key, wholeAt + this.#costMs);
    return waitMs;
  }

  /** What was taken did not happen. */
  giveBack(key: string): void {
    const wholeAt = (this.#wholeAt.get(key) ?? 0) - this.#costMs;
    if (wholeAt > this.#now()) this.#wholeAt.set(key, wholeAt);
    else this.#wholeAt.delete(key);
  }
}

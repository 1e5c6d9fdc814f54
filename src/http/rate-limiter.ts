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
  readonly #burstMs: number;
  readonly #costMs: number;
  /** When the key's allowance will be whole again. */
  readonly #wholeAt = new LRUCache<string, number>({ max: MAX_KEYS });

  constructor(perMinute: number, now: () => number) {
    this.#now = now;
    this.#costMs = MINUTE_MS / perMinute;
    this.#burstMs = MINUTE_MS - this.#costMs;
  }

  /** Counts one thing if it is allowed: 0, or the milliseconds until it will be. */
  take(key: string): number {
    const now = this.#now();
    const known = this.#wholeAt.get(key) ?? 0;
    // What is further away is of a clock that was set back since.
    const wholeAt = known > now + MINUTE_MS ? now : Math.max(now, known);
    const waitMs = Math.max(0, wholeAt - this.#burstMs - now);
    if (waitMs === 0) this.#wholeAt.set(key, wholeAt + this.#costMs);
    return waitMs;
  }
}

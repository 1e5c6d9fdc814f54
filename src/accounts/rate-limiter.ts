import { Allowance, type AllowanceLeft, type Rate } from "../charges/allowance.ts";
import { newRecentMap } from "../charges/recent-map.ts";

const MAX_KEYS = 50_000;
const MINUTE_MS = 60_000;

/** An allowance, and what is left of it. */
export type Standing = Rate & AllowanceLeft;

/**
 * Gives each key an allowance of its own. Bounded: of more keys than 50,000 those that were quiet
 * longest are forgotten, and start afresh.
 */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #now: () => number;
  /** [Q19] */
  readonly #allowances = newRecentMap<Allowance>(MAX_KEYS);

  /** @param count of things that a key may do within the window, by default a minute */
  constructor(count: number, now: () => number, windowMs = MINUTE_MS) {
    this.#rate = { count, windowMs };
    this.#now = now;
  }

  /** Counts one thing if it is allowed: 0, or the milliseconds until it will be. */
  take(key: string): number {
    let allowance = this.#allowances.get(key);
    if (allowance === undefined) this.#allowances.set(key, (allowance = new Allowance(this.#rate)));
    return allowance.take(this.#now());
  }

  /** How much of its allowance a key has left. */
  standing(key: string): Standing {
    const now = this.#now();
    const allowance = this.#allowances.get(key);
    return { ...this.#rate, ...(allowance ?? new Allowance(this.#rate)).standing(now) };
  }

  /** What was taken did not happen. */
  giveBack(key: string): void {
    const allowance = this.#allowances.get(key);
    allowance?.giveBack();
    // One that is whole is not kept: a clock that is set back a little would make it wait.
    if (allowance?.isWhole(this.#now()) === true) this.#allowances.delete(key);
  }
}

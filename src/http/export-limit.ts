import type { Principal } from "../accounts/principal.ts";
import { RateLimiter } from "../accounts/rate-limiter.ts";

/** Exports of all keys of a user, in the time in which each key has one. */
const EXPORTS_OF_USER = 10;

export interface ExportLimitOptions {
  /** In this time a key has one export; 0 means as many as it likes. */
  readonly windowMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes the one token that each window holds: 0, or the milliseconds until the next one. */
  readonly takeToken: (key: string, windowMs: number) => Promise<number>;
}

/**
 * How often whole outlines are exported: once in a while by a key and all that were made with it, so
 * that nobody with one key can keep the owner of another from it; and some times by all of a user's
 * keys together.
 */
export class ExportLimit {
  readonly #options: ExportLimitOptions;
  readonly #ofUser: RateLimiter;

  constructor(options: ExportLimitOptions) {
    this.#options = options;
    this.#ofUser = new RateLimiter(EXPORTS_OF_USER, options.now, options.windowMs);
  }

  /** Counts an export if it is allowed: 0, or the milliseconds until it will be. */
  async take({ user, family }: Principal): Promise<number> {
    const { windowMs, takeToken } = this.#options;
    if (windowMs === 0) return 0;
    const waitMs = this.#ofUser.take(user);
    if (waitMs > 0) return waitMs;
    let isTaken = false;
    try {
      const ofKeyMs = await takeToken(`export/${family}`, windowMs);
      isTaken = ofKeyMs === 0;
      return ofKeyMs;
    } finally {
      if (!isTaken) this.#ofUser.giveBack(user);
    }
  }
}

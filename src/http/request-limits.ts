import type { Principal } from "../accounts/principal.ts";
import { RateLimiter, type Standing } from "../accounts/rate-limiter.ts";
import type { HttpLimits } from "./http-limits.ts";
import { problem, type Problem } from "./problem.ts";

/** What is left of one of the limits of requests. */
export interface LimitLeft extends Standing {
  readonly of: "key" | "user";
}

const WHO = { key: "This key makes", user: "This user makes" } as const;

/** How many requests may be made with a key, and by a user with all keys. */
export class RequestLimits {
  /** The narrower one first. */
  readonly #limits: readonly { readonly of: LimitLeft["of"]; readonly limiter: RateLimiter }[];

  /** @param now milliseconds since 1970 */
  constructor(
    {
      requestsPerMinute,
      keyRequestsPerMinute,
    }: Pick<HttpLimits, "requestsPerMinute" | "keyRequestsPerMinute">,
    now: () => number,
  ) {
    const limits = [
      ["key", keyRequestsPerMinute],
      ["user", requestsPerMinute],
    ] as const;
    this.#limits = limits.flatMap(([of, count]) =>
      count > 0 ? [{ of, limiter: new RateLimiter(count, now) }] : [],
    );
  }

  /** Counts a request if it is allowed by all of them. @returns why it is not */
  take(principal: Principal): Problem | undefined {
    for (const [index, { of, limiter }] of this.#limits.entries()) {
      const waitMs = limiter.take(nameOf(principal, of));
      if (waitMs === 0) continue;
      for (const before of this.#limits.slice(0, index)) {
        before.limiter.giveBack(nameOf(principal, before.of));
      }
      return problem("rate_limited", `${WHO[of]} too many requests.`, waitMs);
    }
    return undefined;
  }

  left(principal: Principal): readonly LimitLeft[] {
    return this.#limits.map(({ of, limiter }) => ({
      of,
      ...limiter.standing(nameOf(principal, of)),
    }));
  }
}

/** Keys that were made with a key count with it: nobody has more by making keys. */
function nameOf({ user, family }: Principal, of: LimitLeft["of"]): string {
  return of === "key" ? family : user;
}

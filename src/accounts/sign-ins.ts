import type { Accounts, Principal } from "./accounts.ts";
import { hashOfKey } from "./api-key.ts";
import { networkOf } from "./network-of.ts";
import { newRecentMap } from "./recent-map.ts";

const MAX_NETWORKS = 20_000;
const MAX_SHOWN = 20_000;
/** However many guesses came at once. */
const LONGEST_WAIT_MS = 10 * 60_000;

export type SignIn =
  | { readonly kind: "known"; readonly principal: Principal }
  /** No key, or one that was revoked or has expired. */
  | { readonly kind: "unknown" }
  /** Too many wrong keys came from there; this one was not looked up. */
  | { readonly kind: "limited"; readonly waitMs: number };

export interface SignInsOptions {
  readonly accounts: Pick<Accounts, "authenticate">;
  /** Wrong keys a minute for each network; 0 means any number. */
  readonly perMinute: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Looks up the keys that come from outside, and holds back networks that guess: so many wrong keys
 * at once, then evenly spread, and each one beyond that, as they may come in parallel, makes the
 * wait longer. A key that was shown from there before is no guess, right or wrong: a device that
 * goes on asking with a revoked key shuts nobody out, and who guesses shuts nobody out who is known.
 * Bounded: what was quiet longest is forgotten.
 */
export class SignIns {
  readonly #options: SignInsOptions;
  /** By network: when its allowance will be whole again. */
  readonly #wholeAt = newRecentMap<number>(MAX_NETWORKS);
  /** Networks with hashes of keys that came from there. */
  readonly #shown = newRecentMap<true>(MAX_SHOWN);

  constructor(options: SignInsOptions) {
    this.#options = options;
  }

  /** @param address of the client, as far as it can be believed */
  async attempt(key: string, address: string): Promise<SignIn> {
    const { accounts, perMinute } = this.#options;
    const network = networkOf(address);
    const showing = `${network} ${hashOfKey(key)}`;
    const isGuess = perMinute > 0 && !this.#shown.has(showing);
    const waitMs = isGuess ? this.#waitMs(network) : 0;
    if (waitMs > 0) return { kind: "limited", waitMs };
    const principal = await accounts.authenticate(key);
    if (isGuess && principal === undefined) this.#count(network);
    this.#shown.set(showing, true);
    return principal === undefined ? { kind: "unknown" } : { kind: "known", principal };
  }

  get #costMs(): number {
    return 60_000 / this.#options.perMinute;
  }

  #waitMs(network: string): number {
    const now = this.#options.now();
    const burstMs = 60_000 - this.#costMs;
    return Math.max(0, this.#wholeFrom(network, now) - burstMs - now);
  }

  #count(network: string): void {
    const now = this.#options.now();
    const wholeAt = this.#wholeFrom(network, now) + this.#costMs;
    this.#wholeAt.set(network, Math.min(wholeAt, now + LONGEST_WAIT_MS));
  }

  /** What is further away than any wait is of a clock that was set back since. */
  #wholeFrom(network: string, now: number): number {
    const wholeAt = this.#wholeAt.get(network) ?? 0;
    return wholeAt > now + LONGEST_WAIT_MS ? now : Math.max(now, wholeAt);
  }
}

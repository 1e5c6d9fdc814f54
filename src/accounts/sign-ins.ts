import type { Accounts } from "./accounts.ts";
import { hashOfKey } from "./api-key.ts";
import type { Credential } from "./authentication.ts";
import { networkOf } from "./network-of.ts";
import type { Principal } from "./principal.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { newRecentMap } from "../charges/recent-map.ts";

const MAX_SHOWN = 20_000;

/** Wrong keys a minute for each network, unless whoever runs the server wants it otherwise. */
export const DEFAULT_WRONG_KEYS_PER_MINUTE = 10;

export type SignIn =
  | { readonly kind: "known"; readonly principal: Principal }
  /** Nothing that opens anything, or something that has ended. */
  | { readonly kind: "unknown" }
  /** Too many wrong keys came from there; this one was not looked up. */
  | { readonly kind: "limited"; readonly waitMs: number };

export interface SignInsOptions {
  readonly accounts: Pick<Accounts, "who">;
  /** Wrong keys a minute for each network; 0 means any number. */
  readonly perMinute: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What came from one network and is not decided yet. */
interface Line {
  /** How many are counted and being looked up. */
  undecided: number;
  /** Those for which there is room only if some of these are right, in the order in which they came. [Q20] */
  readonly waiting: ((waitMs: number) => void)[];
}

/**
 * Looks up the keys and tokens that come from outside, and holds back networks that guess: so many
 * wrong ones at once, then evenly spread. Each is counted before it is looked up, and no longer when
 * it was right; so of many that come at once no more are looked up than may be wrong, and the others
 * wait for these. One that was shown from there before is no guess: a device that goes on asking with
 * a revoked key shuts nobody out, and who guesses shuts nobody out who is known. Bounded: what was
 * quiet longest is forgotten.
 */
export class SignIns {
  readonly #options: SignInsOptions;
  /** By network. */
  readonly #guesses: RateLimiter;
  /** Networks with hashes of what came from there. [Q20] */
  readonly #shown = newRecentMap<true>(MAX_SHOWN);
  /** By network, as long as anything of it is looked up: one entry for each request. [Q20] */
  readonly #lines = new Map<string, Line>();

  constructor(options: SignInsOptions) {
    this.#options = options;
    this.#guesses = new RateLimiter(options.perMinute, () => options.now());
  }

  /** Of each network; 0 means any number. */
  get perMinute(): number {
    return this.#options.perMinute;
  }

  /** @param address of the client, as far as it can be believed */
  async attempt(credential: Credential, address: string): Promise<SignIn> {
    const { accounts, perMinute } = this.#options;
    const network = networkOf(address);
    const kind = credential.kind === "session" ? "session" : "key";
    const showing = `${network} ${kind} ${hashOfKey(credential.secret)}`;
    if (perMinute === 0) return signInOf(await accounts.who(credential));
    const waitMs = this.#shown.get(showing) === true ? undefined : await this.#count(network);
    if (waitMs === undefined) return signInOf(await accounts.who(credential));
    if (waitMs > 0) return { kind: "limited", waitMs };
    let isGuess = false;
    try {
      const principal = await accounts.who(credential);
      // The same may have come at the same time, and is one guess.
      isGuess = principal === undefined && !this.#shown.has(showing);
      this.#shown.set(showing, true);
      return signInOf(principal);
    } finally {
      this.#decided(network, isGuess);
    }
  }

  /** Counts a guess as soon as there is room: 0, or the milliseconds until there may be. */
  #count(network: string): number | Promise<number> {
    const line = this.#lines.get(network);
    if (line !== undefined && line.waiting.length > 0) return waitIn(line);
    const waitMs = this.#guesses.take(network);
    if (waitMs > 0) return line === undefined ? waitMs : waitIn(line);
    if (line === undefined) this.#lines.set(network, { undecided: 1, waiting: [] });
    else line.undecided++;
    return 0;
  }

  #decided(network: string, isGuess: boolean): void {
    const line = this.#lines.get(network);
    if (line === undefined) return;
    if (!isGuess) this.#guesses.giveBack(network);
    line.undecided--;
    while (line.waiting.length > 0) {
      const waitMs = this.#guesses.take(network);
      // Those that are undecided may still turn out to be right.
      if (waitMs > 0 && line.undecided > 0) break;
      line.waiting.shift()?.(waitMs);
      if (waitMs === 0) line.undecided++;
    }
    if (line.undecided === 0) this.#lines.delete(network);
  }
}

function waitIn({ waiting }: Line): Promise<number> {
  return new Promise((resolve) => waiting.push(resolve));
}

function signInOf(principal: Principal | undefined): SignIn {
  return principal === undefined ? { kind: "unknown" } : { kind: "known", principal };
}

import type { Accounts } from "./accounts.ts";
import { hashOfKey } from "./api-key.ts";
import type { Credential } from "./authentication.ts";
import { Guesses } from "./guesses.ts";
import { networkOf } from "./network-of.ts";
import type { Principal } from "./principal.ts";
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

/**
 * Looks up the keys and tokens that come from outside, and holds back networks that guess. One that
 * was shown from there before is no guess: a device that goes on asking with a revoked key shuts
 * nobody out, and who guesses shuts nobody out who is known. Bounded: what was quiet longest is
 * forgotten.
 */
export class SignIns {
  readonly #accounts: SignInsOptions["accounts"];
  readonly #guesses: Guesses;
  /** Networks with hashes of what came from there. [Q20] */
  readonly #shown = newRecentMap<true>(MAX_SHOWN);

  constructor(options: SignInsOptions) {
    this.#accounts = options.accounts;
    this.#guesses = new Guesses(options.perMinute, () => options.now());
  }

  /** Of each network; 0 means any number. */
  get perMinute(): number {
    return this.#guesses.perMinute;
  }

  /** @param address of the client, as far as it can be believed */
  async attempt(credential: Credential, address: string): Promise<SignIn> {
    const kind = credential.kind === "session" ? "session" : "key";
    const showing = `${networkOf(address)} ${kind} ${hashOfKey(credential.secret)}`;
    if (this.#shown.get(showing) === true) return signInOf(await this.#accounts.who(credential));
    const looked = await this.#guesses.take(address, async () => {
      const principal = await this.#accounts.who(credential);
      // The same may have come at the same time, and is one guess.
      const isGuess = principal === undefined && !this.#shown.has(showing);
      this.#shown.set(showing, true);
      return { answer: signInOf(principal), isGuess };
    });
    return "answer" in looked ? looked.answer : { kind: "limited", ...looked };
  }
}

function signInOf(principal: Principal | undefined): SignIn {
  return principal === undefined ? { kind: "unknown" } : { kind: "known", principal };
}

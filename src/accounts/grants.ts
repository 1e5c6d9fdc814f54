import { createHash } from "node:crypto";
import type { NodeKey } from "../core/node-key.ts";
import type {
  AccountsOfUser,
  AccountStore,
  KeyRecord,
  KeysChange,
  KeyScope,
  UserId,
} from "./account-store.ts";
import { hashOfKey, type RandomBytes, randomLetters } from "./api-key.ts";
import { isSameHash } from "./authentication.ts";
import { type GrantKey, refreshed, traded, withCode } from "./grant-changes.ts";
import { excessOver, isInForce, type Principal } from "./principal.ts";

const CODE_SECONDS = 60;
const ACCESS_SECONDS = 60 * 60;
/** A grant that nobody refreshes ends. */
const UNUSED_SECONDS = 90 * 24 * 60 * 60;

/** What a refresh token begins with: the same for all of a grant. */
const FAMILY_LENGTH = "or_".length + 22;
const SECRET_LETTERS = 32;

/** RFC 7636, 4.1: 43 to 128 unreserved characters. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** What a client asked for and a person agreed to. */
export interface Consent {
  /** The client, and where the code goes, as in the request. */
  readonly client: string;
  readonly redirectUri: string;
  /** SHA-256 of the client's verifier, in base64url. */
  readonly challenge: string;
  /** What the key is called in the list. */
  readonly name: string;
  readonly scope: KeyScope;
  readonly root: NodeKey | undefined;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
}

export type Offered =
  | { readonly kind: "offered"; readonly code: string }
  /** The user has as many keys as may be. */
  | { readonly kind: "full" }
  /** It would outlive the key of who agrees. */
  | { readonly kind: "too_long" }
  /** Who agrees may not do everything. */
  | { readonly kind: "too_much" }
  /** The key or session of who agrees has ended. */
  | { readonly kind: "ended" };

export interface Tokens {
  readonly kind: "tokens";
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly refreshToken: string;
  readonly scope: KeyScope;
}

/** What was shown is unknown, expired, used already, or another client's. */
export interface Refused {
  readonly kind: "refused";
}

const REFUSED: Refused = { kind: "refused" };

/** As much of `Accounts` as grants take. */
interface KeyChanges {
  changeKeys<T>(user: UserId, change: (of: AccountsOfUser) => KeysChange<T>): Promise<T>;
  revokeKey(user: UserId, id: string): Promise<unknown>;
}

export interface GrantsOptions {
  readonly keys: KeyChanges;
  readonly store: Pick<AccountStore, "keyByHash">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** That a user may have. */
  readonly mostKeys: number;
}

/**
 * Grants to OAuth clients. A grant is a key of the user, listed, limited, expiring and revoked like any
 * other, which nobody is shown: the client has an access token, for an hour, and a refresh token, good
 * for one use. All are stored as hashes only.
 */
export class Grants {
  readonly #options: GrantsOptions;

  constructor(options: GrantsOptions) {
    this.#options = options;
  }

  /** A code for the client. @param principal of who agrees */
  async offer(consent: Consent, principal: Principal): Promise<Offered> {
    const excess = excessOver(principal, consent);
    if (excess !== undefined) return { kind: excess };
    const now = this.#options.now();
    if (!isInForce(principal, now)) return { kind: "ended" };
    const { client, redirectUri, challenge, name, scope, root, expiresAt } = consent;
    const { user, keyId, sessionId, keyExpiresAt } = principal;
    const code = `oc_${this.#letters(SECRET_LETTERS)}`;
    const record: GrantKey<"code"> = {
      ...this.#record(user, "code", code),
      name,
      scope,
      root,
      maker: keyId,
      expiresAt: this.#seconds() + CODE_SECONDS,
      grant: {
        kind: "code",
        client,
        redirectUri,
        challenge,
        sessionId,
        keyExpiresAt: expiresAt ?? keyExpiresAt,
      },
    };
    const added = await this.#options.keys.changeKeys(user, (of) =>
      withCode(of, record, this.#options.mostKeys),
    );
    switch (added) {
      case "offered":
        return { kind: "offered", code };
      case "full":
        return { kind: "full" };
      case "asker_ended":
        return { kind: "ended" };
    }
  }

  /** Trades a code, once. @param verifier what the challenge was made of */
  async trade(shown: {
    readonly code: string;
    readonly client: string;
    readonly redirectUri: string;
    readonly verifier: string;
  }): Promise<Tokens | Refused> {
    const { client, redirectUri, verifier } = shown;
    const hash = hashOfKey(shown.code);
    const found = await this.#options.store.keyByHash(hash);
    if (found?.grant?.kind !== "code") return REFUSED;
    const { user } = found;
    const family = `or_${this.#letters(FAMILY_LENGTH - "or_".length)}`;
    const { tokens, refreshHash } = this.#newTokens(family, found.scope);
    const key: GrantKey<"key"> = {
      ...this.#record(user, "key", family),
      expiresAt: this.#seconds() + UNUSED_SECONDS,
      lastUsedAt: this.#seconds(),
      grant: { kind: "key", client, refreshHash, until: undefined },
    };
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const outcome = await this.#options.keys.changeKeys(user, (of) =>
      traded(of, {
        hash,
        key,
        token: this.#token(user, key.id, tokens.accessToken),
        most: this.#options.mostKeys,
        isRight: ({ grant }) =>
          VERIFIER.test(verifier) &&
          grant.challenge === challenge &&
          grant.client === client &&
          grant.redirectUri === redirectUri,
      }),
    );
    return outcome === "refused" ? REFUSED : this.#lasting(tokens, outcome);
  }

  /** Trades a refresh token for another pair, once. */
  async refresh(shown: {
    readonly token: string;
    readonly client: string;
  }): Promise<Tokens | Refused> {
    const { token, client } = shown;
    const found = isRefreshToken(token) ? await this.#keyOf(token) : undefined;
    if (found === undefined) return REFUSED;
    const family = token.slice(0, FAMILY_LENGTH);
    const { tokens, refreshHash } = this.#newTokens(family, found.scope);
    const hash = hashOfKey(token);
    const outcome = await this.#options.keys.changeKeys(found.user, (of) =>
      refreshed(of, {
        id: found.id,
        client,
        isCurrent: (stored) => isSameHash(stored, hash),
        refreshHash,
        token: this.#token(found.user, found.id, tokens.accessToken),
        expiresAt: this.#seconds() + UNUSED_SECONDS,
      }),
    );
    return outcome === "refused" ? REFUSED : this.#lasting(tokens, outcome);
  }

  /** Ends the grant of a token of either kind. @returns whether there is one (RFC 7009) */
  async revoke(token: string): Promise<boolean> {
    const found = await this.#keyOf(token);
    if (found !== undefined) await this.#options.keys.revokeKey(found.user, found.id);
    return found !== undefined;
  }

  /** The key of a refresh token, whether or not that counts, or of an access token. */
  async #keyOf(
    token: string,
  ): Promise<{ readonly user: UserId; readonly id: string; readonly scope: KeyScope } | undefined> {
    const { store } = this.#options;
    const found = await store.keyByHash(
      hashOfKey(isRefreshToken(token) ? token.slice(0, FAMILY_LENGTH) : token),
    );
    if (found?.grant?.kind === "key") return found;
    const isToken = found?.grant?.kind === "token" && found.maker !== undefined;
    return isToken ? { user: found.user, id: found.maker, scope: found.scope } : undefined;
  }

  #newTokens(
    family: string,
    scope: KeyScope,
  ): { readonly tokens: Tokens; readonly refreshHash: string } {
    const accessToken = `oa_${this.#letters(SECRET_LETTERS)}`;
    const refreshToken = family + this.#letters(SECRET_LETTERS);
    return {
      tokens: { kind: "tokens", accessToken, expiresIn: ACCESS_SECONDS, refreshToken, scope },
      refreshHash: hashOfKey(refreshToken),
    };
  }

  /** No token outlives the key of its grant. */
  #lasting(tokens: Tokens, { expiresAt = Infinity }: KeyRecord): Tokens {
    const left = Math.max(0, expiresAt - this.#seconds());
    return { ...tokens, expiresIn: Math.min(tokens.expiresIn, left) };
  }

  #token(user: UserId, maker: string, secret: string): GrantKey<"token"> {
    return {
      ...this.#record(user, "token", secret),
      maker,
      expiresAt: this.#seconds() + ACCESS_SECONDS,
      grant: { kind: "token" },
    };
  }

  #record(user: UserId, kind: string, secret: string): Omit<KeyRecord, "grant"> {
    return {
      id: `${kind}_${this.#letters(16)}`,
      user,
      hash: hashOfKey(secret),
      name: "",
      scope: "read",
      root: undefined,
      maker: undefined,
      createdAt: this.#seconds(),
      lastUsedAt: undefined,
      expiresAt: undefined,
    };
  }

  #letters(count: number): string {
    return randomLetters(count, this.#options.randomBytes);
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

function isRefreshToken(token: string): boolean {
  return token.startsWith("or_");
}

import { earliest, endingWith, hasExpiredAt, isThere, roomForKey } from "./account-changes.ts";
import {
  type AccountsOfUser,
  type Ended,
  type GrantPart,
  type KeyRecord,
  type KeysChange,
} from "./account-store.ts";

/*
 * What becomes of a user's keys when a grant to an OAuth client is agreed to, traded and refreshed:
 * worked out from the records of one user, so that each is one write, and happens once.
 */

type Part<Kind extends GrantPart["kind"]> = Extract<GrantPart, { kind: Kind }>;

/** A key that is a part of a grant. */
export type GrantKey<Kind extends GrantPart["kind"]> = KeyRecord & { readonly grant: Part<Kind> };

/** Codes of a user that were not traded or traded lately: of more the oldest goes. */
const MOST_CODES = 10;
/** How long a code is remembered, so that its use after it was traded is seen. */
const CODE_KEPT_SECONDS = 60 * 60;
/** Access tokens that a grant has beside the newest, for requests that are on their way. */
const MOST_EARLIER_TOKENS = 1;

export type GrantChange<T> = KeysChange<T | "refused">;

/** Adds a code, in the place of old ones. @param most keys that a user may have */
export function withCode(
  of: AccountsOfUser,
  code: GrantKey<"code">,
  most: number,
): KeysChange<"offered" | "full" | "asker_ended"> {
  const now = code.createdAt;
  if (!isThere(of, askerOf(code))) return { answer: "asker_ended" };
  if (roomForKey(of, most, now) === undefined) return { answer: "full" };
  const codes = of.keys.filter((key) => isPart(key, "code"));
  const old = codes.filter(
    ({ createdAt }, index) =>
      createdAt <= now - CODE_KEPT_SECONDS || index <= codes.length - MOST_CODES,
  );
  return { answer: "offered", ended: endingOf(of, old), added: [code] };
}

/** What a code is traded for, if all is as it was agreed. */
export interface Trade {
  readonly hash: string;
  readonly key: GrantKey<"key">;
  readonly token: GrantKey<"token">;
  /** Whether who trades it is who asked for it. */
  readonly isRight: (code: GrantKey<"code">) => boolean;
  /** Keys that a user may have. */
  readonly most: number;
}

/**
 * Trades a code for a key and its first token. A second use of it, by whomever, ends what the first was
 * traded for: one of the two has stolen it (RFC 6749, 4.1.2). Whoever uses it wrongly has used it.
 */
export function traded(
  of: AccountsOfUser,
  { hash, key, token, isRight, most }: Trade,
): GrantChange<KeyRecord> {
  const now = key.createdAt;
  const code = of.keys.find((each) => each.hash === hash);
  if (code === undefined || !isPart(code, "code")) return { answer: "refused" };
  const { tradedFor } = code.grant;
  if (tradedFor !== undefined) {
    const made = of.keys.filter(({ id }) => id === tradedFor);
    return { answer: "refused", ended: endingOf(of, made) };
  }
  const room = roomForKey(of, most, now);
  const isAgreed =
    isRight(code) &&
    !hasExpiredAt(code, now) &&
    isThere(of, askerOf(code)) &&
    !of.keys.some(({ id, ...maker }) => id === code.maker && hasExpiredAt(maker, now));
  const used = (id: string): KeyRecord => ({ ...code, grant: { ...code.grant, tradedFor: id } });
  if (!isAgreed || room === undefined) return { answer: "refused", changed: [used("")] };
  const { name, scope, root, maker, grant } = code;
  const until = grant.keyExpiresAt;
  const made: KeyRecord = {
    ...key,
    name,
    scope,
    root,
    maker,
    expiresAt: earliest(key.expiresAt, until),
    grant: { ...key.grant, client: grant.client, until },
  };
  return { answer: made, ended: room, changed: [used(key.id)], added: [made, token] };
}

/** What a refresh token is replaced by. */
export interface Refresh {
  /** Handle of the grant's key. */
  readonly id: string;
  readonly client: string;
  /** Whether the token that was shown is the one that counts. */
  readonly isCurrent: (hash: string) => boolean;
  readonly refreshHash: string;
  readonly token: GrantKey<"token">;
  /** Unix seconds, when nobody refreshes it. */
  readonly expiresAt: number;
}

/** Gives a grant another pair of tokens. An earlier refresh token ends it: somebody has stolen one. */
export function refreshed(of: AccountsOfUser, refresh: Refresh): GrantChange<KeyRecord> {
  const { id, client, isCurrent, refreshHash, token, expiresAt } = refresh;
  const now = token.createdAt;
  const key = of.keys.find((each) => each.id === id);
  if (key === undefined || !isPart(key, "key")) return { answer: "refused" };
  if (!isCurrent(key.grant.refreshHash)) return { answer: "refused", ended: endingOf(of, [key]) };
  if (key.grant.client !== client || hasExpiredAt(key, now)) return { answer: "refused" };
  const tokens = of.keys.filter((each) => isPart(each, "token") && each.maker === id);
  const old = tokens.filter(
    (each, index) => hasExpiredAt(each, now) || index < tokens.length - MOST_EARLIER_TOKENS,
  );
  const changed: KeyRecord = {
    ...key,
    lastUsedAt: now,
    expiresAt: earliest(expiresAt, key.grant.until),
    grant: { ...key.grant, refreshHash },
  };
  return {
    answer: changed,
    ended: endingOf(of, old),
    changed: [changed],
    added: [token],
  };
}

function isPart<Kind extends GrantPart["kind"]>(key: KeyRecord, kind: Kind): key is GrantKey<Kind> {
  return key.grant?.kind === kind;
}

/** The browser in which somebody agreed. */
function askerOf({ maker = "", grant }: GrantKey<"code">) {
  return { keyId: maker, sessionId: grant.sessionId };
}

function endingOf(of: AccountsOfUser, keys: readonly KeyRecord[]): Ended {
  const ids = new Set(keys.map(({ id }) => id));
  return endingWith(of, ({ id }) => ids.has(id));
}

import { timingSafeEqual } from "node:crypto";

import { earliest } from "./account-changes.ts";
import type { AccountStore, EndedHandles, KeyRecord } from "./account-store.ts";
import { hashOfKey } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";
import { LivePrincipals } from "./live-principals.ts";
import { hasExpired, type Principal } from "./principal.ts";

/** A use of a key or a session is written down at most this often. */
const TOUCH_INTERVAL_S = 60;

/**
 * What a request shows. Keys and tokens of sessions are never taken for each other; a `bearer` is a key
 * or, where these are taken, an access token of an OAuth client.
 */
export interface Credential {
  readonly kind: "key" | "session" | "bearer";
  readonly secret: string;
}

export interface AuthenticationOptions {
  readonly store: AccountStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Loaded {
  readonly value: Principal;
  readonly usedAt: number | undefined;
}

/**
 * Tells who shows a key or a session's token. Answers from bounded memories; what has ended is
 * forgotten, and its principal has ended, before `ended` returns.
 */
export class Authentication {
  readonly #options: AuthenticationOptions;
  readonly #principals = new LivePrincipals();
  readonly #caches = {
    key: new KeyCache<Principal>((hash) => this.#loadKey(hash)),
    session: new KeyCache<Principal>((hash) => this.#loadSession(hash)),
  } as const;

  constructor(options: AuthenticationOptions) {
    this.#options = options;
  }

  /**
   * Whom a key or a session belongs to and what it may do; undefined when it is unknown, ended or
   * expired. Never waits for the note of its use, which is written at most once a minute.
   */
  async who({ kind, secret }: Credential): Promise<Principal | undefined> {
    const { store, now } = this.#options;
    const hash = hashOfKey(secret);
    const entry = await this.#caches[kind === "session" ? "session" : "key"].get(hash);
    if (entry === undefined || hasExpired(entry.value, now())) return undefined;
    if (entry.value.audience !== "all" && kind !== "bearer") return undefined;
    const seconds = Math.floor(now() / 1000);
    if (entry.usedAt === undefined || Math.abs(seconds - entry.usedAt) >= TOUCH_INTERVAL_S) {
      entry.usedAt = seconds;
      const noted =
        kind === "session" ? store.touchSession(hash, seconds) : store.touchKey(hash, seconds);
      // Only information for the owner of the key: when the store fails now, the next minute's use
      // is written down instead.
      noted.catch(() => undefined);
    }
    return entry.value;
  }

  /** See `Accounts.ofKey`. */
  async ofKey(hash: string): Promise<Principal | undefined> {
    const entry = await this.#caches.key.get(hash);
    return entry === undefined || hasExpired(entry.value, this.#options.now())
      ? undefined
      : entry.value;
  }

  /** There is a key of that hash now, which may have been asked for before. */
  added(hash: string): void {
    this.#caches.key.forget(hash);
  }

  ended({ keys, sessions }: EndedHandles): void {
    for (const { hash } of keys) this.#caches.key.forget(hash);
    for (const { hash } of sessions) this.#caches.session.forget(hash);
    for (const { id } of [...keys, ...sessions]) this.#principals.revoke(id);
  }

  storeReplaced(): void {
    this.#caches.key.forgetAll();
    this.#caches.session.forgetAll();
    this.#principals.replaceAll();
  }

  async #loadKey(hash: string): Promise<Loaded | undefined> {
    const record = await this.#options.store.keyByHash(hash);
    if (record === undefined || !isSameHash(record.hash, hash)) return undefined;
    const { id, user, maker, grant, lastUsedAt: usedAt } = record;
    if (grant === undefined) return this.#loaded(record, { id, usedAt });
    if (grant.kind !== "token") return undefined;
    const key = (await this.#options.store.keysOf(user)).find((each) => each.id === maker);
    if (key?.grant?.kind !== "key") return undefined;
    return this.#loaded(key, { id, usedAt, expiresAt: record.expiresAt, audience: "mcp" });
  }

  async #loadSession(hash: string): Promise<Loaded | undefined> {
    const { store } = this.#options;
    const session = await store.sessionByHash(hash);
    if (session === undefined || !isSameHash(session.hash, hash)) return undefined;
    const key = await store.keyByHash(session.keyHash);
    if (key === undefined || key.id !== session.keyId) return undefined;
    return this.#loaded(key, {
      id: session.id,
      sessionId: session.id,
      usedAt: session.lastUsedAt,
      expiresAt: session.expiresAt,
    });
  }

  async #loaded(
    key: KeyRecord,
    shown: {
      readonly id: string;
      readonly sessionId?: string;
      readonly usedAt: number | undefined;
      readonly expiresAt?: number | undefined;
      readonly audience?: Principal["audience"];
    },
  ): Promise<Loaded | undefined> {
    const user = await this.#options.store.user(key.user);
    if (user === undefined) return undefined;
    const { id, sessionId, usedAt, audience = "all" } = shown;
    const family = await this.#familyOf(key);
    const value = this.#principals.of({
      id,
      user: user.id,
      outline: user.outline,
      keyId: key.id,
      sessionId,
      family,
      scope: key.scope,
      root: key.root,
      audience,
      expiresAt: earliest(key.expiresAt, shown.expiresAt),
      keyExpiresAt: key.expiresAt,
    });
    return { value, usedAt };
  }

  async #familyOf({ id, user, maker }: KeyRecord): Promise<string> {
    if (maker === undefined) return id;
    const makers = new Map<string, string | undefined>();
    for (const key of await this.#options.store.keysOf(user)) makers.set(key.id, key.maker);
    let first = maker;
    for (let next = makers.get(first); next !== undefined; next = makers.get(first)) first = next;
    return first;
  }
}

/** Constant-time: how much of a stored hash a guess shares can't be told from the answer's delay. */
export function isSameHash(stored: string, computed: string): boolean {
  const left = Buffer.from(stored, "hex");
  const right = Buffer.from(computed, "hex");
  return left.length === right.length && timingSafeEqual(left, right);
}

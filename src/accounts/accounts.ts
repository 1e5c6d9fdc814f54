import { timingSafeEqual } from "node:crypto";

import type { NodeKey, OutlineId, Random } from "../core/node-key.ts";
import { newOutlineId } from "../core/node-key.ts";
import type { AccountStore, KeyRecord, KeyScope, User, UserId } from "./account-store.ts";
import { isUserId } from "./account-store.ts";
import type { RandomBytes } from "./api-key.ts";
import { hashOfKey, isAcceptableKey, newApiKey, randomLetters } from "./api-key.ts";
import { KeyCache } from "./key-cache.ts";

/** What a request may do, as its key says. */
export interface Principal {
  readonly user: UserId;
  readonly outline: OutlineId;
  readonly keyId: string;
  readonly scope: KeyScope;
  /** With it only this node and what is below it can be reached. */
  readonly root: NodeKey | undefined;
  /** Unix seconds. */
  readonly expiresAt: number | undefined;
}

/** @param now milliseconds since 1970 */
export function hasExpired({ expiresAt }: Pick<Principal, "expiresAt">, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt * 1000;
}

export interface AccountsOptions {
  readonly store: AccountStore;
  /** Milliseconds since 1970. */
  now(): number;
  readonly randomBytes: RandomBytes;
  readonly random: Random;
}

export interface NewKey {
  readonly name: string;
  readonly scope?: KeyScope;
  readonly root?: NodeKey;
  /** Unix seconds. */
  readonly expiresAt?: number;
}

export type AddedUser =
  | { readonly kind: "added"; readonly user: User; readonly keyId: string; readonly key: string }
  /** There is a user of that id. */
  | { readonly kind: "exists" }
  /** The id is not 1 to 64 of `a-z 0-9 . _ -`. */
  | { readonly kind: "invalid_user" }
  /** The given key is not 8 to 256 characters of a `token`, or belongs to someone already. */
  | { readonly kind: "invalid_key" };

export type CreatedKey =
  | { readonly kind: "created"; readonly id: string; readonly key: string }
  | { readonly kind: "unknown_user" };

export type RemovedAccount =
  /** The outline is left to the caller to drop. */
  { readonly kind: "removed"; readonly user: User } | { readonly kind: "unknown_user" };

/** A use of a key is written down at most this often. */
const TOUCH_INTERVAL_S = 60;

/**
 * Users and their API keys. Keys are stored as hashes only and shown once, when they are made.
 * Authentication answers from a bounded cache; a revocation empties its entry before it resolves.
 */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #cache: KeyCache<Principal>;
  readonly #revocationListeners = new Set<(keyId: string) => void>();
  #revision = 0;

  constructor(options: AccountsOptions) {
    this.#options = options;
    this.#cache = new KeyCache((hash) => this.#load(hash));
  }

  /** Another number as soon as a key may have ended before its time: ask again who a key is. */
  get revision(): number {
    return this.#revision;
  }

  /** Adds a user with a first key: the given one, or a fresh one. */
  async addUser(
    id: string,
    options: { readonly key?: string; readonly keyName?: string } = {},
  ): Promise<AddedUser> {
    if (!isUserId(id)) return { kind: "invalid_user" };
    const { store, random } = this.#options;
    const key = options.key ?? newApiKey(this.#options.randomBytes);
    if (!isAcceptableKey(key)) return { kind: "invalid_key" };
    const user: User = { id, outline: newOutlineId(random), createdAt: this.#seconds() };
    const record = this.#record(id, key, { name: options.keyName ?? "first key" });
    if (await store.addUser(user, record)) {
      this.#cache.forget(record.hash);
      return { kind: "added", user, keyId: record.id, key };
    }
    return { kind: (await store.user(id)) === undefined ? "invalid_key" : "exists" };
  }

  /** Ordered by id. */
  listUsers(): Promise<readonly User[]> {
    return this.#options.store.users();
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#options.store.user(id);
  }

  /** Removes a user and revokes all keys. */
  async removeUser(id: UserId): Promise<RemovedAccount> {
    const removed = await this.#options.store.removeUser(id);
    if (removed === undefined) return { kind: "unknown_user" };
    for (const key of removed.keys) this.#revoked(key);
    return { kind: "removed", user: removed.user };
  }

  /**
   * Whom a key belongs to and what it may do; undefined when it is unknown, revoked or expired.
   * Never waits for the note of its use, which is written at most once a minute.
   */
  async authenticate(key: string): Promise<Principal | undefined> {
    const hash = hashOfKey(key);
    const entry = await this.#cache.get(hash);
    if (entry === undefined) return undefined;
    if (hasExpired(entry.value, this.#options.now())) return undefined;
    const now = this.#seconds();
    if (entry.usedAt === undefined || Math.abs(now - entry.usedAt) >= TOUCH_INTERVAL_S) {
      entry.usedAt = now;
      // Only information for the owner of the key: when the store fails now, the next minute's use
      // is written down instead.
      this.#options.store.touchKey(hash, now).catch(() => undefined);
    }
    return entry.value;
  }

  async createKey(user: UserId, input: NewKey): Promise<CreatedKey> {
    const key = newApiKey(this.#options.randomBytes);
    const record = this.#record(user, key, input);
    const added = await this.#options.store.addKey(record);
    return added ? { kind: "created", id: record.id, key } : { kind: "unknown_user" };
  }

  /** In the order of creation. */
  listKeys(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#options.store.keysOf(user);
  }

  /** False when the user has no such key. Once it resolves, the key opens nothing any more. */
  async revokeKey(user: UserId, id: string): Promise<boolean> {
    const { store } = this.#options;
    const record = (await store.keysOf(user)).find((key) => key.id === id);
    if (record === undefined || !(await store.removeKey(user, id))) return false;
    this.#revoked(record);
    return true;
  }

  /** Calls back with the id of each key that is revoked from now on. Returns the way to stop. */
  onRevoked(listener: (keyId: string) => void): () => void {
    this.#revocationListeners.add(listener);
    return () => this.#revocationListeners.delete(listener);
  }

  /** Forgets what is cached: a backup was restored, and other keys may count now. */
  storeReplaced(): void {
    this.#revision++;
    this.#cache.forgetAll();
  }

  #revoked(key: KeyRecord): void {
    this.#revision++;
    this.#cache.forget(key.hash);
    for (const listener of this.#revocationListeners) listener(key.id);
  }

  #record(user: UserId, key: string, input: NewKey): KeyRecord {
    return {
      id: `key_${randomLetters(16, this.#options.randomBytes)}`,
      user,
      hash: hashOfKey(key),
      name: input.name,
      scope: input.scope ?? "write",
      root: input.root,
      createdAt: this.#seconds(),
      lastUsedAt: undefined,
      expiresAt: input.expiresAt,
    };
  }

  async #load(hash: string): Promise<{ value: Principal; usedAt: number | undefined } | undefined> {
    const { store } = this.#options;
    const record = await store.keyByHash(hash);
    if (record === undefined || !isSameHash(record.hash, hash)) return undefined;
    const user = await store.user(record.user);
    if (user === undefined) return undefined;
    const { id: keyId, scope, root, expiresAt, lastUsedAt } = record;
    const value = { user: user.id, outline: user.outline, keyId, scope, root, expiresAt };
    return { value, usedAt: lastUsedAt };
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** Constant-time: how much of a stored hash a guess shares can't be told from the answer's delay. */
function isSameHash(stored: string, computed: string): boolean {
  const left = Buffer.from(stored, "hex");
  const right = Buffer.from(computed, "hex");
  return left.length === right.length && timingSafeEqual(left, right);
}

import type { NodeKey, OutlineId } from "../core/node-key.ts";

/** Chosen by whoever runs the server: 1 to 64 of `a-z 0-9 . _ -`. */
export type UserId = string & { readonly brand: "UserId" };

const USER_ID_PATTERN = /^[a-z0-9._-]{1,64}$/;

export function isUserId(text: string): text is UserId {
  return USER_ID_PATTERN.test(text);
}

export interface User {
  readonly id: UserId;
  readonly outline: OutlineId;
  /** Unix seconds. */
  readonly createdAt: number;
}

export type KeyScope = "read" | "write";

/** The last second of the year 9999: no key is made that expires later. */
export const LAST_EXPIRY = 253_402_300_799;

/** An API key as stored: the key itself is shown once and never kept. */
export interface KeyRecord {
  /** Public handle of the key, for lists and revocation. */
  readonly id: string;
  readonly user: UserId;
  /** Hex SHA-256 of the key. */
  readonly hash: string;
  readonly name: string;
  readonly scope: KeyScope;
  /** With it the key reaches only this node and what is below it. */
  readonly root: NodeKey | undefined;
  /** Unix seconds, like all three. */
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number | undefined;
}

export interface RemovedUser {
  readonly user: User;
  /** The keys that went with the user. */
  readonly keys: readonly KeyRecord[];
}

/**
 * What the accounts layer needs from a store; the drivers are in `store/`, under one contract
 * suite. A write is durable when it resolves, and atomic: when it answers false or undefined,
 * nothing has changed. Every method throws a StoreError when the store fails.
 */
export interface AccountStore {
  user(id: UserId): Promise<User | undefined>;

  /** Ordered by id. */
  users(): Promise<readonly User[]>;

  /** Adds a user with a first key. False when the id or the key's hash is taken. */
  addUser(user: User, key: KeyRecord): Promise<boolean>;

  /** Removes a user with all keys and tells what went; undefined when there is no such user. */
  removeUser(id: UserId): Promise<RemovedUser | undefined>;

  keyByHash(hash: string): Promise<KeyRecord | undefined>;

  /** In the order in which they were added. */
  keysOf(user: UserId): Promise<readonly KeyRecord[]>;

  /** False when there is no such user or the hash is taken. */
  addKey(key: KeyRecord): Promise<boolean>;

  /** Notes a use of a key; never brings back a key that was removed meanwhile. */
  touchKey(hash: string, lastUsedAt: number): Promise<void>;

  /** Removes the key of that handle. False when the user has none such. */
  removeKey(user: UserId, id: string): Promise<boolean>;
}

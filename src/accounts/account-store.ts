import type { NodeKey, OutlineId } from "../core/node-key.ts";

/** Chosen by whoever runs the server: 1 to 64 of `a-z 0-9 . _ -`. */
export type UserId = string & { readonly brand: "UserId" };

export interface User {
  readonly id: UserId;
  readonly outline: OutlineId;
  /** Unix seconds. */
  readonly createdAt: number;
}

export type KeyScope = "read" | "write";

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

/** What the accounts layer needs from a store; drivers in `store/`. Writes are durable. */
export interface AccountStore {
  user(id: UserId): Promise<User | undefined>;
  users(): Promise<readonly User[]>;
  /** Adds or replaces, with a first key when given, in one atomic step. */
  putUser(user: User, key?: KeyRecord): Promise<void>;
  /** Removes the user with all its keys, in one atomic step. */
  removeUser(id: UserId): Promise<void>;

  keyByHash(hash: string): Promise<KeyRecord | undefined>;
  /** In the order of creation. */
  keysOf(user: UserId): Promise<readonly KeyRecord[]>;
  putKey(key: KeyRecord): Promise<void>;
  removeKey(key: KeyRecord): Promise<void>;
}

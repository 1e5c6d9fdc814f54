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
  /**
   * Handle of the key with which it was made, and with which it ends. Undefined for a key that
   * whoever runs the server has made, and for one from before makers were written down.
   */
  readonly maker: string | undefined;
  /** Unix seconds, like all three. */
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
  readonly expiresAt: number | undefined;
  /** What it is of a grant to an OAuth client; absent for a key that is shown itself. */
  readonly grant?: GrantPart;
}

/** A key that was given to an OAuth client, or what leads to it. Each is stored as a key. */
export type GrantPart =
  /** A code, made with the key of the person who agreed. It opens nothing, and is traded once. */
  | {
      readonly kind: "code";
      /** What the client is told apart by, like the next two as it asked. */
      readonly client: string;
      readonly redirectUri: string;
      /** The SHA-256 of what only the client knows, in base64url (RFC 7636). */
      readonly challenge: string;
      /** Of the person who agreed; the code is worth nothing without it. */
      readonly sessionId: string | undefined;
      /** Unix seconds, of the key that it is traded for. */
      readonly keyExpiresAt: number | undefined;
      /** Handle of that key, once it was traded; empty when it was refused. */
      readonly tradedFor?: string;
    }
  /** The key itself, which nobody is shown. Its hash is that of what its refresh tokens begin with. */
  | {
      readonly kind: "key";
      readonly client: string;
      /** Hex SHA-256 of the one refresh token that counts. */
      readonly refreshHash: string;
      /** Unix seconds; no later than this, however often it is refreshed. */
      readonly until: number | undefined;
    }
  /** An access token, made with the key. */
  | { readonly kind: "token" };

/** Whether a record is a key that people know of: not what only leads to one. */
export function isListed({ grant }: KeyRecord): boolean {
  return grant === undefined || grant.kind === "key";
}

/** A browser that is signed in with a key, as stored: its token is in the browser's cookie only. */
export interface SessionRecord {
  /** Public handle of the session, for lists and to end it. */
  readonly id: string;
  readonly user: UserId;
  /** Hex SHA-256 of the token. */
  readonly hash: string;
  /** Handle of the key that signed in; the session ends with it. */
  readonly keyId: string;
  /** Hex SHA-256 of that key. */
  readonly keyHash: string;
  /** What the browser said it is, in plain words. */
  readonly browser: string;
  /** Unix seconds, like all three. */
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

/** Up to where of an outline's log all was told. */
export interface Reached {
  /** Of the history that the log belongs to. */
  readonly epoch: string;
  /** The number of the last update. */
  readonly head: number;
}

/** Deliveries that have failed, one behind the other. */
export interface FailingWebhook {
  /** When the first of them was tried: Unix milliseconds, like the next. */
  readonly since: number;
  readonly nextAt: number;
  readonly attempts: number;
  /** What the last one has come to, for people. */
  readonly error: string;
}

/**
 * A webhook as stored. The secret signs what is delivered, so it is stored as it is; it is shown once.
 * A field without a value is not there.
 */
export interface WebhookRecord {
  /** Public handle. */
  readonly id: string;
  readonly user: UserId;
  readonly outline: OutlineId;
  /** Handle of the key that made it: it may tell what the key may read, and ends with the key. */
  readonly keyId: string;
  /** Hex SHA-256 of that key. */
  readonly keyHash: string;
  readonly name: string;
  readonly url: string;
  /** With it only this node and what is below it is told. */
  readonly root?: NodeKey;
  /** What is told; everything when left out. */
  readonly kinds?: readonly string[];
  readonly fields: "ids" | "nodes";
  /** `whsec_` and 32 bytes in base64. */
  readonly secret: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Counts the changes of this record. */
  readonly revision: number;
  /** Behind what was told last; opaque here. */
  readonly cursor: string;
  /** Left out while something is known that was not told. */
  readonly reached?: Reached;
  /** Unix seconds. */
  readonly deliveredAt?: number;
  readonly failing?: FailingWebhook;
  /** Why nothing is delivered any more, for people; left out while it is. */
  readonly off?: string;
}

/** What a change has ended. */
export interface Ended {
  readonly keys: readonly KeyRecord[];
  readonly sessions: readonly SessionRecord[];
}

/** The records of one user, each list in the order in which they were added. */
export interface AccountsOfUser {
  readonly keys: readonly KeyRecord[];
  readonly sessions: readonly SessionRecord[];
}

/** What has to be known of it, to end it everywhere. */
export interface EndedHandles {
  readonly keys: readonly Pick<KeyRecord, "id" | "hash">[];
  readonly sessions: readonly Pick<SessionRecord, "id" | "hash">[];
}

/** What a process of several is told of keys and sessions that another one has changed. */
export interface AccountNews extends EndedHandles {
  /** Hashes of keys that are there now, and may have been asked for before. */
  readonly added: readonly string[];
}

export interface RemovedUser extends Ended {
  readonly user: User;
}

/** Who asks for a change: it happens only while the key, and the session if there is one, are there. */
export interface Asker {
  readonly keyId: string;
  readonly sessionId: string | undefined;
}

export type AddedKey =
  | "added"
  /** The asker's key or session has ended. */
  | "asker_ended"
  /** There is a key of its hash. */
  | "taken"
  | "unknown_user"
  /** The user has as many keys as may be, without those that have expired. */
  | "full";

/** What a change makes of a user's keys. */
export interface KeysChange<T> {
  readonly answer: T;
  /** Ended first, with what `endingWith` says. */
  readonly ended?: Ended;
  /** In the place of those of the same hash. */
  readonly changed?: readonly KeyRecord[];
  /** Behind the others. */
  readonly added?: readonly KeyRecord[];
}

export type AddedSession =
  /** With the sessions that had to make room. */
  | { readonly kind: "added"; readonly ended: readonly SessionRecord[] }
  /** The key that signs in has ended. */
  | { readonly kind: "key_ended" };

export type AddedWebhook =
  | "added"
  /** The asker's key or session has ended. */
  | "asker_ended"
  /** The user has as many webhooks as may be. */
  | "full";

/** Which sessions of a user: one, or all but one. */
export type SessionChoice = { readonly id: string } | { readonly allBut: string | undefined };

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

  /** Removes a user with all keys and sessions, and tells what went; undefined without such a user. */
  removeUser(id: UserId): Promise<RemovedUser | undefined>;

  keyByHash(hash: string): Promise<KeyRecord | undefined>;

  /** In the order in which they were added. */
  keysOf(user: UserId): Promise<readonly KeyRecord[]>;

  /**
   * Adds a key; when the user has `most` already, in the place of those that have expired by the
   * time it is made.
   */
  addKey(
    key: KeyRecord,
    options?: { readonly most?: number; readonly asker?: Asker | undefined },
  ): Promise<AddedKey>;

  /** Notes a use of a key; never brings back a key that was removed meanwhile. */
  touchKey(hash: string, lastUsedAt: number): Promise<void>;

  /**
   * Removes the key of that handle, all keys that were made with it or with those, and the sessions
   * of all of them. Undefined when the user has none such.
   */
  removeKey(user: UserId, id: string, asker?: Asker): Promise<Ended | "asker_ended" | undefined>;

  /**
   * Changes the keys of a user by what a function makes of them, which has no effects of its own and
   * may be called again. Nobody else changes them meanwhile.
   */
  changeKeys<T>(
    user: UserId,
    change: (of: AccountsOfUser) => KeysChange<T>,
  ): Promise<{ readonly answer: T; readonly ended: Ended }>;

  sessionByHash(hash: string): Promise<SessionRecord | undefined>;

  /** In the order in which they were added. */
  sessionsOf(user: UserId): Promise<readonly SessionRecord[]>;

  /**
   * Adds a session. Those of the user that have expired by the time it is made go, and then, as long
   * as there are more than `most`, of the key that has the most the one that was unused for longest.
   */
  addSession(session: SessionRecord, most: number): Promise<AddedSession>;

  /** Notes a use of a session and of its key; never brings back what was removed meanwhile. */
  touchSession(hash: string, lastUsedAt: number): Promise<void>;

  /** Removes sessions and tells which they were. */
  removeSessions(
    user: UserId,
    choice: SessionChoice,
    asker?: Asker,
  ): Promise<readonly SessionRecord[] | "asker_ended">;

  /** In the order in which they were added. They go with the key that made them. */
  webhooksOf(outline: OutlineId): Promise<readonly WebhookRecord[]>;

  /** Adds a webhook of the asker's key, when the user has fewer than `most`. */
  addWebhook(webhook: WebhookRecord, asker: Asker, most: number): Promise<AddedWebhook>;

  /**
   * Puts a record in the place of the one of the same id whose `revision` is one less. False when
   * there is none, or it was changed meanwhile.
   */
  changeWebhook(webhook: WebhookRecord): Promise<boolean>;

  /** False when there is none such. */
  removeWebhook(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean>;

  /**
   * Those that deliver and may have something to tell: the log of the outline has gone on since they
   * reached it, or the store has begun another history. Not those of outlines that another process
   * serves.
   */
  webhooksBehind(): Promise<readonly WebhookRecord[]>;
}

import type { NodeKey, Random } from "../core/node-key.ts";
import { newOutlineId } from "../core/node-key.ts";
import type {
  AccountsOfUser,
  AccountStore,
  AccountNews,
  EndedHandles,
  KeyRecord,
  KeysChange,
  KeyScope,
  SessionChoice,
  SessionRecord,
  User,
  UserId,
} from "./account-store.ts";
import { isListed, isUserId } from "./account-store.ts";
import type { RandomBytes } from "./api-key.ts";
import { hashOfKey, isAcceptableKey, newApiKey, randomLetters } from "./api-key.ts";
import { Authentication, type Credential } from "./authentication.ts";
import { browserName } from "./browser-name.ts";
import { Grants } from "./grants.ts";
import { excessOver, isInForce, type Principal } from "./principal.ts";
import { newSessionToken, SESSION_SECONDS } from "./session-token.ts";
import { Webhooks } from "./webhooks.ts";

/** Keys of a user: one more is refused. */
export const MOST_KEYS = 200;
/** Browsers of a user that are signed in: one more ends one that was unused for longest. */
export const MOST_SESSIONS = 100;

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
  | { readonly kind: "unknown_user" }
  /** The user has as many keys as may be. */
  | { readonly kind: "full" }
  /** It would outlive the key that makes it. */
  | { readonly kind: "too_long" }
  /** It may not do what the key that makes it may not. */
  | { readonly kind: "too_much" }
  /** The key or session that makes it has ended. */
  | { readonly kind: "ended" };

export type EndedByAsker = "done" | "unknown" | "asker_ended";

export type RemovedAccount =
  /** The outline is left to the caller to drop. */
  { readonly kind: "removed"; readonly user: User } | { readonly kind: "unknown_user" };

/**
 * Users, their API keys, and the browsers that are signed in with them. Keys and tokens are stored as
 * hashes only and shown once, when they are made. What ends, ends with all that was made with it, and
 * is in force before it is answered: also for requests that wait, which hold a `Principal`.
 */
export class Accounts {
  readonly webhooks: Webhooks;
  /** Keys that OAuth clients have. */
  readonly grants: Grants;
  readonly #options: AccountsOptions;
  readonly #authentication: Authentication;
  /** One for each websocket server and each answer that is sent in parts. [Q23] */
  readonly #endListeners = new Set<(id: string) => void>();
  /** One for what delivers webhooks. [Q23] */
  readonly #replacedListeners = new Set<() => void>();

  constructor(options: AccountsOptions) {
    this.#options = options;
    this.#authentication = new Authentication({ store: options.store, now: () => options.now() });
    this.webhooks = new Webhooks(options);
    this.grants = new Grants({
      keys: this,
      store: options.store,
      now: () => options.now(),
      randomBytes: options.randomBytes,
      mostKeys: MOST_KEYS,
    });
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
      this.#authentication.added(record.hash);
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
    this.#ended(removed);
    return { kind: "removed", user: removed.user };
  }

  /** Whom a key belongs to and what it may do; undefined when it is unknown, revoked or expired. */
  authenticate(key: string): Promise<Principal | undefined> {
    return this.who({ kind: "key", secret: key });
  }

  /** The same for a key or the token of a session. */
  who(credential: Credential): Promise<Principal | undefined> {
    return this.#authentication.who(credential);
  }

  /**
   * Who has a key, for what is done in its name without anybody showing it: that is no use of it.
   * @param hash hex SHA-256 of the key
   */
  ofKey(hash: string): Promise<Principal | undefined> {
    return this.#authentication.ofKey(hash);
  }

  /**
   * Makes a key.
   * @param maker who asks: the key ends with the maker's, expires no later, and may do no more.
   *   Without one it is whoever runs the server.
   */
  async createKey(user: UserId, input: NewKey, maker?: Principal): Promise<CreatedKey> {
    const excess = maker && excessOver(maker, input);
    if (excess !== undefined) return { kind: excess };
    if (maker !== undefined && !isInForce(maker, this.#options.now())) return { kind: "ended" };
    const key = newApiKey(this.#options.randomBytes);
    const expiresAt = input.expiresAt ?? maker?.keyExpiresAt;
    const record = this.#record(user, key, { ...input, expiresAt }, maker?.keyId);
    const added = await this.#options.store.addKey(record, { most: MOST_KEYS, asker: maker });
    switch (added) {
      case "added":
        return { kind: "created", id: record.id, key };
      case "full":
        return { kind: "full" };
      case "asker_ended":
        return { kind: "ended" };
      case "unknown_user":
        return { kind: "unknown_user" };
      case "taken":
        throw new Error("a generated key is new");
    }
  }

  /** Those that people know of, in the order of creation. */
  async listKeys(user: UserId): Promise<readonly KeyRecord[]> {
    const keys = await this.#options.store.keysOf(user);
    return keys.filter(isListed).map((key) => withUseOfTokens(key, keys));
  }

  /** See `AccountStore`; what it ends opens nothing any more once it resolves. */
  async changeKeys<T>(user: UserId, change: (of: AccountsOfUser) => KeysChange<T>): Promise<T> {
    const { answer, ended } = await this.#options.store.changeKeys(user, change);
    this.#ended(ended);
    return answer;
  }

  /**
   * Revokes a key with all that was made with it. Once it resolves with `done` they open nothing any
   * more.
   * @param asker who asks, if it is not whoever runs the server
   */
  async revokeKey(user: UserId, id: string, asker?: Principal): Promise<EndedByAsker> {
    const ended = await this.#options.store.removeKey(user, id, asker);
    if (ended === undefined) return "unknown";
    if (ended === "asker_ended") return ended;
    this.#ended(ended);
    return "done";
  }

  /**
   * Signs a browser in with a key.
   * @param principal of the key itself
   * @param userAgent what the browser says it is
   * @returns the session's token, which is shown this once; undefined when the key has ended
   */
  async createSession(principal: Principal, userAgent?: string): Promise<string | undefined> {
    const { store, randomBytes } = this.#options;
    const key = (await store.keysOf(principal.user)).find(({ id }) => id === principal.keyId);
    if (key === undefined) return undefined;
    const token = newSessionToken(randomBytes);
    const createdAt = this.#seconds();
    const session: SessionRecord = {
      id: `session_${randomLetters(16, randomBytes)}`,
      user: principal.user,
      hash: hashOfKey(token),
      keyId: key.id,
      keyHash: key.hash,
      browser: browserName(userAgent),
      createdAt,
      lastUsedAt: createdAt,
      expiresAt: Math.min(createdAt + SESSION_SECONDS, key.expiresAt ?? Infinity),
    };
    const added = await store.addSession(session, MOST_SESSIONS);
    if (added.kind === "key_ended") return undefined;
    this.#ended({ keys: [], sessions: added.ended });
    return token;
  }

  /** Those that have not expired, in the order of creation. */
  async listSessions(user: UserId): Promise<readonly SessionRecord[]> {
    const now = this.#seconds();
    const sessions = await this.#options.store.sessionsOf(user);
    return sessions.filter(({ expiresAt }) => expiresAt > now);
  }

  /** Ends sessions: once it resolves with `done` their tokens open nothing any more. */
  async endSessions(user: UserId, choice: SessionChoice, asker?: Principal): Promise<EndedByAsker> {
    const sessions = await this.#options.store.removeSessions(user, choice, asker);
    if (sessions === "asker_ended") return sessions;
    this.#ended({ keys: [], sessions });
    return sessions.length === 0 ? "unknown" : "done";
  }

  /**
   * Calls back with the handle of each key and each session that ends before its time, from now on.
   * Returns the way to stop.
   */
  onRevoked(listener: (id: string) => void): () => void {
    this.#endListeners.add(listener);
    return () => this.#endListeners.delete(listener);
  }

  /** Another process has changed something. */
  changedElsewhere(news: AccountNews): void {
    for (const hash of news.added) this.#authentication.added(hash);
    this.#ended(news);
  }

  /** Forgets what is known: a backup was restored, and other keys may count now. */
  storeReplaced(): void {
    this.#authentication.storeReplaced();
    for (const listener of this.#replacedListeners) listener();
  }

  /** Calls back when what is stored may be another history. Returns the way to stop. */
  onReplaced(listener: () => void): () => void {
    this.#replacedListeners.add(listener);
    return () => this.#replacedListeners.delete(listener);
  }

  #ended(ended: EndedHandles): void {
    this.#authentication.ended(ended);
    for (const { id } of [...ended.keys, ...ended.sessions]) {
      for (const listener of this.#endListeners) listener(id);
    }
  }

  #record(
    user: UserId,
    key: string,
    input: Omit<NewKey, "expiresAt"> & { readonly expiresAt?: number | undefined },
    maker?: string,
  ): KeyRecord {
    return {
      id: `key_${randomLetters(16, this.#options.randomBytes)}`,
      user,
      hash: hashOfKey(key),
      name: input.name,
      scope: input.scope ?? "write",
      root: input.root,
      maker,
      createdAt: this.#seconds(),
      lastUsedAt: undefined,
      expiresAt: input.expiresAt,
    };
  }

  #seconds(): number {
    return Math.floor(this.#options.now() / 1000);
  }
}

/** A key is used by its tokens, too. */
function withUseOfTokens(key: KeyRecord, keys: readonly KeyRecord[]): KeyRecord {
  if (key.grant === undefined) return key;
  const tokens = keys.filter(({ grant, maker }) => grant?.kind === "token" && maker === key.id);
  const lastUsedAt = Math.max(...[key, ...tokens].map((used) => used.lastUsedAt ?? 0));
  return { ...key, lastUsedAt: lastUsedAt === 0 ? undefined : lastUsedAt };
}

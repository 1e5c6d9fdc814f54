import type {
  AccountsOfUser,
  Ended,
  KeyRecord,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../../accounts/account-store.ts";
import { isOfEnded } from "../../accounts/account-changes.ts";
import type { AccountsChange, AccountsView } from "../../accounts/driven-accounts.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { KeyRange, Operation, View } from "../database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { isIntact } from "../record.ts";
import type { StoreKeys } from "../store-keys.ts";
import type { WholeUser } from "../store-move.ts";

/** Where a user's key or session of some hash is. */
interface Place {
  readonly user: UserId;
  readonly ordinal: number;
}

/** A record of a user, and under what it is stored. */
export interface Stored<T> {
  readonly key: string;
  readonly record: T;
}

/** What a user has, in the order in which it was added. */
interface StoredAccounts {
  readonly keys: readonly Stored<KeyRecord>[];
  readonly sessions: readonly Stored<SessionRecord>[];
}

/** All records of a user who has none yet. */
export function recordsOfUser(
  storeKeys: StoreKeys,
  { user, keys, sessions, webhooks }: WholeUser,
): readonly Operation[] {
  const operations = [putJson(storeKeys.user(user.id), user)];
  for (const [ordinal, record] of keys.entries()) {
    const place: Place = { user: user.id, ordinal };
    operations.push(putJson(storeKeys.apiKey(user.id, ordinal), record));
    operations.push(putJson(storeKeys.hash(record.hash), place));
  }
  for (const [ordinal, record] of sessions.entries()) {
    const place: Place = { user: user.id, ordinal };
    operations.push(putJson(storeKeys.session(user.id, ordinal), record));
    operations.push(putJson(storeKeys.sessionHash(record.hash), place));
  }
  for (const [ordinal, record] of webhooks.entries()) {
    operations.push(putJson(storeKeys.webhook(user.outline, ordinal), record));
  }
  return operations;
}

/** The records of accounts in one view of the database. */
export class AccountRecords implements AccountsView {
  readonly keys: StoreKeys;
  readonly #view: View;

  constructor(view: View, keys: StoreKeys) {
    this.#view = view;
    this.keys = keys;
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#get<User>(this.keys.user(id));
  }

  async users(): Promise<readonly User[]> {
    return recordsOf(await this.#all<User>(this.keys.users));
  }

  async key(hash: string): Promise<KeyRecord | undefined> {
    return (await this.storedKey(hash))?.record;
  }

  async session(hash: string): Promise<SessionRecord | undefined> {
    return (await this.storedSession(hash))?.record;
  }

  async of(user: UserId): Promise<AccountsOfUser> {
    const { keys, sessions } = await this.storedOf(user);
    return { keys: recordsOf(keys), sessions: recordsOf(sessions) };
  }

  async webhooks(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return recordsOf(await this.storedWebhooks(outline));
  }

  async storedKey(hash: string): Promise<Stored<KeyRecord> | undefined> {
    const place = await this.#get<Place>(this.keys.hash(hash));
    return place && this.#stored(this.keys.apiKey(place.user, place.ordinal));
  }

  async storedSession(hash: string): Promise<Stored<SessionRecord> | undefined> {
    const place = await this.#get<Place>(this.keys.sessionHash(hash));
    return place && this.#stored(this.keys.session(place.user, place.ordinal));
  }

  async storedOf(id: UserId): Promise<StoredAccounts> {
    const keys = await this.#all<KeyRecord>(this.keys.apiKeys(id));
    return { keys, sessions: await this.#all<SessionRecord>(this.keys.sessions(id)) };
  }

  storedWebhooks(outline: OutlineId): Promise<readonly Stored<WebhookRecord>[]> {
    return this.#all(this.keys.webhooksOf(outline));
  }

  /** All that are intact, of all outlines, in pages. */
  async *allWebhooks(): AsyncGenerator<readonly WebhookRecord[]> {
    for await (const page of this.#view.entries(this.keys.webhooks)) {
      const intact = page.filter(({ key, value }) => isIntact(key, value));
      yield intact.map(({ key, value }) => jsonOf<WebhookRecord>(key, value));
    }
  }

  async #stored<T>(key: string): Promise<Stored<T> | undefined> {
    const record = await this.#get<T>(key);
    return record && { key, record };
  }

  async #all<T>(range: KeyRange): Promise<readonly Stored<T>[]> {
    const found: Stored<T>[] = [];
    for await (const page of this.#view.entries(range)) {
      for (const { key, value } of page) found.push({ key, record: jsonOf(key, value) });
    }
    return found;
  }

  async #get<T>(key: string): Promise<T | undefined> {
    const value = await this.#view.get(key);
    return value && jsonOf<T>(key, value);
  }
}

/** A change of one user's records. It reads them as they were before it. */
export class LevelChange implements AccountsChange {
  readonly user: User | undefined;
  readonly records: AccountsOfUser;
  /** What it writes, for all that a user has at most. [Q21] */
  readonly operations: Operation[] = [];
  readonly #view: AccountRecords;
  readonly #stored: StoredAccounts;
  #nextKey: number;

  constructor(view: AccountRecords, stored: StoredAccounts, user: User | undefined) {
    this.#view = view;
    this.#stored = stored;
    this.user = user;
    this.#nextKey = nextOrdinal(stored.keys);
    this.records = { keys: recordsOf(stored.keys), sessions: recordsOf(stored.sessions) };
  }

  async hasKey(hash: string): Promise<boolean> {
    return (await this.#view.key(hash)) !== undefined;
  }

  webhooks(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.#view.webhooks(outline);
  }

  async addUser(user: User): Promise<boolean> {
    if (this.user !== undefined) return false;
    this.operations.push(putJson(this.#view.keys.user(user.id), user));
    return true;
  }

  async removeUser(ended: Ended): Promise<void> {
    if (this.user !== undefined) this.operations.push({ key: this.#view.keys.user(this.user.id) });
    await this.remove(ended);
  }

  /** No other change adds one of its hash meanwhile. */
  async addKey(record: KeyRecord): Promise<boolean> {
    const place: Place = { user: record.user, ordinal: this.#nextKey++ };
    const { keys } = this.#view;
    this.operations.push(
      putJson(keys.apiKey(place.user, place.ordinal), record),
      putJson(keys.hash(record.hash), place),
    );
    return true;
  }

  async replaceKey(record: KeyRecord): Promise<void> {
    const place = this.#stored.keys.find((stored) => stored.record.hash === record.hash);
    if (place !== undefined) this.operations.push(putJson(place.key, record));
  }

  async addSession(record: SessionRecord): Promise<void> {
    const place: Place = { user: record.user, ordinal: nextOrdinal(this.#stored.sessions) };
    const { keys } = this.#view;
    this.operations.push(
      putJson(keys.session(place.user, place.ordinal), record),
      putJson(keys.sessionHash(record.hash), place),
    );
  }

  async addWebhook(record: WebhookRecord): Promise<void> {
    const ordinal = nextOrdinal(await this.#view.storedWebhooks(record.outline));
    this.operations.push(putJson(this.#view.keys.webhook(record.outline, ordinal), record));
  }

  async remove(ended: Ended): Promise<void> {
    const { keys } = this.#view;
    const outline = ended.keys.length > 0 ? this.user?.outline : undefined;
    const webhooks = outline === undefined ? [] : await this.#view.storedWebhooks(outline);
    for (const { key, record } of webhooks) {
      if (isOfEnded(record, ended)) this.operations.push({ key });
    }
    const hashes = new Set([...ended.keys, ...ended.sessions].map(({ hash }) => hash));
    for (const { key, record } of this.#stored.keys) {
      if (hashes.has(record.hash)) this.operations.push({ key }, { key: keys.hash(record.hash) });
    }
    for (const { key, record } of this.#stored.sessions) {
      if (!hashes.has(record.hash)) continue;
      this.operations.push({ key }, { key: keys.sessionHash(record.hash) });
    }
  }
}

function recordsOf<T>(stored: readonly Stored<T>[]): readonly T[] {
  return stored.map(({ record }) => record);
}

function nextOrdinal(stored: readonly Stored<unknown>[]): number {
  const last = stored.at(-1);
  return last === undefined ? 0 : ordinalOf(last.key) + 1;
}

function ordinalOf(key: string): number {
  return parseInt(key.slice(key.lastIndexOf("/") + 1), 16);
}

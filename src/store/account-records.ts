import type {
  AccountsOfUser,
  Ended,
  KeyRecord,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../accounts/account-store.ts";
import { isOfEnded } from "../accounts/account-changes.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { KeyRange, Operation, View } from "./database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { isIntact } from "./record.ts";
import type { StoreKeys } from "./store-keys.ts";
import type { WholeUser } from "./store-move.ts";

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

/** All of a user's, in the order in which they were added. */
export interface StoredAccounts {
  readonly keys: readonly Stored<KeyRecord>[];
  readonly sessions: readonly Stored<SessionRecord>[];
  readonly webhooks: readonly Stored<WebhookRecord>[];
  readonly records: AccountsOfUser;
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
export class AccountRecords {
  readonly #view: View;
  readonly #keys: StoreKeys;

  constructor(view: View, keys: StoreKeys) {
    this.#view = view;
    this.#keys = keys;
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#get<User>(this.#keys.user(id));
  }

  async users(): Promise<readonly User[]> {
    const users: User[] = [];
    for await (const page of this.#view.entries(this.#keys.users)) {
      for (const { key, value } of page) users.push(jsonOf(key, value));
    }
    return users;
  }

  async key(hash: string): Promise<Stored<KeyRecord> | undefined> {
    const place = await this.#get<Place>(this.#keys.hash(hash));
    return place && this.#stored(this.#keys.apiKey(place.user, place.ordinal));
  }

  async session(hash: string): Promise<Stored<SessionRecord> | undefined> {
    const place = await this.#get<Place>(this.#keys.sessionHash(hash));
    return place && this.#stored(this.#keys.session(place.user, place.ordinal));
  }

  async of(user: UserId): Promise<StoredAccounts> {
    const keys = await this.#all<KeyRecord>(this.#keys.apiKeys(user));
    const sessions = await this.#all<SessionRecord>(this.#keys.sessions(user));
    const { outline } = (await this.user(user)) ?? {};
    const webhooks = outline === undefined ? [] : await this.webhooks(outline);
    const records = { keys: recordsOf(keys), sessions: recordsOf(sessions) };
    return { keys, sessions, webhooks, records };
  }

  webhooks(outline: OutlineId): Promise<readonly Stored<WebhookRecord>[]> {
    return this.#all(this.#keys.webhooksOf(outline));
  }

  /** All that are intact, of all outlines, in pages. */
  async *allWebhooks(): AsyncGenerator<readonly WebhookRecord[]> {
    for await (const page of this.#view.entries(this.#keys.webhooks)) {
      const intact = page.filter(({ key, value }) => isIntact(key, value));
      yield intact.map(({ key, value }) => jsonOf<WebhookRecord>(key, value));
    }
  }

  /** Puts keys behind the other ones of their user. */
  addKeys(
    records: readonly KeyRecord[],
    { keys }: Pick<StoredAccounts, "keys">,
  ): readonly Operation[] {
    const first = nextOrdinal(keys);
    return records.flatMap((record, index) => {
      const place: Place = { user: record.user, ordinal: first + index };
      const key = this.#keys.apiKey(place.user, place.ordinal);
      return [putJson(key, record), putJson(this.#keys.hash(record.hash), place)];
    });
  }

  /** Puts keys in the places of those of the same hash. */
  replaceKeys(records: readonly KeyRecord[], { keys }: StoredAccounts): readonly Operation[] {
    return records.flatMap((record) => {
      const place = keys.find((stored) => stored.record.hash === record.hash);
      return place === undefined ? [] : [putJson(place.key, record)];
    });
  }

  /** Puts a session behind the other ones of its user. */
  addSession(record: SessionRecord, { sessions }: StoredAccounts): readonly Operation[] {
    const place: Place = { user: record.user, ordinal: nextOrdinal(sessions) };
    const key = this.#keys.session(place.user, place.ordinal);
    return [putJson(key, record), putJson(this.#keys.sessionHash(record.hash), place)];
  }

  /** Puts a webhook behind the other ones of its outline. */
  addWebhook(record: WebhookRecord, { webhooks }: StoredAccounts): readonly Operation[] {
    return [putJson(this.#keys.webhook(record.outline, nextOrdinal(webhooks)), record)];
  }

  remove({ keys, sessions, webhooks }: StoredAccounts, ended: Ended): readonly Operation[] {
    const operations: Operation[] = [];
    for (const { key, record } of webhooks) {
      if (isOfEnded(record, ended)) operations.push({ key });
    }
    const hashes = new Set([...ended.keys, ...ended.sessions].map(({ hash }) => hash));
    for (const { key, record } of keys) {
      if (hashes.has(record.hash)) operations.push({ key }, { key: this.#keys.hash(record.hash) });
    }
    for (const { key, record } of sessions) {
      if (hashes.has(record.hash)) {
        operations.push({ key }, { key: this.#keys.sessionHash(record.hash) });
      }
    }
    return operations;
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

import type { KeyRecord, User, UserId } from "../accounts/account-store.ts";
import type { Operation, View } from "./database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import type { StoreKeys } from "./store-keys.ts";

/** Which of whose keys has a hash. */
interface KeyPlace {
  readonly user: UserId;
  readonly ordinal: number;
}

/** A user's API key, and under what it is stored. */
export interface StoredKey {
  readonly key: string;
  readonly record: KeyRecord;
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

  async key(hash: string): Promise<StoredKey | undefined> {
    const place = await this.#get<KeyPlace>(this.#keys.hash(hash));
    if (place === undefined) return undefined;
    const key = this.#keys.apiKey(place.user, place.ordinal);
    const record = await this.#get<KeyRecord>(key);
    return record && { key, record };
  }

  /** In the order in which they were added. */
  async keysOf(user: UserId): Promise<readonly StoredKey[]> {
    const keys: StoredKey[] = [];
    for await (const page of this.#view.entries(this.#keys.apiKeys(user))) {
      for (const { key, value } of page) keys.push({ key, record: jsonOf(key, value) });
    }
    return keys;
  }

  /** Puts a key behind the other ones of its user. */
  async addition(record: KeyRecord): Promise<readonly Operation[]> {
    const { user, hash } = record;
    const last = (await this.keysOf(user)).at(-1);
    const place: KeyPlace = { user, ordinal: last === undefined ? 0 : ordinalOf(last.key) + 1 };
    const key = this.#keys.apiKey(user, place.ordinal);
    return [putJson(key, record), putJson(this.#keys.hash(hash), place)];
  }

  removal({ key, record }: StoredKey): readonly Operation[] {
    return [{ key }, { key: this.#keys.hash(record.hash) }];
  }

  async #get<T>(key: string): Promise<T | undefined> {
    const value = await this.#view.get(key);
    return value && jsonOf<T>(key, value);
  }
}

function ordinalOf(key: string): number {
  return parseInt(key.slice(key.lastIndexOf("/") + 1), 16);
}

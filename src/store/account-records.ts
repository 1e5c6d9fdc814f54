import type { KeyRecord, User, UserId } from "../accounts/account-store.ts";
import type { Operation, View } from "./database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import type { StoreKeys } from "./store-keys.ts";
import { portableKey } from "./store-keys.ts";

/** A user's API key, and where its record is. */
export interface StoredKey {
  readonly place: string;
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
    const pointer = await this.#get<string>(this.#keys.hash(hash));
    if (pointer === undefined) return undefined;
    const place = this.#keys.adopt(pointer);
    const record = await this.#get<KeyRecord>(place);
    return record && { place, record };
  }

  /** In the order in which they were added. */
  async keysOf(user: UserId): Promise<readonly StoredKey[]> {
    const keys: StoredKey[] = [];
    for await (const page of this.#view.entries(this.#keys.apiKeys(user))) {
      for (const { key, value } of page) keys.push({ place: key, record: jsonOf(key, value) });
    }
    return keys;
  }

  /** Puts a key behind the other ones of its user. */
  async addition(record: KeyRecord): Promise<readonly Operation[]> {
    const last = (await this.keysOf(record.user)).at(-1);
    const place = this.#keys.apiKey(
      record.user,
      last === undefined ? 0 : ordinalOf(last.place) + 1,
    );
    return [putJson(place, record), putJson(this.#keys.hash(record.hash), portableKey(place))];
  }

  removal({ place, record }: StoredKey): readonly Operation[] {
    return [{ key: place }, { key: this.#keys.hash(record.hash) }];
  }

  async #get<T>(key: string): Promise<T | undefined> {
    const value = await this.#view.get(key);
    return value && jsonOf<T>(key, value);
  }
}

function ordinalOf(place: string): number {
  return parseInt(place.slice(place.lastIndexOf("/") + 1), 16);
}

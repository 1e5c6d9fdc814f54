import type {
  AccountStore,
  KeyRecord,
  RemovedUser,
  User,
  UserId,
} from "../accounts/account-store.ts";
import { AccountRecords } from "./account-records.ts";
import type { Operation } from "./database.ts";
import { putJson } from "./json-record.ts";
import { KeyedSerial } from "./keyed-serial.ts";
import type { StoreCore } from "./store-core.ts";
import type { StoreKeys } from "./store-keys.ts";

/** What a change writes, and what it answers once that is durable. */
interface Plan<T> {
  readonly operations: readonly Operation[];
  readonly answer: T;
}

const REFUSED = { operations: [], answer: false } as const;

/** The account store in LevelDB. A change reads, then writes: one at a time for each user. */
export class LevelAccounts implements AccountStore {
  readonly #core: StoreCore;
  readonly #byUser = new KeyedSerial<UserId>();
  readonly #byHash = new KeyedSerial<string>();

  constructor(core: StoreCore) {
    this.#core = core;
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#read((records) => records.user(id));
  }

  users(): Promise<readonly User[]> {
    return this.#read((records) => records.users());
  }

  addUser(user: User, key: KeyRecord): Promise<boolean> {
    return this.#add(key, async (records, keys) => {
      if ((await records.user(user.id)) !== undefined) return REFUSED;
      const operations = [putJson(keys.user(user.id), user), ...(await records.addition(key))];
      return { operations, answer: true };
    });
  }

  removeUser(id: UserId): Promise<RemovedUser | undefined> {
    return this.#change(id, async (records, keys) => {
      const user = await records.user(id);
      if (user === undefined) return { operations: [], answer: undefined };
      const stored = await records.keysOf(id);
      const operations = [{ key: keys.user(id) }, ...stored.flatMap((key) => records.removal(key))];
      return { operations, answer: { user, keys: stored.map(({ record }) => record) } };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.#read(async (records) => (await records.key(hash))?.record);
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#read(async (records) => (await records.keysOf(user)).map(({ record }) => record));
  }

  addKey(key: KeyRecord): Promise<boolean> {
    return this.#add(key, async (records) => {
      if ((await records.user(key.user)) === undefined) return REFUSED;
      return { operations: await records.addition(key), answer: true };
    });
  }

  async touchKey(hash: string, lastUsedAt: number): Promise<void> {
    const key = await this.keyByHash(hash);
    if (key === undefined) return;
    await this.#change(key.user, async (records) => {
      const stored = await records.key(hash);
      if (stored === undefined) return { operations: [], answer: undefined };
      const operations = [putJson(stored.key, { ...stored.record, lastUsedAt })];
      return { operations, answer: undefined };
    });
  }

  removeKey(user: UserId, id: string): Promise<boolean> {
    return this.#change(user, async (records) => {
      const stored = (await records.keysOf(user)).find(({ record }) => record.id === id);
      if (stored === undefined) return REFUSED;
      return { operations: records.removal(stored), answer: true };
    });
  }

  #read<T>(query: (records: AccountRecords) => Promise<T>): Promise<T> {
    return this.#core.operation(() =>
      this.#core.read((view, { keys }) => query(new AccountRecords(view, keys))),
    );
  }

  /** A change that adds a key; refused when there is one of its hash, whoever has it. */
  #add(
    key: KeyRecord,
    plan: (records: AccountRecords, keys: StoreKeys) => Promise<Plan<boolean>>,
  ): Promise<boolean> {
    return this.#byHash.run(key.hash, () =>
      this.#change(key.user, async (records, keys) => {
        const isTaken = (await records.key(key.hash)) !== undefined;
        return isTaken ? REFUSED : plan(records, keys);
      }),
    );
  }

  #change<T>(
    user: UserId,
    plan: (records: AccountRecords, keys: StoreKeys) => Promise<Plan<T>>,
  ): Promise<T> {
    const task = async () => {
      const planned = await this.#core.read(async (view, history) => {
        const { operations, answer } = await plan(
          new AccountRecords(view, history.keys),
          history.keys,
        );
        return { history, operations, answer };
      });
      const { history, operations, answer } = planned;
      if (operations.length > 0) await this.#core.change(history, operations);
      return answer;
    };
    return this.#core.operation(() => this.#byUser.run(user, task));
  }
}

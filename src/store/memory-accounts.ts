import type {
  AccountStore,
  KeyRecord,
  RemovedUser,
  User,
  UserId,
} from "../accounts/account-store.ts";
import type { MemoryCommitQueue } from "./memory-commit-queue.ts";
import type { MemoryDisk } from "./memory-disk.ts";

/** The account store of a MemoryStore. */
export class MemoryAccounts implements AccountStore {
  readonly #disk: MemoryDisk;
  readonly #queue: MemoryCommitQueue;

  constructor(disk: MemoryDisk, queue: MemoryCommitQueue) {
    this.#disk = disk;
    this.#queue = queue;
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#queue.read(() => this.#disk.users.get(id));
  }

  users(): Promise<readonly User[]> {
    return this.#queue.read(() =>
      [...this.#disk.users.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }

  addUser(user: User, key: KeyRecord): Promise<boolean> {
    return this.#queue.write(() => {
      if (this.#disk.users.has(user.id) || this.#disk.keys.has(key.hash)) return false;
      this.#disk.users.set(user.id, user);
      this.#disk.keys.set(key.hash, key);
      return true;
    });
  }

  removeUser(id: UserId): Promise<RemovedUser | undefined> {
    return this.#queue.write(() => {
      const user = this.#disk.users.get(id);
      if (user === undefined) return undefined;
      const keys = this.#keysOf(id);
      for (const key of keys) this.#disk.keys.delete(key.hash);
      this.#disk.users.delete(id);
      return { user, keys };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.#queue.read(() => this.#disk.keys.get(hash));
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#queue.read(() => this.#keysOf(user));
  }

  addKey(key: KeyRecord): Promise<boolean> {
    return this.#queue.write(() => {
      if (!this.#disk.users.has(key.user) || this.#disk.keys.has(key.hash)) return false;
      this.#disk.keys.set(key.hash, key);
      return true;
    });
  }

  touchKey(hash: string, lastUsedAt: number): Promise<void> {
    return this.#queue.write(() => {
      const key = this.#disk.keys.get(hash);
      if (key !== undefined) this.#disk.keys.set(hash, { ...key, lastUsedAt });
    });
  }

  removeKey(user: UserId, id: string): Promise<boolean> {
    return this.#queue.write(() => {
      const key = this.#keysOf(user).find((candidate) => candidate.id === id);
      return key !== undefined && this.#disk.keys.delete(key.hash);
    });
  }

  #keysOf(user: UserId): KeyRecord[] {
    return [...this.#disk.keys.values()].filter((key) => key.user === user);
  }
}

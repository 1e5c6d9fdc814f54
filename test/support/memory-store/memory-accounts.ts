import {
  endingWith,
  isBehind,
  isChosen,
  isOfEnded,
  isThere,
  NOTHING,
  roomForKey,
  sessionsThatGo,
} from "../../../src/accounts/account-changes.ts";
import type {
  AccountsOfUser,
  AccountStore,
  AddedKey,
  AddedSession,
  AddedWebhook,
  Asker,
  Ended,
  KeyRecord,
  KeysChange,
  RemovedUser,
  SessionChoice,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../../../src/accounts/account-store.ts";
import type { OutlineId } from "../../../src/core/node-key.ts";
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
      const ended = endingWith(this.#of(id), () => true);
      this.#remove(ended);
      this.#disk.users.delete(id);
      return { user, ...ended };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.#queue.read(() => this.#disk.keys.get(hash));
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#queue.read(() => this.#of(user).keys);
  }

  addKey(
    key: KeyRecord,
    { most = Infinity, asker }: { readonly most?: number; readonly asker?: Asker | undefined } = {},
  ): Promise<AddedKey> {
    return this.#queue.write(() => {
      if (this.#disk.keys.has(key.hash)) return "taken";
      if (!this.#disk.users.has(key.user)) return "unknown_user";
      const records = this.#of(key.user);
      if (!isThere(records, asker)) return "asker_ended";
      const ended = roomForKey(records, most, key.createdAt);
      if (ended === undefined) return "full";
      this.#remove(ended);
      this.#disk.keys.set(key.hash, key);
      return "added";
    });
  }

  touchKey(hash: string, lastUsedAt: number): Promise<void> {
    return this.#queue.write(() => this.#touch(hash, lastUsedAt));
  }

  removeKey(user: UserId, id: string, asker?: Asker): Promise<Ended | "asker_ended" | undefined> {
    return this.#queue.write(() => {
      const records = this.#of(user);
      if (!isThere(records, asker)) return "asker_ended";
      const ended = endingWith(records, (key) => key.id === id);
      if (ended.keys.length === 0) return undefined;
      this.#remove(ended);
      return ended;
    });
  }

  changeKeys<T>(
    user: UserId,
    change: (of: AccountsOfUser) => KeysChange<T>,
  ): Promise<{ readonly answer: T; readonly ended: Ended }> {
    return this.#queue.write(() => {
      const { answer, ended = NOTHING, changed = [], added = [] } = change(this.#of(user));
      this.#remove(ended);
      for (const key of [...changed, ...added]) this.#disk.keys.set(key.hash, key);
      return { answer, ended };
    });
  }

  sessionByHash(hash: string): Promise<SessionRecord | undefined> {
    return this.#queue.read(() => this.#disk.sessions.get(hash));
  }

  sessionsOf(user: UserId): Promise<readonly SessionRecord[]> {
    return this.#queue.read(() => this.#of(user).sessions);
  }

  addSession(session: SessionRecord, most: number): Promise<AddedSession> {
    return this.#queue.write(() => {
      const { user, keyId } = session;
      const records = this.#of(user);
      if (!isThere(records, { keyId, sessionId: undefined })) return { kind: "key_ended" };
      const ended = sessionsThatGo(records.sessions, most, session);
      this.#remove({ keys: [], sessions: ended });
      this.#disk.sessions.set(session.hash, session);
      return { kind: "added", ended };
    });
  }

  touchSession(hash: string, lastUsedAt: number): Promise<void> {
    return this.#queue.write(() => {
      const session = this.#disk.sessions.get(hash);
      if (session === undefined) return;
      this.#disk.sessions.set(hash, { ...session, lastUsedAt });
      this.#touch(session.keyHash, lastUsedAt);
    });
  }

  removeSessions(
    user: UserId,
    choice: SessionChoice,
    asker?: Asker,
  ): Promise<readonly SessionRecord[] | "asker_ended"> {
    return this.#queue.write(() => {
      const records = this.#of(user);
      if (!isThere(records, asker)) return "asker_ended";
      const sessions = records.sessions.filter((session) => isChosen(session, choice));
      this.#remove({ keys: [], sessions });
      return sessions;
    });
  }

  webhooksOf(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.#queue.read(() => this.#webhooksOf(outline));
  }

  addWebhook(webhook: WebhookRecord, asker: Asker, most: number): Promise<AddedWebhook> {
    return this.#queue.write(() => {
      if (!isThere(this.#of(webhook.user), asker)) return "asker_ended";
      if (this.#webhooksOf(webhook.outline).length >= most) return "full";
      this.#disk.webhooks.set(webhook.id, webhook);
      return "added";
    });
  }

  changeWebhook(webhook: WebhookRecord): Promise<boolean> {
    return this.#queue.write(() => {
      const { webhooks } = this.#disk;
      if (webhooks.get(webhook.id)?.revision !== webhook.revision - 1) return false;
      webhooks.set(webhook.id, webhook);
      return true;
    });
  }

  removeWebhook({ id, outline }: Pick<WebhookRecord, "outline" | "id">): Promise<boolean> {
    return this.#queue.write(() => {
      const { webhooks } = this.#disk;
      return webhooks.get(id)?.outline === outline && webhooks.delete(id);
    });
  }

  webhooksBehind(): Promise<readonly WebhookRecord[]> {
    return this.#queue.read(() => {
      const { webhooks, outlines, epoch } = this.#disk;
      const headOf = ({ outline }: WebhookRecord): number => outlines.get(outline)?.head ?? 0;
      return [...webhooks.values()].filter((webhook) =>
        isBehind(webhook, { epoch, head: headOf(webhook) }),
      );
    });
  }

  #webhooksOf(outline: OutlineId): readonly WebhookRecord[] {
    return [...this.#disk.webhooks.values()].filter((webhook) => webhook.outline === outline);
  }

  #of(user: UserId): AccountsOfUser {
    const isOfUser = (record: KeyRecord | SessionRecord): boolean => record.user === user;
    const { keys, sessions } = this.#disk;
    return {
      keys: [...keys.values()].filter(isOfUser),
      sessions: [...sessions.values()].filter(isOfUser),
    };
  }

  #touch(hash: string, lastUsedAt: number): void {
    const key = this.#disk.keys.get(hash);
    if (key !== undefined) this.#disk.keys.set(hash, { ...key, lastUsedAt });
  }

  #remove({ keys, sessions }: Ended): void {
    for (const [id, webhook] of this.#disk.webhooks) {
      if (isOfEnded(webhook, { keys })) this.#disk.webhooks.delete(id);
    }
    for (const { hash } of keys) this.#disk.keys.delete(hash);
    for (const { hash } of sessions) this.#disk.sessions.delete(hash);
  }
}

import type { OutlineId } from "../core/node-key.ts";
import {
  endingWith,
  isChosen,
  isThere,
  NOTHING,
  roomForKey,
  sessionsThatGo,
} from "./account-changes.ts";
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
} from "./account-store.ts";

/** What a driver reads of accounts: all of one moment, and in the order in which it was added. */
export interface AccountsView {
  user(id: UserId): Promise<User | undefined>;
  /** Ordered by id. */
  users(): Promise<readonly User[]>;
  key(hash: string): Promise<KeyRecord | undefined>;
  session(hash: string): Promise<SessionRecord | undefined>;
  of(user: UserId): Promise<AccountsOfUser>;
  webhooks(outline: OutlineId): Promise<readonly WebhookRecord[]>;
}

/** A change of what one user has, which nobody else changes meanwhile: all of it is written or nothing. */
export interface AccountsChange {
  /** As it was before the change, and so are the records. */
  readonly user: User | undefined;
  readonly records: AccountsOfUser;
  hasKey(hash: string): Promise<boolean>;
  webhooks(outline: OutlineId): Promise<readonly WebhookRecord[]>;
  /** False when there is one of its id. */
  addUser(user: User): Promise<boolean>;
  /** @param ended all that the user has */
  removeUser(ended: Ended): Promise<void>;
  /** Puts a key behind the others. False when there is one of its hash, whoever has it. */
  addKey(key: KeyRecord): Promise<boolean>;
  /** Puts a key in the place of the one of its hash. */
  replaceKey(key: KeyRecord): Promise<void>;
  addSession(session: SessionRecord): Promise<void>;
  addWebhook(webhook: WebhookRecord): Promise<void>;
  /** Removes keys, with their webhooks, and sessions. */
  remove(ended: Ended): Promise<void>;
}

/** What changes of accounts come to, whatever they are stored in. */
export abstract class DrivenAccounts implements AccountStore {
  abstract touchKey(hash: string, lastUsedAt: number): Promise<void>;
  abstract touchSession(hash: string, lastUsedAt: number): Promise<void>;
  abstract changeWebhook(webhook: WebhookRecord): Promise<boolean>;
  abstract removeWebhook(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean>;
  abstract webhooksBehind(): Promise<readonly WebhookRecord[]>;

  protected abstract read<T>(query: (view: AccountsView) => Promise<T>): Promise<T>;
  /** @param added the hash of a key that the change may add */
  protected abstract change<T>(
    user: UserId,
    work: (change: AccountsChange) => Promise<T>,
    added?: string,
  ): Promise<T>;

  user(id: UserId): Promise<User | undefined> {
    return this.read((view) => view.user(id));
  }

  users(): Promise<readonly User[]> {
    return this.read((view) => view.users());
  }

  addUser(user: User, key: KeyRecord): Promise<boolean> {
    const add = async (change: AccountsChange): Promise<boolean> => {
      if (await change.hasKey(key.hash)) return false;
      if (!(await change.addUser(user))) return false;
      if (await change.addKey(key)) return true;
      // Of no use without its key.
      await change.removeUser(NOTHING);
      return false;
    };
    return this.change(user.id, add, key.hash);
  }

  removeUser(id: UserId): Promise<RemovedUser | undefined> {
    return this.change(id, async (change) => {
      const { user, records } = change;
      if (user === undefined) return undefined;
      const ended = endingWith(records, () => true);
      await change.removeUser(ended);
      return { user, ...ended };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.read((view) => view.key(hash));
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.read(async (view) => (await view.of(user)).keys);
  }

  addKey(
    key: KeyRecord,
    { most = Infinity, asker }: { readonly most?: number; readonly asker?: Asker | undefined } = {},
  ): Promise<AddedKey> {
    const add = async (change: AccountsChange): Promise<AddedKey> => {
      const { user, records } = change;
      if (await change.hasKey(key.hash)) return "taken";
      if (user === undefined) return "unknown_user";
      if (!isThere(records, asker)) return "asker_ended";
      const ended = roomForKey(records, most, key.createdAt);
      if (ended === undefined) return "full";
      if (!(await change.addKey(key))) return "taken";
      await change.remove(ended);
      return "added";
    };
    return this.change(key.user, add, key.hash);
  }

  removeKey(user: UserId, id: string, asker?: Asker): Promise<Ended | "asker_ended" | undefined> {
    return this.change(user, async (change) => {
      if (!isThere(change.records, asker)) return "asker_ended";
      const ended = endingWith(change.records, (key) => key.id === id);
      if (ended.keys.length === 0) return undefined;
      await change.remove(ended);
      return ended;
    });
  }

  changeKeys<T>(
    user: UserId,
    changeOf: (of: AccountsOfUser) => KeysChange<T>,
  ): Promise<{ readonly answer: T; readonly ended: Ended }> {
    return this.change(user, async (change) => {
      const { answer, ended = NOTHING, changed = [], added = [] } = changeOf(change.records);
      await change.remove(ended);
      for (const key of changed) await change.replaceKey(key);
      for (const key of added) await change.addKey(key);
      return { answer, ended };
    });
  }

  sessionByHash(hash: string): Promise<SessionRecord | undefined> {
    return this.read((view) => view.session(hash));
  }

  sessionsOf(user: UserId): Promise<readonly SessionRecord[]> {
    return this.read(async (view) => (await view.of(user)).sessions);
  }

  addSession(session: SessionRecord, most: number): Promise<AddedSession> {
    const { user, keyId } = session;
    return this.change<AddedSession>(user, async (change) => {
      const { records } = change;
      if (!isThere(records, { keyId, sessionId: undefined })) return { kind: "key_ended" };
      const ended = sessionsThatGo(records.sessions, most, session);
      await change.remove({ keys: [], sessions: ended });
      await change.addSession(session);
      return { kind: "added", ended };
    });
  }

  removeSessions(
    user: UserId,
    choice: SessionChoice,
    asker?: Asker,
  ): Promise<readonly SessionRecord[] | "asker_ended"> {
    return this.change(user, async (change) => {
      if (!isThere(change.records, asker)) return "asker_ended";
      const sessions = change.records.sessions.filter((session) => isChosen(session, choice));
      await change.remove({ keys: [], sessions });
      return sessions;
    });
  }

  webhooksOf(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.read((view) => view.webhooks(outline));
  }

  addWebhook(webhook: WebhookRecord, asker: Asker, most: number): Promise<AddedWebhook> {
    return this.change<AddedWebhook>(webhook.user, async (change) => {
      if (!isThere(change.records, asker)) return "asker_ended";
      if ((await change.webhooks(webhook.outline)).length >= most) return "full";
      await change.addWebhook(webhook);
      return "added";
    });
  }
}

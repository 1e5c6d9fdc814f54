import {
  endingWith,
  isBehind,
  isChosen,
  isThere,
  NOTHING,
  roomForKey,
  sessionsThatGo,
} from "../accounts/account-changes.ts";
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
} from "../accounts/account-store.ts";
import type { OutlineId } from "../core/node-key.ts";
import { AccountRecords, type Stored } from "./account-records.ts";
import type { Operation } from "./database.ts";
import { readHeads } from "./heads.ts";
import { putJson } from "./json-record.ts";
import { KeyedSerial } from "./keyed-serial.ts";
import type { StoreCore } from "./store-core.ts";
import type { StoreKeys } from "./store-keys.ts";

/** What a change writes, and what it answers once that is durable. */
interface Plan<T> {
  readonly operations: readonly Operation[];
  readonly answer: T;
}

/** Answers and changes nothing. */
function unchanged<T>(answer: T): Plan<T> {
  return { operations: [], answer };
}

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
    return this.#whenFree(key, false, async (records, keys) => {
      if ((await records.user(user.id)) !== undefined) return unchanged(false);
      const operations = [
        putJson(keys.user(user.id), user),
        ...records.addKeys([key], await records.of(user.id)),
      ];
      return { operations, answer: true };
    });
  }

  removeUser(id: UserId): Promise<RemovedUser | undefined> {
    return this.#change(id, async (records, keys) => {
      const user = await records.user(id);
      if (user === undefined) return unchanged(undefined);
      const stored = await records.of(id);
      const ended = endingWith(stored.records, () => true);
      const operations = [{ key: keys.user(id) }, ...records.remove(stored, ended)];
      return { operations, answer: { user, ...ended } };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.#read(async (records) => (await records.key(hash))?.record);
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#read(async (records) => (await records.of(user)).records.keys);
  }

  addKey(
    key: KeyRecord,
    { most = Infinity, asker }: { readonly most?: number; readonly asker?: Asker | undefined } = {},
  ): Promise<AddedKey> {
    return this.#whenFree<AddedKey>(key, "taken", async (records) => {
      if ((await records.user(key.user)) === undefined) return unchanged("unknown_user");
      const stored = await records.of(key.user);
      if (!isThere(stored.records, asker)) return unchanged("asker_ended");
      const ended = roomForKey(stored.records, most, key.createdAt);
      if (ended === undefined) return unchanged("full");
      const operations = [...records.remove(stored, ended), ...records.addKeys([key], stored)];
      return { operations, answer: "added" };
    });
  }

  async touchKey(hash: string, lastUsedAt: number): Promise<void> {
    const key = await this.keyByHash(hash);
    if (key === undefined) return;
    await this.#change(key.user, async (records) => {
      const stored = await records.key(hash);
      const operations =
        stored === undefined ? [] : [putJson(stored.key, { ...stored.record, lastUsedAt })];
      return { operations, answer: undefined };
    });
  }

  removeKey(user: UserId, id: string, asker?: Asker): Promise<Ended | "asker_ended" | undefined> {
    return this.#change<Ended | "asker_ended" | undefined>(user, async (records) => {
      const stored = await records.of(user);
      if (!isThere(stored.records, asker)) return unchanged("asker_ended");
      const ended = endingWith(stored.records, (key) => key.id === id);
      if (ended.keys.length === 0) return unchanged(undefined);
      return { operations: records.remove(stored, ended), answer: ended };
    });
  }

  changeKeys<T>(
    user: UserId,
    change: (of: AccountsOfUser) => KeysChange<T>,
  ): Promise<{ readonly answer: T; readonly ended: Ended }> {
    return this.#change(user, async (records) => {
      const stored = await records.of(user);
      const { answer, ended = NOTHING, changed = [], added = [] } = change(stored.records);
      const operations = [
        ...records.remove(stored, ended),
        ...records.replaceKeys(changed, stored),
        ...records.addKeys(added, stored),
      ];
      return { operations, answer: { answer, ended } };
    });
  }

  sessionByHash(hash: string): Promise<SessionRecord | undefined> {
    return this.#read(async (records) => (await records.session(hash))?.record);
  }

  sessionsOf(user: UserId): Promise<readonly SessionRecord[]> {
    return this.#read(async (records) => (await records.of(user)).records.sessions);
  }

  addSession(session: SessionRecord, most: number): Promise<AddedSession> {
    return this.#change<AddedSession>(session.user, async (records) => {
      const stored = await records.of(session.user);
      if (!isThere(stored.records, { keyId: session.keyId, sessionId: undefined })) {
        return unchanged({ kind: "key_ended" });
      }
      const ended = sessionsThatGo(stored.records.sessions, most, session);
      const operations = [
        ...records.remove(stored, { keys: [], sessions: ended }),
        ...records.addSession(session, stored),
      ];
      return { operations, answer: { kind: "added", ended } };
    });
  }

  async touchSession(hash: string, lastUsedAt: number): Promise<void> {
    const session = await this.sessionByHash(hash);
    if (session === undefined) return;
    await this.#change(session.user, async (records) => {
      const stored = await records.session(hash);
      const key = await records.key(session.keyHash);
      const operations =
        stored === undefined || key === undefined
          ? []
          : [stored, key].map((used) => putJson(used.key, { ...used.record, lastUsedAt }));
      return { operations, answer: undefined };
    });
  }

  removeSessions(
    user: UserId,
    choice: SessionChoice,
    asker?: Asker,
  ): Promise<readonly SessionRecord[] | "asker_ended"> {
    return this.#change<readonly SessionRecord[] | "asker_ended">(user, async (records) => {
      const stored = await records.of(user);
      if (!isThere(stored.records, asker)) return unchanged("asker_ended");
      const sessions = stored.records.sessions.filter((session) => isChosen(session, choice));
      return { operations: records.remove(stored, { keys: [], sessions }), answer: sessions };
    });
  }

  webhooksOf(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.#read(async (records) => {
      const stored = await records.webhooks(outline);
      return stored.map(({ record }) => record);
    });
  }

  addWebhook(webhook: WebhookRecord, asker: Asker, most: number): Promise<AddedWebhook> {
    return this.#change<AddedWebhook>(webhook.user, async (records) => {
      const stored = await records.of(webhook.user);
      if (!isThere(stored.records, asker)) return unchanged("asker_ended");
      if (stored.webhooks.length >= most) return unchanged("full");
      return { operations: records.addWebhook(webhook, stored), answer: "added" };
    });
  }

  changeWebhook(webhook: WebhookRecord): Promise<boolean> {
    const { id, revision } = webhook;
    return this.#changeStored(
      webhook,
      ({ record }) => record.id === id && record.revision === revision - 1,
      ({ key }) => putJson(key, webhook),
    );
  }

  removeWebhook(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean> {
    return this.#changeStored(
      webhook,
      ({ record }) => record.id === webhook.id,
      ({ key }) => ({ key }),
    );
  }

  webhooksBehind(): Promise<readonly WebhookRecord[]> {
    return this.#core.operation(() =>
      this.#core.read(async (view, { keys, meta }) => {
        const behind: WebhookRecord[] = [];
        for await (const page of new AccountRecords(view, keys).allWebhooks()) {
          const outlines = [...new Set(page.map(({ outline }) => outline))];
          const heads = await readHeads(view, keys, outlines);
          for (const webhook of page) {
            const head = heads.get(webhook.outline) ?? 0;
            // What is damaged can't be opened.
            if (typeof head !== "number") continue;
            if (isBehind(webhook, { epoch: meta.epoch, head })) behind.push(webhook);
          }
        }
        return behind;
      }),
    );
  }

  #changeStored(
    { user, outline }: Pick<WebhookRecord, "user" | "outline">,
    isMeant: (stored: Stored<WebhookRecord>) => boolean,
    operationOf: (stored: Stored<WebhookRecord>) => Operation,
  ): Promise<boolean> {
    return this.#change(user, async (records) => {
      const stored = (await records.webhooks(outline)).find(isMeant);
      if (stored === undefined) return unchanged(false);
      return { operations: [operationOf(stored)], answer: true };
    });
  }

  #read<T>(query: (records: AccountRecords) => Promise<T>): Promise<T> {
    return this.#core.operation(() =>
      this.#core.read((view, { keys }) => query(new AccountRecords(view, keys))),
    );
  }

  /** A change that adds a key; `taken` when there is one of its hash, whoever has it. */
  #whenFree<T>(
    key: KeyRecord,
    taken: T,
    plan: (records: AccountRecords, keys: StoreKeys) => Promise<Plan<T>>,
  ): Promise<T> {
    return this.#byHash.run(key.hash, () =>
      this.#change(key.user, async (records, keys) => {
        const isTaken = (await records.key(key.hash)) !== undefined;
        return isTaken ? unchanged(taken) : plan(records, keys);
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

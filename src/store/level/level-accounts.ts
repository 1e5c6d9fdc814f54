import { isBehind } from "../../accounts/account-changes.ts";
import type { UserId, WebhookRecord } from "../../accounts/account-store.ts";
import {
  type AccountsChange,
  type AccountsView,
  DrivenAccounts,
} from "../../accounts/driven-accounts.ts";
import { AccountRecords, LevelChange, type Stored } from "./account-records.ts";
import type { Operation } from "../database.ts";
import { readHeads } from "./heads.ts";
import { putJson } from "./json-record.ts";
import { KeyedSerial } from "../keyed-serial.ts";
import type { StoreCore } from "./store-core.ts";

/** What a change writes, and what it answers once that is durable. */
interface Plan<T> {
  readonly operations: readonly Operation[];
  readonly answer: T;
}

/** The account store in LevelDB. A change reads, then writes: one at a time for each user. */
export class LevelAccounts extends DrivenAccounts {
  readonly #core: StoreCore;
  readonly #byUser = new KeyedSerial<UserId>();
  readonly #byHash = new KeyedSerial<string>();

  constructor(core: StoreCore) {
    super();
    this.#core = core;
  }

  async touchKey(hash: string, lastUsedAt: number): Promise<void> {
    const key = await this.keyByHash(hash);
    if (key === undefined) return;
    await this.#write(key.user, async (records) => {
      const stored = await records.storedKey(hash);
      const used = stored === undefined ? [] : [stored];
      return { operations: touched(lastUsedAt, ...used), answer: undefined };
    });
  }

  async touchSession(hash: string, lastUsedAt: number): Promise<void> {
    const session = await this.sessionByHash(hash);
    if (session === undefined) return;
    await this.#write(session.user, async (records) => {
      const stored = await records.storedSession(hash);
      const key = await records.storedKey(session.keyHash);
      const used = stored === undefined || key === undefined ? [] : [stored, key];
      return { operations: touched(lastUsedAt, ...used), answer: undefined };
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

  protected read<T>(query: (view: AccountsView) => Promise<T>): Promise<T> {
    return this.#core.operation(() =>
      this.#core.read((view, { keys }) => query(new AccountRecords(view, keys))),
    );
  }

  protected change<T>(
    user: UserId,
    work: (change: AccountsChange) => Promise<T>,
    added?: string,
  ): Promise<T> {
    const change = (): Promise<T> =>
      this.#write(user, async (records) => {
        const stored = await records.storedOf(user);
        const planned = new LevelChange(records, stored, await records.user(user));
        const answer = await work(planned);
        return { operations: planned.operations, answer };
      });
    return added === undefined ? change() : this.#byHash.run(added, change);
  }

  #changeStored(
    { user, outline }: Pick<WebhookRecord, "user" | "outline">,
    isMeant: (stored: Stored<WebhookRecord>) => boolean,
    operationOf: (stored: Stored<WebhookRecord>) => Operation,
  ): Promise<boolean> {
    return this.#write(user, async (records) => {
      const stored = (await records.storedWebhooks(outline)).find(isMeant);
      if (stored === undefined) return { operations: [], answer: false };
      return { operations: [operationOf(stored)], answer: true };
    });
  }

  #write<T>(user: UserId, plan: (records: AccountRecords) => Promise<Plan<T>>): Promise<T> {
    const task = async (): Promise<T> => {
      const planned = await this.#core.read(async (view, history) => {
        const { operations, answer } = await plan(new AccountRecords(view, history.keys));
        return { history, operations, answer };
      });
      const { history, operations, answer } = planned;
      if (operations.length > 0) await this.#core.change(history, operations);
      return answer;
    };
    return this.#core.operation(() => this.#byUser.run(user, task));
  }
}

function touched(lastUsedAt: number, ...used: readonly Stored<object>[]): readonly Operation[] {
  return used.map(({ key, record }) => putJson(key, { ...record, lastUsedAt }));
}

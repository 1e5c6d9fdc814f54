import type {
  AccountNews,
  AccountsOfUser,
  Ended,
  KeyRecord,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../../accounts/account-store.ts";
import { isUserId } from "../../accounts/account-store.ts";
import {
  type AccountsChange,
  type AccountsView,
  DrivenAccounts,
} from "../../accounts/driven-accounts.ts";
import { KeyedSerial } from "../keyed-serial.ts";
import type { WholeUser } from "../store-move.ts";
import type { Membership } from "./membership.ts";
import { announce, heardByOthers } from "./revocations.ts";
import type { Run, SqlPool } from "./sql-pool.ts";
import {
  changeWebhookRow,
  insertWebhook,
  removeWebhookRow,
  removeWebhooksOf,
  webhookRows,
  webhookRowsBehind,
} from "./webhook-rows.ts";

export interface PostgresAccountsOptions {
  readonly membership: Membership;
  readonly pool: SqlPool;
  /** Runs what `close` waits for. @throws StoreError `store_closed` */
  readonly operation: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Notes what a change ends or adds, of which every process is told with it. */
type Tell = (news: Partial<AccountNews>) => void;

interface RecordRow {
  readonly record: string;
}
interface UsedRow extends RecordRow {
  readonly last_used_at: number | null;
}

const USER = "select record from outline_store.account where id = $1";
/** Changes of one user come one after the other, whoever makes them. */
const LOCK_USER = `${USER} for update`;
const USERS = "select record from outline_store.account order by id";
const KEY = {
  name: "key",
  text: "select record, last_used_at from outline_store.api_key where hash = $1",
};
const KEYS =
  "select record, last_used_at from outline_store.api_key where account = $1 order by ordinal";
const SESSION = {
  name: "session",
  text: "select record, last_used_at from outline_store.session where hash = $1",
};
const SESSIONS =
  "select record, last_used_at from outline_store.session where account = $1 order by ordinal";
const ADD_USER = `insert into outline_store.account (id, record) values ($1, $2)
    on conflict do nothing returning id`;
const REMOVE_USER = "delete from outline_store.account where id = $1";
const ADD_KEY = `insert into outline_store.api_key (hash, account, ordinal, last_used_at, record)
    select $1, $2, coalesce(max(ordinal) + 1, 0), $3, $4
    from outline_store.api_key where account = $2
    on conflict (hash) do nothing returning ordinal`;
const ADD_SESSION = `insert into outline_store.session (hash, account, ordinal, key_hash, last_used_at, record)
    select $1, $2, coalesce(max(ordinal) + 1, 0), $3, $4, $5
    from outline_store.session where account = $2`;
const CHANGE_KEY =
  "update outline_store.api_key set record = $2, last_used_at = $3 where hash = $1";
const REMOVE_KEYS = `delete from outline_store.api_key
    where hash in (select decode(hash, 'hex') from unnest($1::text[]) as h (hash))`;
const REMOVE_SESSIONS = `delete from outline_store.session
    where hash in (select decode(hash, 'hex') from unnest($1::text[]) as h (hash))`;
const TOUCH_KEY = "update outline_store.api_key set last_used_at = $2 where hash = $1";
const TOUCH_SESSION = `with used as (
      update outline_store.session set last_used_at = $2 where hash = $1 returning key_hash)
    update outline_store.api_key set last_used_at = $2 where hash in (select key_hash from used)`;

/** The account store in PostgreSQL. */
export class PostgresAccounts extends DrivenAccounts {
  readonly #options: PostgresAccountsOptions;
  /** Of this process, so that they come in the order of the calls. */
  readonly #byUser = new KeyedSerial<UserId>();

  constructor(options: PostgresAccountsOptions) {
    super();
    this.#options = options;
  }

  touchKey(hash: string, lastUsedAt: number): Promise<void> {
    return this.#touch(TOUCH_KEY, hash, lastUsedAt);
  }

  touchSession(hash: string, lastUsedAt: number): Promise<void> {
    return this.#touch(TOUCH_SESSION, hash, lastUsedAt);
  }

  changeWebhook(webhook: WebhookRecord): Promise<boolean> {
    return this.#write(webhook.user, (run) => changeWebhookRow(run, webhook));
  }

  removeWebhook(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean> {
    return this.#write(webhook.user, (run) => removeWebhookRow(run, webhook));
  }

  webhooksBehind(): Promise<readonly WebhookRecord[]> {
    const { membership } = this.#options;
    return this.#read((run) => webhookRowsBehind(run, membership.require().id));
  }

  protected read<T>(query: (view: AccountsView) => Promise<T>): Promise<T> {
    return this.#read((run) =>
      query({
        user: (id) => userOf(run, id),
        users: async () => (await run<RecordRow>(USERS)).map(recordOf<User>),
        key: async (hash) => (await run<UsedRow>(KEY, [hashOf(hash)])).map(keyOf)[0],
        session: async (hash) => (await run<UsedRow>(SESSION, [hashOf(hash)])).map(sessionOf)[0],
        of: (user) => recordsOf(run, user),
        webhooks: (outline) => webhookRows(run, outline),
      }),
    );
  }

  protected change<T>(id: UserId, work: (change: AccountsChange) => Promise<T>): Promise<T> {
    return this.#write(id, async (run, tell) => {
      const user = await userOf(run, id, LOCK_USER);
      const removed = async (ended: Ended): Promise<void> => {
        if (ended.keys.length + ended.sessions.length > 0) tell(ended);
      };
      return work({
        user,
        records: await recordsOf(run, id),
        hasKey: async (hash) => (await run(KEY, [hashOf(hash)])).length > 0,
        webhooks: (outline) => webhookRows(run, outline),
        addUser: async (added) => (await addUser(run, added)).length > 0,
        // Keys and sessions go with it.
        removeUser: async (ended) => {
          await run(REMOVE_USER, [id]);
          await removed(ended);
        },
        addKey: async (key) => {
          tell({ added: [key.hash] });
          return addKey(run, key);
        },
        replaceKey: async (key) => {
          await run(CHANGE_KEY, [hashOf(key.hash), JSON.stringify(key), key.lastUsedAt ?? null]);
        },
        addSession: (session) => addSession(run, session),
        addWebhook: (webhook) => insertWebhook(run, webhook),
        remove: async (ended) => {
          await remove(run, ended);
          await removed(ended);
        },
      });
    });
  }

  #read<T>(query: (run: Run) => Promise<T>): Promise<T> {
    const { operation, membership, pool } = this.#options;
    return operation(() => {
      membership.require();
      return pool.transaction("read", query);
    });
  }

  #touch(statement: string, hash: string, lastUsedAt: number): Promise<void> {
    const { operation, membership, pool } = this.#options;
    return operation(async () => {
      membership.require();
      await pool.query(statement, [hashOf(hash), lastUsedAt]);
    });
  }

  /** Once it resolves, no process takes what it has ended for what it was. [P100] */
  #write<T>(user: UserId, work: (run: Run, tell: Tell) => Promise<T>): Promise<T> {
    const { operation, membership, pool } = this.#options;
    return operation(() =>
      this.#byUser.run(user, async () => {
        const { id } = membership.require();
        const told: Partial<AccountNews>[] = [];
        let revocation: number | undefined;
        const result = await pool.transaction("write", async (run) => {
          const done = await work(run, (news) => told.push(news));
          if (told.length > 0) revocation = await announce(run, told);
          return done;
        });
        if (revocation !== undefined) {
          await heardByOthers(pool, id, revocation);
        }
        return result;
      }),
    );
  }
}

async function userOf(run: Run, id: UserId, statement = USER): Promise<User | undefined> {
  // Whatever a caller has let through.
  if (!isUserId(id)) return undefined;
  const [row] = await run<RecordRow>(statement, [id]);
  return row && recordOf<User>(row);
}

async function recordsOf(run: Run, user: UserId): Promise<AccountsOfUser> {
  if (!isUserId(user)) return { keys: [], sessions: [] };
  return {
    keys: (await run<UsedRow>(KEYS, [user])).map(keyOf),
    sessions: (await run<UsedRow>(SESSIONS, [user])).map(sessionOf),
  };
}

function keyOf({ record, last_used_at: used }: UsedRow): KeyRecord {
  return { ...(JSON.parse(record) as KeyRecord), lastUsedAt: used ?? undefined };
}

function sessionOf({ record, last_used_at: used }: UsedRow): SessionRecord {
  const session = JSON.parse(record) as SessionRecord;
  return { ...session, lastUsedAt: used ?? session.lastUsedAt };
}

/** Adds a user who is not there, with all keys and sessions. */
export async function insertUser(
  run: Run,
  { user, keys, sessions, webhooks }: WholeUser,
): Promise<void> {
  await addUser(run, user);
  for (const key of keys) await addKey(run, key);
  for (const session of sessions) await addSession(run, session);
  for (const webhook of webhooks) await insertWebhook(run, webhook);
}

function recordOf<T>({ record }: RecordRow): T {
  return JSON.parse(record) as T;
}

function addUser(run: Run, user: User): Promise<readonly object[]> {
  return run(ADD_USER, [user.id, JSON.stringify(user)]);
}

/** False when there is a key of its hash. */
async function addKey(run: Run, key: KeyRecord): Promise<boolean> {
  const { hash, user, lastUsedAt = null } = key;
  const added = await run(ADD_KEY, [hashOf(hash), user, lastUsedAt, JSON.stringify(key)]);
  return added.length > 0;
}

async function addSession(run: Run, session: SessionRecord): Promise<void> {
  const { user, hash, keyHash, lastUsedAt } = session;
  const record = JSON.stringify(session);
  await run(ADD_SESSION, [hashOf(hash), user, hashOf(keyHash), lastUsedAt, record]);
}

async function remove(run: Run, { keys, sessions }: Ended): Promise<void> {
  if (keys.length > 0) {
    await removeWebhooksOf(run, hexOf(keys));
    await run(REMOVE_KEYS, [hexOf(keys)]);
  }
  if (sessions.length > 0) await run(REMOVE_SESSIONS, [hexOf(sessions)]);
}

/** Of any text: what is no hash is none that is stored. */
function hashOf(hash: string): Buffer {
  return Buffer.from(hash, "utf8");
}

function hexOf(records: readonly { readonly hash: string }[]): readonly string[] {
  return records.map(({ hash }) => hashOf(hash).toString("hex"));
}

import {
  endingWith,
  isChosen,
  isThere,
  NOTHING,
  roomForKey,
  sessionsThatGo,
} from "../../accounts/account-changes.ts";
import type {
  AccountsOfUser,
  AccountStore,
  AddedKey,
  AddedSession,
  AddedWebhook,
  Asker,
  Ended,
  AccountNews,
  KeyRecord,
  KeysChange,
  RemovedUser,
  SessionChoice,
  SessionRecord,
  User,
  UserId,
  WebhookRecord,
} from "../../accounts/account-store.ts";
import { isUserId } from "../../accounts/account-store.ts";
import type { OutlineId } from "../../core/node-key.ts";
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
export class PostgresAccounts implements AccountStore {
  readonly #options: PostgresAccountsOptions;
  /** Of this process, so that they come in the order of the calls. */
  readonly #byUser = new KeyedSerial<UserId>();

  constructor(options: PostgresAccountsOptions) {
    this.#options = options;
  }

  user(id: UserId): Promise<User | undefined> {
    return this.#read((run) => userOf(run, id));
  }

  users(): Promise<readonly User[]> {
    return this.#read(async (run) =>
      (await run<RecordRow>(USERS)).map(({ record }) => JSON.parse(record) as User),
    );
  }

  addUser(user: User, key: KeyRecord): Promise<boolean> {
    return this.#change(user.id, async (run, tell) => {
      tell({ added: [key.hash] });
      const added = await run(ADD_USER, [user.id, JSON.stringify(user)]);
      if (added.length === 0) return false;
      if (await addKey(run, key)) return true;
      // Of no use without its key.
      await run(REMOVE_USER, [user.id]);
      return false;
    });
  }

  removeUser(id: UserId): Promise<RemovedUser | undefined> {
    return this.#changeUser(id, async ({ run, tell, records, user }) => {
      if (user === undefined) return undefined;
      const ended = endingWith(records, () => true);
      tell(ended);
      // Keys and sessions go with it.
      await run(REMOVE_USER, [id]);
      return { user, ...ended };
    });
  }

  keyByHash(hash: string): Promise<KeyRecord | undefined> {
    return this.#read(async (run) => (await run<UsedRow>(KEY, [hashOf(hash)])).map(keyOf)[0]);
  }

  keysOf(user: UserId): Promise<readonly KeyRecord[]> {
    return this.#read(async (run) => (await recordsOf(run, user)).keys);
  }

  addKey(
    key: KeyRecord,
    { most = Infinity, asker }: { readonly most?: number; readonly asker?: Asker | undefined } = {},
  ): Promise<AddedKey> {
    return this.#changeUser(key.user, async ({ run, tell, records, user }) => {
      if ((await run(KEY, [hashOf(key.hash)])).length > 0) return "taken";
      if (user === undefined) return "unknown_user";
      if (!isThere(records, asker)) return "asker_ended";
      const ended = roomForKey(records, most, key.createdAt);
      if (ended === undefined) return "full";
      await remove(run, ended);
      tell(ended);
      tell({ added: [key.hash] });
      return (await addKey(run, key)) ? "added" : "taken";
    });
  }

  touchKey(hash: string, lastUsedAt: number): Promise<void> {
    return this.#touch(TOUCH_KEY, hash, lastUsedAt);
  }

  removeKey(user: UserId, id: string, asker?: Asker): Promise<Ended | "asker_ended" | undefined> {
    return this.#changeUser(user, async ({ run, tell, records }) => {
      if (!isThere(records, asker)) return "asker_ended";
      const ended = endingWith(records, (key) => key.id === id);
      if (ended.keys.length === 0) return undefined;
      await remove(run, ended);
      tell(ended);
      return ended;
    });
  }

  changeKeys<T>(
    user: UserId,
    change: (of: AccountsOfUser) => KeysChange<T>,
  ): Promise<{ readonly answer: T; readonly ended: Ended }> {
    return this.#changeUser(user, async ({ run, tell, records }) => {
      const { answer, ended = NOTHING, changed = [], added = [] } = change(records);
      await remove(run, ended);
      if (ended.keys.length + ended.sessions.length > 0) tell(ended);
      for (const key of changed) {
        await run(CHANGE_KEY, [hashOf(key.hash), JSON.stringify(key), key.lastUsedAt ?? null]);
      }
      for (const key of added) await addKey(run, key);
      return { answer, ended };
    });
  }

  sessionByHash(hash: string): Promise<SessionRecord | undefined> {
    return this.#read(
      async (run) => (await run<UsedRow>(SESSION, [hashOf(hash)])).map(sessionOf)[0],
    );
  }

  sessionsOf(user: UserId): Promise<readonly SessionRecord[]> {
    return this.#read(async (run) => (await recordsOf(run, user)).sessions);
  }

  addSession(session: SessionRecord, most: number): Promise<AddedSession> {
    const { user, keyId } = session;
    return this.#changeUser<AddedSession>(user, async ({ run, tell, records }) => {
      if (!isThere(records, { keyId, sessionId: undefined })) return { kind: "key_ended" };
      const ended = sessionsThatGo(records.sessions, most, session);
      await remove(run, { keys: [], sessions: ended });
      if (ended.length > 0) tell({ sessions: ended });
      await addSession(run, session);
      return { kind: "added", ended };
    });
  }

  touchSession(hash: string, lastUsedAt: number): Promise<void> {
    return this.#touch(TOUCH_SESSION, hash, lastUsedAt);
  }

  removeSessions(
    user: UserId,
    choice: SessionChoice,
    asker?: Asker,
  ): Promise<readonly SessionRecord[] | "asker_ended"> {
    return this.#changeUser(user, async ({ run, tell, records }) => {
      if (!isThere(records, asker)) return "asker_ended";
      const sessions = records.sessions.filter((session) => isChosen(session, choice));
      await remove(run, { keys: [], sessions });
      if (sessions.length > 0) tell({ sessions });
      return sessions;
    });
  }

  webhooksOf(outline: OutlineId): Promise<readonly WebhookRecord[]> {
    return this.#read((run) => webhookRows(run, outline));
  }

  addWebhook(webhook: WebhookRecord, asker: Asker, most: number): Promise<AddedWebhook> {
    return this.#changeUser<AddedWebhook>(webhook.user, async ({ run, records }) => {
      if (!isThere(records, asker)) return "asker_ended";
      if ((await webhookRows(run, webhook.outline)).length >= most) return "full";
      await insertWebhook(run, webhook);
      return "added";
    });
  }

  changeWebhook(webhook: WebhookRecord): Promise<boolean> {
    return this.#change(webhook.user, (run) => changeWebhookRow(run, webhook));
  }

  removeWebhook(webhook: Pick<WebhookRecord, "user" | "outline" | "id">): Promise<boolean> {
    return this.#change(webhook.user, (run) => removeWebhookRow(run, webhook));
  }

  webhooksBehind(): Promise<readonly WebhookRecord[]> {
    const { membership } = this.#options;
    return this.#read((run) => webhookRowsBehind(run, membership.require().id));
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
  #change<T>(user: UserId, work: (run: Run, tell: Tell) => Promise<T>): Promise<T> {
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

  /** With what there is of the user, which nobody else changes meanwhile. */
  #changeUser<T>(id: UserId, work: (change: ChangeOfUser) => Promise<T>): Promise<T> {
    return this.#change(id, async (run, tell) => {
      const user = await userOf(run, id, LOCK_USER);
      return work({ run, tell, records: await recordsOf(run, id), user });
    });
  }
}

interface ChangeOfUser {
  readonly run: Run;
  readonly tell: Tell;
  readonly records: AccountsOfUser;
  readonly user: User | undefined;
}

async function userOf(run: Run, id: UserId, statement = USER): Promise<User | undefined> {
  // Whatever a caller has let through.
  if (!isUserId(id)) return undefined;
  const [row] = await run<RecordRow>(statement, [id]);
  return row && (JSON.parse(row.record) as User);
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
  await run(ADD_USER, [user.id, JSON.stringify(user)]);
  for (const key of keys) await addKey(run, key);
  for (const session of sessions) await addSession(run, session);
  for (const webhook of webhooks) await insertWebhook(run, webhook);
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

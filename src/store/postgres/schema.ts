import { StoreError } from "../../documents/log/outline-log.ts";
import { changeGivingWay } from "./give-way.ts";
import { LOCKS } from "./locks.ts";
import { LIVES } from "./owners.ts";
import type { SqlSession } from "./sql-session.ts";

/*
 * The tables. Texts and lists are JSON, which escapes what no text of PostgreSQL may hold (NUL, half
 * of a surrogate pair); hashes are bytes for the same reason. Sealed records have a checksum over
 * what they are and their content, as in LevelDB (`store/record.ts`).
 */

/**
 * Each step is applied once, in a transaction of its own, while others may serve: see `changeGivingWay`.
 * Never changed, only added to. A step that earlier versions of the program can live with leaves `oldest`
 * as it is, one that they can't sets it to its own number.
 */
const STEPS: readonly string[] = [
  `
  create table outline_store.meta (
    one boolean primary key default true check (one),
    format integer not null,
    -- Names the history; and how many there were.
    epoch text not null,
    epoch_ordinal integer not null,
    -- Of the database when the history began: another one may have lost something.
    origin text,
    -- Tells this store from others.
    name text not null
  );
  -- The process that serves: its number is never used again.
  create table outline_store.process (
    id bigint generated always as identity primary key,
    seen_at timestamptz not null default clock_timestamp(),
    -- When the server began that has the lock of the process.
    locked_in timestamptz not null
  );
  -- A row stays when its outline is removed: an earlier term must find a later one.
  create table outline_store.outline (
    id bytea primary key,
    head bigint not null default 0,
    term bigint not null,
    owner bigint not null,
    -- Whether there is anything in it.
    made boolean not null default false,
    snapshot_seq bigint not null default 0,
    snapshot_parts integer not null default 0,
    snapshot_memory bigint
  ) with (fillfactor = 70);
  create table outline_store.entry (
    outline bytea not null,
    seq bigint not null,
    -- A sealed update.
    data bytea not null,
    primary key (outline, seq)
  );
  alter table outline_store.entry alter data set storage external;
  create table outline_store.snapshot_part (
    outline bytea not null,
    seq bigint not null,
    -- State vector, annex, then the chunks; each sealed.
    part integer not null,
    data bytea not null,
    primary key (outline, seq, part)
  );
  alter table outline_store.snapshot_part alter data set storage external;
  create table outline_store.client_binding (
    outline bytea not null,
    client bigint not null,
    holder text not null,
    primary key (outline, client)
  );
  -- What requests that may come again were answered.
  create table outline_store.receipt (
    outline bytea not null,
    at bigint not null,
    id bytea not null,
    -- Of the answer.
    bytes integer not null,
    -- The answer, sealed.
    data bytea not null,
    primary key (outline, at, id)
  );
  create table outline_store.account (
    id text collate "C" primary key,
    record text not null
  );
  create table outline_store.api_key (
    hash bytea primary key,
    account text collate "C" not null references outline_store.account on delete cascade,
    ordinal bigint not null,
    last_used_at bigint,
    record text not null,
    unique (account, ordinal)
  );
  create table outline_store.session (
    hash bytea primary key,
    account text collate "C" not null references outline_store.account on delete cascade,
    ordinal bigint not null,
    key_hash bytea not null,
    last_used_at bigint not null,
    record text not null,
    unique (account, ordinal)
  );
  create table outline_store.token (
    hash bytea primary key,
    taken_at bigint not null
  );
  `,
  `
  -- Which nodes changed.
  create table outline_store.change (
    outline bytea not null,
    -- The number of the last change in it.
    last bigint not null,
    -- Sealed.
    data bytea not null,
    primary key (outline, last)
  );
  alter table outline_store.change alter data set storage external;
  `,
  `
  -- Another store, of the same name, is being moved here: nothing is served.
  alter table outline_store.meta add column arriving boolean not null default false;
  -- What it had before a backup was put back that lacked it: client ids and clocks, as JSON.
  alter table outline_store.outline add column lost text;
  `,
  `
  alter table outline_store.process
    -- Where the other processes reach it: host and port.
    add column address text not null default '',
    -- How old its heartbeat must be before others take what it owns.
    add column takeover_ms integer not null default 12000,
    -- It is about to end.
    add column leaving boolean not null default false,
    -- The last revocation that it has heard of.
    add column revocation bigint not null default 0;
  -- Which keys and sessions have ended, or are new, as JSON, for the processes that may know them.
  create table outline_store.revocation (
    id bigint generated always as identity primary key,
    news text not null,
    at timestamptz not null default clock_timestamp()
  );
  -- By which the processes know each other.
  alter table outline_store.meta add column secret bytea not null
    default sha256(decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
  `,
  `
  alter table outline_store.process
    -- What it has in memory, and what somebody follows there.
    add column outlines integer not null default 0,
    -- Whether it can take nothing more now.
    add column is_full boolean not null default true;
  -- The format that the oldest version knows which can work on these tables.
  alter table outline_store.meta add column oldest integer not null default 5;
  -- Where programs are told of what changes.
  create table outline_store.webhook (
    id text collate "C" primary key,
    account text collate "C" not null references outline_store.account on delete cascade,
    outline bytea not null,
    ordinal bigint not null,
    -- Of the key with which it goes.
    key_hash bytea not null,
    revision bigint not null,
    -- Whether it delivers.
    is_on boolean not null,
    -- Up to where of the log, and in which history, all was told.
    reached_head bigint,
    reached_epoch text,
    record text not null,
    unique (outline, ordinal)
  );
  -- Keys may have parts that belong to OAuth clients, which an earlier version would take for keys.
  `,
  `
  -- Which service the processes are that serve beside each other.
  alter table outline_store.meta add column cluster text;
  `,
];

/** The first format that says which versions can work on it, and the first of several processes. */
const FORMAT_WITH_OLDEST = 5;
const FORMAT_OF_SEVERAL = 4;

/** Of the tables that this version makes and reads. */
export const POSTGRES_FORMAT = STEPS.length;

const LONGEST_STEP_MS = 600_000;

export interface NewStore {
  readonly epoch: string;
  readonly name: string;
}

/**
 * Makes the tables, or brings them to today's form. Processes that start at once do so in turn. Tables
 * of a later version are left as they are, when they say that this one can work on them.
 * @throws StoreError `store_corrupt` for tables of a later version that this one knows nothing of,
 *   `store_locked` when processes of an earlier version serve that could not go on, `store_unavailable`
 */
export async function migrate(session: SqlSession, fresh: NewStore): Promise<void> {
  const run = (text: string) => session.query<{ format: number }>(text, [], LONGEST_STEP_MS);
  await run(`set statement_timeout = ${LONGEST_STEP_MS}`);
  await run(`select pg_advisory_lock(${LOCKS.migration})`);
  const format = await formatOf(session);
  const oldest = format < FORMAT_WITH_OLDEST ? format : await oldestOf(session);
  if (oldest > POSTGRES_FORMAT) {
    throw new StoreError(
      "store_corrupt",
      `The database has the tables of a later version (format ${format}, this one knows ${POSTGRES_FORMAT}). Nothing was changed.`,
    );
  }
  if (format >= FORMAT_OF_SEVERAL && format < FORMAT_WITH_OLDEST) await requireNobody(session);
  for (const [index, step] of STEPS.entries()) {
    if (index < format) continue;
    const take = async (): Promise<void> => {
      if (index === 0) await run("create schema if not exists outline_store");
      await run(step);
      await (index === 0
        ? session.query(
            `insert into outline_store.meta (format, epoch, epoch_ordinal, name)
                values (1, $1, 0, $2)`,
            [fresh.epoch, fresh.name],
          )
        : session.query("update outline_store.meta set format = $1", [index + 1]));
    };
    await changeGivingWay(session, take, LONGEST_STEP_MS);
  }
  await run(`select pg_advisory_unlock(${LOCKS.migration})`);
  await run("reset statement_timeout");
}

/** Of the tables that are there; 0 when there are none. */
export async function formatOf(session: SqlSession): Promise<number> {
  const [found] = await session.query<{ table: string | null }>(
    "select to_regclass('outline_store.meta')::text as table",
  );
  if (found?.table === null) return 0;
  const [meta] = await session.query<{ format: number }>("select format from outline_store.meta");
  return meta?.format ?? 0;
}

async function oldestOf(session: SqlSession): Promise<number> {
  const [meta] = await session.query<{ oldest: number }>("select oldest from outline_store.meta");
  return meta?.oldest ?? 0;
}

/** @throws StoreError `store_locked` */
async function requireNobody(session: SqlSession): Promise<void> {
  const living = await session.query(`select from outline_store.process p where ${LIVES} limit 1`);
  if (living.length === 0) return;
  throw new StoreError(
    "store_locked",
    "Processes of an earlier version serve this database, and can't go on with the tables of this one: stop all of them first. Nothing was changed.",
  );
}

import { setTimeout as delay } from "node:timers/promises";
import type { AccountNews, EndedHandles } from "../../accounts/account-store.ts";
import { LIVES } from "./owners.ts";
import type { Run } from "./sql-pool.ts";
import type { Sql } from "./sql-session.ts";

/** The channel of PostgreSQL on which processes are told to look. */
export const CHANNEL = "outline_store";

/** News, in the order in which they are: who has heard of a number has heard of all before it. */
interface Revocation {
  readonly id: number;
  readonly news: AccountNews;
}

/** One change after the other has its number, so none becomes visible behind a later one. */
const IN_ORDER = "lock table outline_store.revocation in exclusive mode";
const ANNOUNCE = `with old as (
      delete from outline_store.revocation where at < statement_timestamp() - interval '1 day')
    insert into outline_store.revocation (news) values ($1) returning id`;
const NOTIFY = `notify ${CHANNEL}`;
const SINCE = {
  name: "revocations",
  text: `select id, news from outline_store.revocation where id > $1 order by id limit 1000`,
};
const UNHEARD = {
  name: "unheard",
  text: `select p.id from outline_store.process p
    where p.id <> $1 and p.revocation < $2 and ${LIVES} limit 1`,
};
const ASK_MS = 10;
const ASK_RARELY_MS = 200;

/**
 * Tells all processes what the transaction ends, or adds under a hash that may have been asked for
 * before. Its last statement: others that end something wait until it is over.
 * @returns the number that a process has heard of when it has forgotten it
 */
export async function announce(run: Run, told: readonly Partial<AccountNews>[]): Promise<number> {
  const all: AccountNews = {
    keys: told.flatMap(({ keys = [] }) => keys.map(handleOf)),
    sessions: told.flatMap(({ sessions = [] }) => sessions.map(handleOf)),
    added: told.flatMap(({ added = [] }) => added),
  };
  await run(IN_ORDER);
  const [row] = await run<{ id: number }>(ANNOUNCE, [JSON.stringify(all)]);
  await run(NOTIFY);
  return row?.id ?? 0;
}

/** Only what others need: records name people's browsers. */
function handleOf({ id, hash }: EndedHandles["keys"][number]): EndedHandles["keys"][number] {
  return { id, hash };
}

/** Those behind a number, in order; not all of them when there are many. */
export async function revocationsSince(sql: Sql, last: number): Promise<readonly Revocation[]> {
  const rows = await sql.query<{ id: number; news: string }>(SINCE, [last]);
  return rows.map(({ id, news }) => ({ id, news: JSON.parse(news) as AccountNews }));
}

/** Resolves when every other process that may serve has heard of it. @throws StoreError */
export async function heardByOthers(sql: Sql, self: number, revocation: number): Promise<void> {
  for (let ms = ASK_MS; ; ms = Math.min(ms * 2, ASK_RARELY_MS)) {
    const unheard = await sql.query(UNHEARD, [self, revocation]);
    if (unheard.length === 0) return;
    await delay(ms);
  }
}

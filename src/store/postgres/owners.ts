import type { Owner } from "../../accounts/passing.ts";
import type { OutlineId } from "../../core/node-key.ts";
import { StoreError, type Term } from "../../documents/log/outline-log.ts";
import type { Member } from "./member.ts";
import { LOCKS_BEGAN, PROCESS_CLASS } from "./locks.ts";
import { idOf } from "./outline-names.ts";
import type { Sql } from "./sql-session.ts";

const ENTER = `insert into outline_store.process (address, takeover_ms, locked_in)
    values ($1, $2, ${LOCKS_BEGAN}) returning id`;
/**
 * Whether a process `p` may serve what it owns. It is gone when its heartbeat is old, or when its lock
 * is free and has not been since it took it for another reason: after a restart or a crash of the
 * database all locks are free and say nothing. The age is that at the beginning of the statement, as its heartbeat is.
 */
export const LIVES = `not (
  p.seen_at <= statement_timestamp() - make_interval(secs => p.takeover_ms::float8 / 1000)
  or (p.locked_in = ${LOCKS_BEGAN}
    and pg_try_advisory_xact_lock_shared(${PROCESS_CLASS}, p.id::int)))`;
/**
 * One statement decides, so nothing can come in between; rows are locked in the order of ids. Only a
 * process that is there may claim: one that is gone may not take back what another has claimed.
 */
const CLAIM = {
  name: "claim",
  text: `with me as (select id from outline_store.process where id = $1 for key share)
    insert into outline_store.outline as o (id, term, owner)
    select decode(a.id, 'hex'), 1, me.id from unnest($2::text[]) as a (id), me order by 1
    on conflict (id) do update set term = o.term + 1, owner = excluded.owner
    where case when o.owner = excluded.owner then $3 else not exists (
      select from outline_store.process p where p.id = o.owner and ${LIVES}) end
    returning term`,
};
const OWNER = {
  name: "owner",
  text: `select p.id as process, p.address, p.leaving, ${LIVES} as lives
    from outline_store.outline o join outline_store.process p on p.id = o.owner where o.id = $1`,
};
const LIVING = {
  name: "living",
  text: `select p.id from outline_store.process p where p.id = any($1::bigint[]) and ${LIVES}`,
};
/** To a process that is there, else to nobody; rows are locked in the order of ids. */
const RELEASE = {
  name: "release",
  text: `update outline_store.outline
    set owner = coalesce((select id from outline_store.process where id = $3), 0)
    where id in (
      select o.id from outline_store.outline o
        join unnest($1::text[]) as a (id) on o.id = decode(a.id, 'hex')
      where o.owner = $2 order by o.id for no key update of o)`,
};

/**
 * Makes a process known, and takes the lock that shows that it lives: the connection must stay open as
 * long as it does.
 * @returns its number
 */
export async function enter(
  session: Sql,
  { address, takeoverMs }: { readonly address: string; readonly takeoverMs: number },
): Promise<number> {
  const [row] = await session.query<{ id: number }>(ENTER, [address, takeoverMs]);
  const id = row?.id ?? 0;
  await session.query(`select pg_advisory_lock(${PROCESS_CLASS}, $1::int)`, [id]);
  return id;
}

/**
 * Takes an outline that nobody else who lives owns, for a new replica: with a term above all before.
 * @throws StoreError `not_owner`
 */
export async function claim(sql: Sql, { id }: Member, outline: OutlineId): Promise<Term> {
  const [row] = await sql.query<{ term: Term }>(CLAIM, [id, [outline], true]);
  if (row === undefined) throw notOwner(outline);
  return row.term;
}

/**
 * Takes, for a process, those that neither it nor another one that lives owns.
 * @returns how many these were
 */
export async function claimMissing(
  sql: Sql,
  { id }: Pick<Member, "id">,
  outlines: readonly OutlineId[],
): Promise<number> {
  return (await sql.query(CLAIM, [id, outlines, false])).length;
}

/** The process that owns an outline; undefined when none does that is known. */
export async function ownerOf(
  sql: Sql,
  outline: OutlineId,
): Promise<(Owner & { readonly leaving: boolean; readonly lives: boolean }) | undefined> {
  const [owner] = await sql.query<Owner & { readonly leaving: boolean; readonly lives: boolean }>(
    OWNER,
    [idOf(outline)],
  );
  return owner;
}

/** Which of some processes may still serve what they own. */
export async function livingOf(
  sql: Sql,
  processes: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await sql.query<{ id: number }>(LIVING, [processes]);
  return new Set(rows.map(({ id }) => id));
}

/** Gives outlines back. @param to the process that is to have them; 0 for whoever wants them next */
export async function release(
  sql: Sql,
  { id }: Member,
  { outlines, to }: { readonly outlines: readonly OutlineId[]; readonly to: number },
): Promise<void> {
  await sql.query(RELEASE, [outlines, id, to]);
}

export function notOwner(outline: OutlineId): StoreError {
  return new StoreError(
    "not_owner",
    `Outline ${outline} was claimed by somebody else since it was loaded: load it again.`,
    { outline },
  );
}

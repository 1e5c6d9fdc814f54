import type { OutlineId } from "../../core/node-key.ts";
import type { Term } from "../../documents/outline-log.ts";
import { StoreError } from "../../documents/outline-log.ts";
import type { Member } from "./membership.ts";
import type { Statement, SqlValue } from "./sql-session.ts";

/** Only for a process that is there: one that is gone may not take back what another has claimed. */
const CLAIM = {
  name: "claim",
  text: `with me as (select id from outline_store.process where id = $1 for key share)
    insert into outline_store.outline as o (id, term, owner)
    select decode(a.id, 'hex'), 1, me.id from unnest($2::text[]) as a (id), me order by 1
    on conflict (id) do update set term = o.term + 1, owner = excluded.owner
    where $3 or o.owner <> excluded.owner
    returning encode(id, 'hex') as id, term`,
};

export type Query = <T extends object>(
  statement: Statement,
  values: readonly SqlValue[],
) => Promise<readonly T[]>;

/** Takes an outline for a new replica, with a term of its own. @throws StoreError `not_owner` */
export async function claim(query: Query, { id }: Member, outline: OutlineId): Promise<Term> {
  const [row] = await query<{ term: Term }>(CLAIM, [id, [outline], true]);
  if (row === undefined) throw notOwner(outline);
  return row.term;
}

/** Takes outlines that this process does not own. */
export async function claimMissing(
  query: Query,
  { id }: Member,
  outlines: readonly OutlineId[],
): Promise<void> {
  await query(CLAIM, [id, outlines, false]);
}

export function notOwner(outline: OutlineId): StoreError {
  return new StoreError(
    "not_owner",
    `Outline ${outline} was claimed by somebody else since it was loaded: load it again.`,
    { outline },
  );
}

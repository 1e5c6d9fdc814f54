import type { OutlineId } from "../../core/node-key.ts";
import type {
  Append,
  ClientBinding,
  Receipt,
  ReceiptPlace,
  Seq,
  Term,
} from "../../documents/log/outline-log.ts";
import { seal } from "../record.ts";
import type { Member } from "./member.ts";
import { isHistoryOf } from "./origin.ts";
import { NAMES } from "./outline-names.ts";
import type { SqlPool } from "./sql-pool.ts";
import type { SqlSession, SqlValue } from "./sql-session.ts";

/** Appends of one outline that share a commit: those of one term. */
export interface OutlineAppends {
  readonly outline: OutlineId;
  /** Undefined for whoever owns it now. */
  readonly term: Term | undefined;
  /** Of the requests that wait to be answered [Q66]. */
  readonly appends: Append[];
}

/**
 * One statement, which is a transaction of its own, for all outlines of a commit. Their rows are locked
 * in the order of their ids, so that processes never wait for each other in a ring. What was claimed
 * again since, and what is of another epoch, moves no head, and then nothing of it is written. A head
 * is needed to seal an update, so the first statement reads it; nobody else can move it meanwhile
 * without another term.
 */
const APPEND = {
  name: "append",
  text: `with asked as (
      select decode(id, 'hex') as id, term, count, head, makes
      from unnest($3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::boolean[])
        as a (id, term, count, head, makes)),
    locked as (
      select o.id from outline_store.outline o join asked a on a.id = o.id
      where o.owner = $1 and o.head = a.head and (a.term is null or o.term = a.term)
        and ${isHistoryOf("$2")}
      order by o.id for no key update of o),
    moved as (
      update outline_store.outline o set head = o.head + a.count, made = o.made or a.makes
      from asked a join locked l on l.id = a.id where o.id = a.id returning o.id),
    bound as (
      insert into outline_store.client_binding (outline, client, holder)
      select m.id, b.client, b.holder
      from unnest($8::text[], $9::bigint[], $10::text[]) as b (id, client, holder)
      join moved m on m.id = decode(b.id, 'hex')
      on conflict (outline, client) do update set holder = excluded.holder),
    written as (
      insert into outline_store.entry (outline, seq, data)
      select m.id, e.seq, substr($11::bytea, e.start, e.length)
      from unnest($12::text[], $13::bigint[], $14::int[], $15::int[]) as e (id, seq, start, length)
      join moved m on m.id = decode(e.id, 'hex')),
    forgotten as (
      delete from outline_store.receipt r
      using unnest($16::text[], $17::bigint[], $18::text[]) as f (id, at, receipt), moved m
      where m.id = decode(f.id, 'hex') and r.outline = m.id and r.at = f.at
        and r.id = decode(f.receipt, 'hex')),
    noted as (
      insert into outline_store.receipt (outline, at, id, bytes, data)
      select m.id, n.at, decode(n.receipt, 'hex'), n.bytes, substr($11::bytea, n.start, n.length)
      from unnest($19::text[], $20::bigint[], $21::text[], $22::int[], $23::int[], $24::int[])
        as n (id, at, receipt, bytes, start, length)
      join moved m on m.id = decode(n.id, 'hex')
      on conflict (outline, at, id) do update set bytes = excluded.bytes, data = excluded.data),
    outdated as (
      delete from outline_store.change c
      using unnest($25::text[], $26::bigint[]) as g (id, last), moved m
      where m.id = decode(g.id, 'hex') and c.outline = m.id and c.last = g.last),
    changed as (
      insert into outline_store.change (outline, last, data)
      select m.id, c.last, substr($11::bytea, c.start, c.length)
      from unnest($27::text[], $28::bigint[], $29::int[], $30::int[]) as c (id, last, start, length)
      join moved m on m.id = decode(c.id, 'hex'))
  select encode(id, 'hex') as id from moved`,
};

const HEADS = {
  name: "heads to append",
  text: `select encode(o.id, 'hex') as id, o.head from outline_store.outline o
    where o.id in (select decode(id, 'hex') from unnest($1::text[]) as a (id))`,
};

/** The heads of outlines as they are now. */
export async function readHeads(
  session: SqlSession,
  outlines: readonly OutlineId[],
): Promise<Map<OutlineId, Seq>> {
  const rows = await session.query<{ id: OutlineId; head: Seq }>(HEADS, [outlines]);
  return new Map(rows.map(({ id, head }) => [id, head]));
}

/**
 * Appends what belongs together of several outlines.
 * @param heads on which they build
 * @returns those of which all was appended; of the others nothing was
 */
export async function appendTogether(
  session: SqlSession,
  { id: owner, epoch }: Member,
  groups: readonly OutlineAppends[],
  heads: ReadonlyMap<OutlineId, Seq>,
): Promise<ReadonlySet<OutlineId>> {
  const asked: { id: string; term: number | null; count: number; head: Seq; makes: boolean }[] = [];
  const bindings: { id: string; client: number; holder: string }[] = [];
  const entries: { id: string; seq: Seq; start: number; length: number }[] = [];
  const noted: (ReceiptPlace & { outline: string; start: number; length: number })[] = [];
  const forgotten: (ReceiptPlace & { outline: string })[] = [];
  const outdated: { id: string; last: number }[] = [];
  const changed: { id: string; last: number; start: number; length: number }[] = [];
  const records: Uint8Array[] = [];
  let start = 1;
  const place = (record: Uint8Array): { readonly start: number; readonly length: number } => {
    records.push(record);
    start += record.byteLength;
    return { start: start - record.byteLength, length: record.byteLength };
  };
  for (const { outline, term, appends } of groups) {
    const head = heads.get(outline) ?? 0;
    let seq = head;
    for (const update of appends.flatMap(({ updates }) => updates)) {
      seq += 1;
      entries.push({ id: outline, seq, ...place(seal(NAMES.update(outline, seq), update)) });
    }
    const bound = lastOfEach(appends.flatMap((append) => append.bindings ?? []));
    for (const { client, holder } of bound) {
      bindings.push({ id: outline, client, holder: JSON.stringify(holder) });
    }
    const { added, removed } = receiptsOf(appends);
    for (const receipt of added) {
      const { id, at, bytes, answer } = receipt;
      const sealed = seal(NAMES.receipt(outline, receipt), answer);
      noted.push({ outline, id, at, bytes, ...place(sealed) });
    }
    for (const receipt of removed) forgotten.push({ ...receipt, outline });
    for (const { changes } of appends) {
      for (const last of changes?.removed ?? []) outdated.push({ id: outline, last });
      for (const { last, data } of changes?.added ?? []) {
        const sealed = seal(NAMES.change(outline, last), data);
        changed.push({ id: outline, last, ...place(sealed) });
      }
    }
    const makes = seq > head || bound.length + added.length + removed.length > 0;
    asked.push({ id: outline, term: term ?? null, count: seq - head, head, makes });
  }
  const values: readonly SqlValue[] = [
    owner,
    epoch,
    ...columnsOf(asked, "id", "term", "count", "head", "makes"),
    ...columnsOf(bindings, "id", "client", "holder"),
    Buffer.concat(records),
    ...columnsOf(entries, "id", "seq", "start", "length"),
    ...columnsOf(forgotten, "outline", "at", "id"),
    ...columnsOf(noted, "outline", "at", "id", "bytes", "start", "length"),
    ...columnsOf(outdated, "id", "last"),
    ...columnsOf(changed, "id", "last", "start", "length"),
  ];
  const moved = await session.query<{ id: OutlineId }>(APPEND, values);
  return new Set(moved.map(({ id }) => id));
}

/** Writes what an append writes, of so many bytes, for an outline that nobody has, and takes it away. */
export async function rehearseAppend(pool: SqlPool, member: Member, bytes: number): Promise<void> {
  await pool.transaction("write", async (run) => {
    const [made] = await run<{ id: Uint8Array }>(
      `insert into outline_store.outline (id, term, owner)
        values (uuid_send(gen_random_uuid()), 0, $1) returning id`,
      [member.id],
    );
    const id = made?.id ?? null;
    const data = new Uint8Array(bytes);
    await run("insert into outline_store.entry (outline, seq, data) values ($1, 1, $2)", [
      id,
      data,
    ]);
    await run("delete from outline_store.entry where outline = $1", [id]);
    await run("delete from outline_store.outline where id = $1", [id]);
  });
}

/** Rows as `unnest` takes them: a list for each column. */
function columnsOf<Name extends string>(
  rows: readonly Readonly<Record<Name, SqlValue>>[],
  ...names: readonly Name[]
): readonly SqlValue[] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** What is left of receipts that come and go: all parts of a statement see what was there before it. */
function receiptsOf(appends: readonly Append[]): {
  readonly added: readonly Receipt[];
  readonly removed: readonly ReceiptPlace[];
} {
  const added = new Map<string, Receipt>();
  const removed: ReceiptPlace[] = [];
  for (const { receipts } of appends) {
    for (const place of receipts?.removed ?? []) {
      added.delete(`${place.at} ${place.id}`);
      removed.push(place);
    }
    for (const receipt of receipts?.added ?? []) added.set(`${receipt.at} ${receipt.id}`, receipt);
  }
  const stays = ({ at, id }: ReceiptPlace): boolean => added.has(`${at} ${id}`);
  return { added: [...added.values()], removed: removed.filter((place) => !stays(place)) };
}

/** A statement may write a binding once. */
function lastOfEach(bindings: readonly ClientBinding[]): readonly ClientBinding[] {
  return [...new Map(bindings.map((binding) => [binding.client, binding])).values()];
}

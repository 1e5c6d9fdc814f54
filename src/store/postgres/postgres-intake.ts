import { seal } from "../record.ts";
import { partsOf } from "../snapshot-parts.ts";
import { storeUnavailable } from "../store-failure.ts";
import type { StoreIntake, WholeOutline, WholeUser } from "../store-move.ts";
import type { Member } from "./member.ts";
import type { Membership } from "./membership.ts";
import { idOf, NAMES, RECORD_TABLES } from "./outline-names.ts";
import { packed } from "./packed.ts";
import { insertUser } from "./postgres-accounts.ts";
import { insertParts, SNAPSHOT_MS } from "./snapshot-rows.ts";
import type { Run, SqlPool } from "./sql-pool.ts";

type Parts = Pick<StoreIntake, "log" | "accounts"> & {
  readonly membership: Membership;
  readonly pool: SqlPool;
  /** Runs what `close` waits for. @throws StoreError `store_closed` */
  readonly operation: <T>(task: () => Promise<T>) => Promise<T>;
};

const BINDINGS_AT_ONCE = 10_000;

/** Locked as long as the transaction lasts: who comes after this process waits for it. */
const PRESENT = "select id from outline_store.process where id = $1 for key share";
/** With a new term, so that nothing that is under way for anybody comes behind it. */
const PUT = `insert into outline_store.outline as o
      (id, term, owner, made, head, snapshot_seq, snapshot_parts, snapshot_memory, lost)
    values ($1, 1, $2, true, $3, $4, $5, $6, $7)
    on conflict (id) do update set term = o.term + 1, owner = excluded.owner, made = true,
      head = excluded.head, snapshot_seq = excluded.snapshot_seq,
      snapshot_parts = excluded.snapshot_parts, snapshot_memory = excluded.snapshot_memory,
      lost = excluded.lost`;
const PUT_UPDATES = `insert into outline_store.entry (outline, seq, data)
    select $1::bytea, e.seq, substr($2::bytea, e.start, e.length)
    from unnest($3::bigint[], $4::int[], $5::int[]) as e (seq, start, length)`;
const PUT_BINDINGS = `insert into outline_store.client_binding (outline, client, holder)
    select $1::bytea, b.client, b.holder from unnest($2::bigint[], $3::text[]) as b (client, holder)`;
const PUT_RECEIPTS = `insert into outline_store.receipt (outline, at, id, bytes, data)
    select $1::bytea, r.at, decode(r.id, 'hex'), r.bytes, substr($2::bytea, r.start, r.length)
    from unnest($3::bigint[], $4::text[], $5::int[], $6::int[], $7::int[])
      as r (at, id, bytes, start, length)`;
const COMPLETE = `update outline_store.meta set arriving = false, epoch = $1,
    epoch_ordinal = greatest(epoch_ordinal + 1, $2)`;

/** A store in PostgreSQL that is made what another one is. */
export class PostgresIntake implements StoreIntake {
  readonly log: StoreIntake["log"];
  readonly accounts: StoreIntake["accounts"];
  readonly #parts: Parts & { readonly newEpoch: () => string };

  constructor(parts: Parts & { readonly newEpoch: () => string }) {
    this.#parts = parts;
    this.log = parts.log;
    this.accounts = parts.accounts;
  }

  putOutline(whole: WholeOutline): Promise<void> {
    return this.#write((run, member) => putOutline(run, member, whole));
  }

  putUsers(users: readonly WholeUser[]): Promise<void> {
    return this.#write(async (run) => {
      // Their keys and sessions go with them.
      await run("delete from outline_store.account");
      for (const user of users) await insertUser(run, user);
    });
  }

  complete(epochOrdinal: number): Promise<void> {
    return this.#write(async (run) => {
      await run(COMPLETE, [this.#parts.newEpoch(), epochOrdinal]);
    });
  }

  #write(work: (run: Run, member: Member) => Promise<void>): Promise<void> {
    const { operation, membership, pool } = this.#parts;
    return operation(() => {
      const member = membership.require();
      return pool.transaction(
        "write",
        async (run) => {
          const present = await run(PRESENT, [member.id]);
          if (present.length === 0) {
            throw storeUnavailable(new Error("another process has the database now"));
          }
          await work(run, member);
        },
        SNAPSHOT_MS,
      );
    });
  }
}

async function putOutline(run: Run, member: Member, whole: WholeOutline): Promise<void> {
  const { outline, loaded } = whole;
  const { head, snapshot, bindings, lost } = loaded;
  const id = idOf(outline);
  for (const table of RECORD_TABLES) {
    await run(`delete from outline_store.${table} where outline = $1`, [id]);
  }
  const parts = snapshot === undefined ? [] : partsOf(snapshot);
  const memory = snapshot?.memoryBytes;
  await run(PUT, [
    id,
    member.id,
    head,
    snapshot?.seq ?? 0,
    parts.length,
    memory === undefined ? null : Math.ceil(memory),
    lost === undefined ? null : JSON.stringify([...lost]),
  ]);
  if (snapshot !== undefined) await insertParts(run, outline, snapshot.seq, parts);
  for await (const { rows, bytes, starts, lengths } of packed(sealedUpdates(whole))) {
    const seqs = rows.map(({ seq }) => seq);
    await run(PUT_UPDATES, [id, bytes, seqs, starts, lengths]);
  }
  const clients = [...bindings];
  for (let from = 0; from < clients.length; from += BINDINGS_AT_ONCE) {
    const some = clients.slice(from, from + BINDINGS_AT_ONCE);
    const holders = some.map(([, holder]) => JSON.stringify(holder));
    await run(PUT_BINDINGS, [id, some.map(([client]) => client), holders]);
  }
  for await (const { rows, bytes, starts, lengths } of packed(sealedReceipts(whole))) {
    await run(PUT_RECEIPTS, [
      id,
      bytes,
      rows.map((receipt) => receipt.at),
      rows.map((receipt) => receipt.id),
      rows.map((receipt) => receipt.bytes),
      starts,
      lengths,
    ]);
  }
}

function* sealedUpdates({ outline, loaded }: WholeOutline) {
  for (const { seq, update } of loaded.updates) {
    yield { seq, record: seal(NAMES.update(outline, seq), update) };
  }
}

function* sealedReceipts({ outline, receipts }: WholeOutline) {
  for (const receipt of receipts) {
    yield { ...receipt, record: seal(NAMES.receipt(outline, receipt), receipt.answer) };
  }
}

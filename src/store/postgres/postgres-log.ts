import { createHash } from "node:crypto";
import type { OutlineId } from "../../core/node-key.ts";
import type { Append, Fence, Seq, Snapshot, Term } from "../../documents/log/outline-log.ts";
import { DrivenLog } from "../driven-log.ts";
import { requireOutlineId } from "../log-checks.ts";
import type { OutlineRecords } from "../outline-records.ts";
import type { TailLimits } from "../tail-limits.ts";
import { waitForToken } from "../token-window.ts";
import { claim, claimMissing, notOwner } from "./owners.ts";
import type { CommitLane } from "./commit-lane.ts";
import type { Membership } from "./membership.ts";
import { idOf, reading, RECORD_TABLES } from "./outline-names.ts";
import { OutlineRows } from "./outline-rows.ts";
import { saveSnapshot, SNAPSHOT_MS } from "./snapshot-rows.ts";
import type { SqlPool } from "./sql-pool.ts";

export interface PostgresLogOptions {
  readonly membership: Membership;
  readonly pool: SqlPool;
  readonly lane: CommitLane;
  /** Runs what `close` waits for. @throws StoreError `store_closed` */
  readonly operation: <T>(task: () => Promise<T>) => Promise<T>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly tail: TailLimits;
  /** Another process may have it. */
  readonly onRefused: (outline: OutlineId) => void;
  /** Not while an outline is being given back. */
  readonly mayClaim: (outline: OutlineId) => boolean;
  readonly close: () => Promise<void>;
}

const OUTLINES = `select encode(id, 'hex') as id from outline_store.outline
    where id > decode($1, 'hex') and made order by id limit 1000`;
const TAKE_TOKEN = {
  name: "take token",
  text: `insert into outline_store.token as t (hash, taken_at) values ($1, $2)
    on conflict (hash) do update set taken_at = excluded.taken_at
    where t.taken_at > $2 or t.taken_at + $3 <= $2
    returning taken_at`,
};
const TOKEN = "select taken_at from outline_store.token where hash = $1";
/** With a new term, so that nothing that was under way begins it anew. */
const EMPTY = `update outline_store.outline set head = 0, made = false, term = term + 1,
    snapshot_seq = 0, snapshot_parts = 0, snapshot_memory = null, lost = null
    where id = $1 and owner = $2 returning id`;

/** The outline log in PostgreSQL. */
export class PostgresLog extends DrivenLog {
  readonly #options: PostgresLogOptions;
  constructor(options: PostgresLogOptions) {
    super();
    this.#options = options;
  }

  async claim(outline: OutlineId): Promise<Term> {
    requireOutlineId(outline);
    const { operation, membership, lane, pool } = this.#options;
    return operation(async () => {
      if (!this.#options.mayClaim(outline)) throw notOwner(outline);
      const term = await claim(pool, membership.require(), outline).catch((error: unknown) => {
        this.#options.onRefused(outline);
        throw error;
      });
      lane.forget(outline);
      return term;
    });
  }

  async *outlines(): AsyncGenerator<OutlineId> {
    const { operation, membership, pool } = this.#options;
    let last = "";
    for (;;) {
      const page = await operation(async () => {
        membership.require();
        return pool.query<{ id: OutlineId }>(OUTLINES, [last]);
      });
      for (const { id } of page) yield id;
      const end = page.at(-1);
      if (end === undefined) return;
      last = end.id;
    }
  }

  probe(): Promise<void> {
    return this.#options.operation(() => this.#options.lane.probe());
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  protected operation<T>(task: () => Promise<T>): Promise<T> {
    return this.#options.operation(task);
  }

  protected async read<T>(
    outline: OutlineId,
    query: (records: OutlineRecords) => Promise<T>,
  ): Promise<T> {
    const { membership, pool } = this.#options;
    const member = membership.require();
    return reading(outline, () =>
      pool.transaction("read", (run) => query(new OutlineRows(run, member, outline))),
    );
  }

  protected appendNow(outline: OutlineId, append: Append): Promise<Seq> {
    return this.operation(() => this.#options.lane.append(outline, append));
  }

  protected saveNow(outline: OutlineId, snapshot: Snapshot, fence: Fence): Promise<boolean> {
    const { membership, pool, tail } = this.#options;
    return saveSnapshot(pool, membership.require(), { outline, snapshot, fence, tail });
  }

  protected async dropNow(outline: OutlineId): Promise<void> {
    const { membership, pool, lane } = this.#options;
    const member = membership.require();
    const id = idOf(outline);
    await pool.transaction(
      "write",
      async (run) => {
        // First: appends that are under way end before it, and those behind it are refused.
        await claimMissing({ query: run }, member, [outline]);
        if ((await run(EMPTY, [id, member.id])).length === 0) throw notOwner(outline);
        for (const table of RECORD_TABLES) {
          await run(`delete from outline_store.${table} where outline = $1`, [id]);
        }
      },
      SNAPSHOT_MS,
    );
    lane.forget(outline);
  }

  /** In turn: to who looked at the clock before, a token that is taken then is one of the future. */
  protected async takeNow(key: string, windowMs: number): Promise<number> {
    const { membership, pool, now } = this.#options;
    membership.require();
    // Of all that is in it: as UTF-8 halves of surrogate pairs would be one text.
    const hash = createHash("sha256").update(key, "utf16le").digest();
    const at = now();
    const taken = await pool.query(TAKE_TOKEN, [hash, at, windowMs]);
    if (taken.length > 0) return 0;
    const [token] = await pool.query<{ taken_at: number }>(TOKEN, [hash]);
    return waitForToken({ takenAt: token?.taken_at, now: at, windowMs });
  }
}

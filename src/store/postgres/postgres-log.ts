import { createHash } from "node:crypto";
import type { OutlineId } from "../../core/node-key.ts";
import type {
  Append,
  ChangeRecord,
  ChunkPlace,
  Fence,
  LoadedOutline,
  OutlineLog,
  ReceiptPlace,
  Seq,
  Snapshot,
  StoredExtent,
  TailPage,
  TailRange,
  Term,
} from "../../documents/outline-log.ts";
import { KeyedSerial } from "../keyed-serial.ts";
import { requireOutlineId } from "../log-checks.ts";
import { storeUnavailable } from "../store-failure.ts";
import type { TailLimits } from "../tail-limits.ts";
import { waitForToken } from "../token-window.ts";
import { claim, claimMissing, notOwner } from "./owners.ts";
import type { CommitLane } from "./commit-lane.ts";
import type { Member } from "./member.ts";
import type { Membership } from "./membership.ts";
import { idOf, reading, RECORD_TABLES } from "./outline-names.ts";
import {
  readChanges,
  readChunk,
  readExtent,
  readHasDevices,
  readOutline,
  readReceipt,
  readReceipts,
  readTail,
} from "./outline-rows.ts";
import { saveSnapshot, SNAPSHOT_MS } from "./snapshot-rows.ts";
import type { Run, SqlPool } from "./sql-pool.ts";

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
export class PostgresLog implements OutlineLog {
  readonly #options: PostgresLogOptions;
  /** Snapshots and removal of one outline. */
  readonly #upkeep = new KeyedSerial<OutlineId>();
  readonly #tokens = new KeyedSerial<string>();
  /** Removals that are under way. [Q67] */
  readonly #dropping = new Set<OutlineId>();

  constructor(options: PostgresLogOptions) {
    this.#options = options;
  }

  async append(outline: OutlineId, append: Append): Promise<Seq> {
    requireOutlineId(outline);
    this.#requireWritable(outline);
    return this.#options.operation(() => this.#options.lane.append(outline, append));
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

  load(
    outline: OutlineId,
    onProgress: (bytes: number) => void = () => undefined,
  ): Promise<LoadedOutline> {
    return this.#read(outline, (run, member) => readOutline(run, member, outline, onProgress));
  }

  extent(outline: OutlineId): Promise<StoredExtent> {
    return this.#read(outline, (run, member) => readExtent(run, member, outline));
  }

  hasDevices(outline: OutlineId): Promise<boolean> {
    return this.#read(outline, (run) => readHasDevices(run, outline));
  }

  receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]> {
    return this.#read(outline, (run) => readReceipts(run, outline));
  }

  receipt(outline: OutlineId, place: ReceiptPlace): Promise<Uint8Array | undefined> {
    return this.#read(outline, (run) => readReceipt(run, outline, place));
  }

  changes(outline: OutlineId, after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    return this.#read(outline, (run) => readChanges(run, outline, { after, maxBytes }));
  }

  chunk(outline: OutlineId, place: ChunkPlace): Promise<Uint8Array | undefined> {
    return this.#read(outline, (run, member) => readChunk(run, member, outline, place));
  }

  tail(outline: OutlineId, range: TailRange): Promise<TailPage | undefined> {
    return this.#read(outline, (run, member) => readTail(run, member, outline, range));
  }

  async saveSnapshot(outline: OutlineId, snapshot: Snapshot, fence: Fence = {}): Promise<boolean> {
    requireOutlineId(outline);
    this.#requireWritable(outline);
    const { operation, membership, pool, tail } = this.#options;
    return operation(() =>
      this.#upkeep.run(outline, () =>
        saveSnapshot(pool, membership.require(), { outline, snapshot, fence, tail }),
      ),
    );
  }

  takeToken(key: string, windowMs: number): Promise<number> {
    const { operation, membership, pool, now } = this.#options;
    const take = async (): Promise<number> => {
      membership.require();
      // Of all that is in it: as UTF-8 halves of surrogate pairs would be one text.
      const hash = createHash("sha256").update(key, "utf16le").digest();
      const at = now();
      const taken = await pool.query(TAKE_TOKEN, [hash, at, windowMs]);
      if (taken.length > 0) return 0;
      const [token] = await pool.query<{ taken_at: number }>(TOKEN, [hash]);
      return waitForToken({ takenAt: token?.taken_at, now: at, windowMs });
    };
    // In turn: to who looked at the clock before, a token that is taken then is one of the future.
    return operation(() => this.#tokens.run(key, take));
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

  async drop(outline: OutlineId): Promise<void> {
    requireOutlineId(outline);
    const { operation } = this.#options;
    return operation(async () => {
      this.#dropping.add(outline);
      try {
        await this.#upkeep.run(outline, () => this.#drop(outline));
      } finally {
        this.#dropping.delete(outline);
      }
    });
  }

  probe(): Promise<void> {
    return this.#options.operation(() => this.#options.lane.probe());
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  async #drop(outline: OutlineId): Promise<void> {
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

  async #read<T>(outline: OutlineId, query: (run: Run, member: Member) => Promise<T>): Promise<T> {
    requireOutlineId(outline);
    const { operation, membership, pool } = this.#options;
    return operation(() => {
      const member = membership.require();
      return reading(outline, () => pool.transaction("read", (run) => query(run, member)));
    });
  }

  #requireWritable(outline: OutlineId): void {
    if (!this.#dropping.has(outline)) return;
    throw storeUnavailable(new Error(`outline ${outline} is being removed`));
  }
}

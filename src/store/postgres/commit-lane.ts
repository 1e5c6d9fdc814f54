import { newRecentMap } from "../../charges/recent-map.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Append, Seq, StoreError } from "../../documents/log/outline-log.ts";
import { appendBytes } from "../append-bytes.ts";
import { Connection } from "../connection.ts";
import type { CommitStatistics } from "../store-events.ts";
import { requireEpoch } from "../log-checks.ts";
import {
  appendTogether,
  type OutlineAppends,
  readHeads,
  rehearseAppend,
} from "./append-statement.ts";
import { claimMissing, notOwner } from "./owners.ts";
import type { Member } from "./member.ts";
import type { Membership } from "./membership.ts";
import { requireSessions } from "./server-checks.ts";
import type { SqlPool } from "./sql-pool.ts";
import { SqlSession, type SqlOptions } from "./sql-session.ts";

interface Pending {
  readonly outline: OutlineId;
  readonly append: Append;
  readonly bytes: number;
  readonly resolve: (head: Seq) => void;
  readonly reject: (error: unknown) => void;
}

export interface CommitLaneOptions {
  readonly sql: SqlOptions;
  readonly pool: SqlPool;
  readonly membership: Membership;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly maxBatchBytes: number;
  readonly onCommit: (statistics: CommitStatistics) => void;
  /** The database has refused a commit. */
  readonly onFailure: (error: StoreError) => void;
  /** Another one has taken it. */
  readonly onRefused: (outline: OutlineId) => void;
}

const MAX_KNOWN = 100_000;

/**
 * Appends on a connection of their own, one commit under way at a time; what arrives meanwhile goes
 * into the next. Answers come in the order of the calls. When a commit fails, everything that waits is
 * rejected: nobody knows what of it has reached the database, and the connection is given up.
 */
export class CommitLane {
  readonly #options: CommitLaneOptions;
  readonly #connection: Connection<SqlSession>;
  /** [Q66] */
  #queue: Pending[] = [];
  #running: Promise<void> | undefined;
  /** The newest connection. */
  #session: SqlSession;
  /** Heads of outlines that this process owns, as its last commit left them. [Q67] */
  readonly #heads = newRecentMap<Seq, OutlineId>(MAX_KNOWN);
  #member: Member | undefined;
  /** Of the last commit, when the database has refused it and has taken nothing like it since. */
  #refusedBytes: number | undefined;

  /** @throws StoreError `store_unavailable` */
  static async open(options: CommitLaneOptions): Promise<CommitLane> {
    const session = await SqlSession.open(options.sql);
    try {
      await requireSessions(session, options.membership);
      return new CommitLane(options, session);
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  private constructor(options: CommitLaneOptions, session: SqlSession) {
    this.#options = options;
    this.#session = session;
    this.#connection = new Connection(session, {
      now: options.now,
      reopen: async () => (this.#session = this.#watched(await SqlSession.open(options.sql))),
      onFailure: () => this.#heads.clear(),
    });
    this.#watched(session);
  }

  /** One that the database ends while nothing is under way fails nobody: the next commit has a new one. */
  #watched(session: SqlSession): SqlSession {
    void session.ended.then(() => this.#connection.fail(session, new Error("it has hung up")));
    return session;
  }

  /** @throws StoreError */
  append(outline: OutlineId, append: Append): Promise<Seq> {
    const bytes = appendBytes(append);
    return new Promise((resolve, reject) => {
      this.#queue.push({ outline, append, bytes, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** What is known of an outline is not so any more: it was claimed or dropped. */
  forget(outline: OutlineId): void {
    this.#heads.delete(outline);
  }

  /** Gives up the connection: what is under way on it is rejected, and the next one has a new one. */
  hangUp(cause: StoreError): void {
    this.#connection.fail(this.#session, cause);
    this.#session.hangUp();
  }

  /**
   * A write that is durable when it resolves, on the connection of the appends. After a refused commit it
   * is one like that: a database without room changes rows still, and can't add any.
   * @throws StoreError
   */
  async probe(): Promise<void> {
    const { membership, pool } = this.#options;
    const member = membership.require();
    const refused = this.#refusedBytes;
    if (refused !== undefined) {
      await rehearseAppend(pool, member, refused);
      if (this.#refusedBytes === refused) this.#refusedBytes = undefined;
    }
    const session = await this.#connection.database();
    try {
      await session.query("update outline_store.process set seen_at = seen_at where id = $1", [
        member.id,
      ]);
    } catch (cause) {
      throw this.#connection.fail(session, cause);
    }
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async close(): Promise<void> {
    await this.drained();
    await this.#connection.close(async () => undefined);
  }

  async #run(): Promise<void> {
    // What the same turn adds shares the commit.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      let taken: readonly Pending[] = [];
      try {
        const member = this.#options.membership.require();
        const session = await this.#connection.database();
        taken = this.#take();
        await this.#commit(session, member, taken);
      } catch (failure) {
        const waiting = this.#queue;
        this.#queue = [];
        for (const { reject } of [...taken, ...waiting]) reject(failure);
      }
    }
    // At once with the last look at the queue, or a write that comes in between would wait for ever.
    this.#running = undefined;
  }

  /** Up to a size; and of one outline only what is of one term, which one look at its row judges. */
  #take(): readonly Pending[] {
    const terms = new Map<OutlineId, number | undefined>();
    let bytes = 0;
    let count = 0;
    for (const { outline, append, bytes: added } of this.#queue) {
      bytes += added;
      const isOfOther = terms.has(outline) && terms.get(outline) !== append.term;
      if (count > 0 && (isOfOther || bytes > this.#options.maxBatchBytes)) break;
      terms.set(outline, append.term);
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #commit(session: SqlSession, member: Member, pending: readonly Pending[]): Promise<void> {
    const startedAt = performance.now();
    if (this.#member !== member) this.#heads.clear();
    this.#member = member;
    const refusals = new Map<Pending, unknown>();
    const groups = new Map<OutlineId, OutlineAppends>();
    for (const each of pending) {
      const { outline, append } = each;
      try {
        requireEpoch(outline, append.epoch, member.epoch);
      } catch (refusal) {
        refusals.set(each, refusal);
        continue;
      }
      const group = groups.get(outline) ?? { outline, term: append.term, appends: [] };
      group.appends.push(append);
      groups.set(outline, group);
    }
    let heads: ReadonlyMap<OutlineId, Seq>;
    let moved: ReadonlySet<OutlineId>;
    try {
      heads = await this.#learnHeads(session, member, groups);
      moved = await appendTogether(session, member, [...groups.values()], heads);
    } catch (cause) {
      this.#refusedBytes = pending.reduce((sum, { bytes }) => sum + bytes, 0);
      const failure = this.#connection.fail(session, cause);
      this.#options.onFailure(failure);
      throw failure;
    }
    this.#refusedBytes = undefined;
    const reached = new Map(heads);
    for (const each of pending) {
      const { outline, append } = each;
      const refusal = refusals.get(each);
      if (refusal !== undefined) each.reject(refusal);
      else if (!moved.has(outline)) {
        this.#heads.delete(outline);
        this.#options.onRefused(outline);
        each.reject(notOwner(outline));
      } else {
        const head = (reached.get(outline) ?? 0) + append.updates.length;
        reached.set(outline, head);
        this.#heads.set(outline, head);
        each.resolve(head);
      }
    }
    const operations = [...groups.values()].flatMap(({ appends }) => appends).length;
    this.#options.onCommit({
      writes: pending.length,
      operations,
      durationMs: performance.now() - startedAt,
    });
  }

  async #learnHeads(
    session: SqlSession,
    member: Member,
    groups: ReadonlyMap<OutlineId, OutlineAppends>,
  ): Promise<ReadonlyMap<OutlineId, Seq>> {
    const heads = new Map<OutlineId, Seq>();
    const unknown: OutlineId[] = [];
    for (const outline of groups.keys()) {
      const head = this.#heads.get(outline);
      if (head === undefined) unknown.push(outline);
      else heads.set(outline, head);
    }
    if (unknown.length === 0) return heads;
    // A replica has claimed its outline; whoever has none takes what nobody here has.
    const unclaimed = unknown.filter((outline) => groups.get(outline)?.term === undefined);
    if (unclaimed.length > 0) await claimMissing(session, member, unclaimed);
    for (const [outline, head] of await readHeads(session, unknown)) heads.set(outline, head);
    return heads;
  }
}

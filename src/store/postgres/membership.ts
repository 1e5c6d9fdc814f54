import { StoreError } from "../../documents/outline-log.ts";
import { type Purpose, requirePurpose } from "../purpose.ts";
import { storeClosed, storeUnavailable } from "../store-failure.ts";
import { LOCKS } from "./locks.ts";
import { formatOf, migrate } from "./schema.ts";
import { requireServer } from "./server-checks.ts";
import { type SqlOptions, SqlSession } from "./sql-session.ts";

/** How long a process may serve since it has sent the last heartbeat that was answered. */
export const DEFAULT_LEASE_MS = 10_000;
const HEARTBEATS_IN_LEASE = 8;
/** Others wait longer, since the database has written a heartbeat down: by what clocks may differ. */
const TAKEOVER_IN_LEASES = 1.2;
/** How long a start waits for one that is just ending. */
const PATIENCE_MS = 2000;
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

export interface MembershipOptions {
  readonly sql: SqlOptions;
  readonly leaseMs: number;
  readonly purpose: Purpose;
  /** A fresh random name of a history. */
  readonly newEpoch: () => string;
  /** Milliseconds since 1970, and of a clock that nobody sets. */
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly onFailure: (error: StoreError) => void;
  readonly onRecovery: () => void;
}

/** What a process has when it serves: its number, and the history that it works on. */
export interface Member {
  readonly id: number;
  readonly epoch: string;
  readonly epochOrdinal: number;
  readonly name: string;
}

interface Held {
  readonly kind: "member";
  readonly member: Member;
  readonly session: SqlSession;
  /** On both clocks: one stands still while the machine sleeps, the other one is set. */
  leaseEnd: { readonly elapsed: number; readonly now: number };
}

type State =
  | Held
  /** Another process may have taken the store over. Comes back by itself. */
  | { readonly kind: "lapsed"; readonly cause: StoreError }
  | { readonly kind: "closed" };

/**
 * Whether this process is the one that serves the store. It holds a lock of the database for as long
 * as it lives, on a connection of its own, and says at short intervals that it is there. When that
 * connection ends, or no heartbeat is answered for a while, it must not answer from memory any more:
 * another process may have begun. Then all that it has loaded goes, and it asks for the lock again.
 */
export class Membership {
  readonly #options: MembershipOptions;
  /** Those who hold something in memory. [Q67] */
  readonly #onLapse = new Set<() => void>();
  #state: State;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();

  /** @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt` */
  static async open(options: MembershipOptions): Promise<Membership> {
    const giveUpAt = options.elapsed() + PATIENCE_MS;
    for (;;) {
      try {
        return new Membership(options, await join(options));
      } catch (error) {
        const isHeld = error instanceof StoreError && error.code === "store_locked";
        if (!isHeld || options.elapsed() > giveUpAt) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  private constructor(options: MembershipOptions, held: Held) {
    this.#options = options;
    this.#state = held;
    this.#watch(held);
  }

  /** @throws StoreError `store_unavailable` while another process may serve, `store_closed` */
  require(): Member {
    if (this.holds()) return (this.#state as Held).member;
    if (this.#state.kind === "closed") throw storeClosed();
    throw this.#state.kind === "lapsed" ? this.#state.cause : silence();
  }

  /** Whether what is in memory may be served: no other process can have begun. */
  holds(): boolean {
    const state = this.#state;
    if (state.kind !== "member") return false;
    const { elapsed, now } = this.#options;
    if (elapsed() < state.leaseEnd.elapsed && now() < state.leaseEnd.now) return true;
    this.#lapse(state, silence());
    return false;
  }

  /** The callback is called when all that is in memory must go. Returns the way to stop. */
  onLapse(callback: () => void): () => void {
    const own = (): void => callback();
    this.#onLapse.add(own);
    return () => this.#onLapse.delete(own);
  }

  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { kind: "closed" };
    clearTimeout(this.#timer);
    await this.#underWay;
    if (state.kind !== "member") return;
    await state.session
      .query({ text: "delete from outline_store.process where id = $1" }, [state.member.id])
      .catch(() => undefined);
    await state.session.close();
  }

  #watch(held: Held): void {
    void held.session.ended.then(() => this.#lapse(held, silence()));
    this.#beatLater(held);
  }

  #beatLater(held: Held): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#beat(held);
    }, this.#options.leaseMs / HEARTBEATS_IN_LEASE);
  }

  async #beat(held: Held): Promise<void> {
    if (this.#state !== held || !this.holds()) return;
    const leaseEnd = leaseFrom(this.#options);
    // When nobody answers the lease ends, whoever looks.
    const end = setTimeout(() => this.holds(), this.#options.leaseMs);
    try {
      const seen = await held.session.query<{ id: number }>(BEAT, [held.member.id]);
      if (seen.length === 0) this.#lapse(held, silence());
      else held.leaseEnd = leaseEnd;
    } catch (error) {
      this.#lapse(held, error as StoreError);
    } finally {
      clearTimeout(end);
    }
    if (this.#state === held) this.#beatLater(held);
  }

  /** What has ended is never taken up again: everything is read anew. */
  #lapse(held: Held, cause: StoreError): void {
    if (this.#state !== held) return;
    this.#state = { kind: "lapsed", cause };
    clearTimeout(this.#timer);
    void held.session.close();
    this.#options.onFailure(cause);
    for (const call of this.#onLapse) call();
    this.#joinLater(RETRY_MS);
  }

  #joinLater(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#underWay = this.#rejoin(ms);
    }, ms);
  }

  async #rejoin(ms: number): Promise<void> {
    try {
      const held = await join(this.#options);
      if (this.#state.kind !== "lapsed") return await held.session.close();
      this.#state = held;
      this.#watch(held);
      this.#options.onRecovery();
    } catch (error) {
      if (this.#state.kind !== "lapsed") return;
      this.#state = { kind: "lapsed", cause: error as StoreError };
      this.#joinLater(Math.min(ms * 2, LONGEST_RETRY_MS));
    }
  }
}

const BEAT = {
  text: "update outline_store.process set seen_at = clock_timestamp() where id = $1 returning id",
};

function silence(): StoreError {
  return storeUnavailable(new Error("the database does not answer, and another process may serve"));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function leaseFrom({ elapsed, now, leaseMs }: MembershipOptions): Held["leaseEnd"] {
  return { elapsed: elapsed() + leaseMs, now: now() + leaseMs };
}

/** @throws StoreError */
async function join(options: MembershipOptions): Promise<Held> {
  const session = await SqlSession.open(options.sql);
  try {
    await requireServer(session);
    if (options.purpose.kind === "leave" && (await formatOf(session)) === 0) {
      throw new StoreError("store_corrupt", "There is no outline store in the database.");
    }
    await migrate(session, {
      epoch: options.newEpoch(),
      name: options.newEpoch().slice(0, 8),
    });
    const [lock] = await session.query<{ taken: boolean }>({
      text: `select pg_try_advisory_lock(${LOCKS.service}) as taken`,
    });
    if (lock?.taken !== true) {
      throw new StoreError(
        "store_locked",
        "Another process serves this database: stop it, or use the command with the data folder of that one.",
      );
    }
    const takeoverMs = Math.ceil(options.leaseMs * TAKEOVER_IN_LEASES);
    // The database hangs up on a process that is cut off, and not before its lease has ended.
    await session.query(
      {
        text: `select set_config('tcp_keepalives_idle', $1, false),
          set_config('tcp_keepalives_interval', '1', false),
          set_config('tcp_keepalives_count', '3', false),
          set_config('tcp_user_timeout', $2, false)`,
      },
      [String(Math.ceil(takeoverMs / 1000)), String(takeoverMs)],
    );
    await waitForLease(session, takeoverMs);
    await prepare(session, options.purpose);
    return await begin(session, options);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/**
 * A free lock says that the process before is gone, unless the database was started since: then all
 * locks are free, and its lease must have ended.
 */
async function waitForLease(session: SqlSession, takeoverMs: number): Promise<void> {
  const [row] = await session.query<{ seen: number | null }>({
    text: `select ceil(1000 * min(extract(epoch from clock_timestamp() - seen_at)))::bigint as seen
      from outline_store.process where locked_in <> pg_postmaster_start_time()`,
  });
  const seen = row?.seen ?? takeoverMs;
  if (seen < takeoverMs) await pause(takeoverMs - Math.max(0, seen));
}

/** With the lock. What is to become another store is marked as such before anything else. */
async function prepare(session: SqlSession, purpose: Purpose): Promise<void> {
  const [found] = await session.query<{ name: string; arriving: boolean; isEmpty: boolean }>({
    text: `select name, arriving, not exists (select from outline_store.account)
        and not exists (select from outline_store.outline where made) as "isEmpty"
      from outline_store.meta`,
  });
  if (found === undefined) return;
  requirePurpose("The database", purpose, found);
  if (purpose.kind !== "arrive") return;
  await session.query({ text: "update outline_store.meta set arriving = true, name = $1" }, [
    purpose.name,
  ]);
}

/** With the lock: nobody else is there. */
async function begin(session: SqlSession, options: MembershipOptions): Promise<Held> {
  const leaseEnd = leaseFrom(options);
  const origin = await originOf(session);
  await session.query({ text: "begin" });
  // A claim that is under way for a process that is gone ends before this does, or is refused.
  await session.query({ text: "delete from outline_store.process" });
  const [process] = await session.query<{ id: number }>({
    text: `insert into outline_store.process (locked_in)
      values (pg_postmaster_start_time()) returning id`,
  });
  // The first process notes where the first history began.
  await session.query(
    {
      text: `update outline_store.meta set origin = $2,
          epoch = case when origin is null then epoch else $1 end,
          epoch_ordinal = case when origin is null then epoch_ordinal else epoch_ordinal + 1 end
        where origin is distinct from $2`,
    },
    [options.newEpoch(), origin],
  );
  const [meta] = await session.query<Omit<Member, "id">>({
    text: `select epoch, epoch_ordinal as "epochOrdinal", name from outline_store.meta`,
  });
  await session.query({ text: "commit" });
  if (process === undefined || meta === undefined) {
    throw new StoreError("store_corrupt", "The database has lost what it says of itself.");
  }
  return { kind: "member", member: { id: process.id, ...meta }, session, leaseEnd };
}

/**
 * Which history the database has: that of a server since its last recovery, in these tables. A standby
 * that took over, a backup that was put back, a copy and a dump that was read in have another one, and
 * may lack what others have seen.
 */
async function originOf(session: SqlSession): Promise<string> {
  const [row] = await session.query<{ origin: string }>({
    text: `select concat_ws('/',
      (select system_identifier from pg_control_system()),
      substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
      (select oid from pg_database where datname = current_database()),
      'outline_store.meta'::regclass::oid) as origin`,
  });
  return row?.origin ?? "";
}

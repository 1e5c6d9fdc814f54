import { setTimeout as delay } from "node:timers/promises";
import { StoreError } from "../../documents/log/outline-log.ts";
import { type Purpose, requirePurpose } from "../purpose.ts";
import { LOCKS, LOCKS_BEGAN } from "./locks.ts";
import type { Member } from "./member.ts";
import { ORIGIN } from "./origin.ts";
import { CHANNEL } from "./revocations.ts";
import { enter } from "./owners.ts";
import { formatOf, migrate } from "./schema.ts";
import { requireServer } from "./server-checks.ts";
import { type SqlOptions, SqlSession } from "./sql-session.ts";

/**
 * How long a process may serve since it has sent the last heartbeat that was answered: where none but
 * it may come in, and where others wait for what it owns.
 */
export const DEFAULT_LEASE_MS = { alone: 10_000, beside: 4000 } as const;
/** Others wait longer, since the database has written a heartbeat down: by what clocks may differ. */
const TAKEOVER_IN_LEASES = 1.2;

/** How old a heartbeat must be before its process counts as gone. */
export function takeoverMsOf(leaseMs: number): number {
  return Math.ceil(leaseMs * TAKEOVER_IN_LEASES);
}

export interface JoinOptions {
  readonly sql: SqlOptions;
  readonly leaseMs: number;
  readonly purpose: Purpose;
  /**
   * Where the other processes reach this one, host and port: then it serves what it owns, and they
   * what they own. Without it, it has the store alone.
   */
  readonly address: string | undefined;
  /** Of the service that the processes beside each other are. */
  readonly clusterName: string;
  /** A fresh random name of a history. */
  readonly newEpoch: () => string;
  /** Milliseconds since 1970, and of a clock that nobody sets. */
  readonly now: () => number;
  readonly elapsed: () => number;
}

/** The connection that a process has for as long as it serves. */
export type OwnSession = Pick<SqlSession, "query" | "ended" | "onNotification" | "close">;

export interface Joined {
  readonly member: Member;
  /** Holds the locks of the process. */
  readonly session: OwnSession;
  readonly leaseEnd: { readonly elapsed: number; readonly now: number };
  /** The last revocation before it: it knows no key yet. */
  readonly revocation: number;
}

/**
 * Makes this process one that serves the store, or that moves it.
 * @param before what it was when it served before, of which nothing is left
 * @throws StoreError `store_locked`, `store_unavailable`, `store_corrupt`
 */
export async function join(options: JoinOptions, before: number | undefined): Promise<Joined> {
  const { sql, purpose, address, leaseMs, newEpoch } = options;
  const session = await SqlSession.open(before === undefined ? sql : withinLease(sql, leaseMs));
  try {
    await requireServer(session);
    if (purpose.kind === "use" && (await formatOf(session)) === 0) {
      throw new StoreError("store_corrupt", "There is no outline store in the database.");
    }
    await migrate(session, { epoch: newEpoch(), name: newEpoch().slice(0, 8) });
    await takeLock(session, address === undefined ? "alone" : "beside");
    const takeoverMs = takeoverMsOf(leaseMs);
    // The database hangs up on a process that is cut off, and not before its lease has ended.
    await session.query(
      `select set_config('tcp_keepalives_idle', $1, false),
          set_config('tcp_keepalives_interval', '1', false),
          set_config('tcp_keepalives_count', '3', false),
          set_config('tcp_user_timeout', $2, false)`,
      [String(Math.ceil(takeoverMs / 1000)), String(takeoverMs)],
    );
    if (address === undefined) await waitForLeases(session, before);
    await prepare(session, purpose);
    return await begin(session, { ...options, takeoverMs }, before);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Who comes back may have come to a network that fails again: what hangs is given up as a lease is. */
function withinLease(sql: SqlOptions, leaseMs: number): SqlOptions {
  const { connectMs, answerMs } = sql;
  return {
    ...sql,
    connectMs: Math.min(connectMs, leaseMs),
    answerMs: Math.min(answerMs, leaseMs),
  };
}

/** Those that serve beside each other share it. @throws StoreError `store_locked` */
async function takeLock(session: SqlSession, how: "alone" | "beside"): Promise<void> {
  const take = how === "alone" ? "pg_try_advisory_lock" : "pg_try_advisory_lock_shared";
  const [lock] = await session.query<{ taken: boolean }>(
    `select ${take}(${LOCKS.service}) as taken`,
  );
  if (lock?.taken === true) return;
  throw new StoreError(
    "store_locked",
    how === "alone"
      ? "Another process serves this database: stop it, or use the command with the data folder of that one."
      : "Another process has this database alone: stop it, or start it with OUTLINE_CLUSTER_LISTEN as well.",
  );
}

/**
 * A free lock says that all processes before are gone, unless the database was started or has crashed
 * since: then all locks are free, and their leases must have ended.
 * @param before what this process was itself, and has thrown away
 */
async function waitForLeases(session: SqlSession, before: number | undefined): Promise<void> {
  const [row] = await session.query<{ left: number | null }>(
    `select ceil(max(takeover_ms
        - 1000 * greatest(0, extract(epoch from clock_timestamp() - seen_at))))::bigint as left
      from outline_store.process where locked_in <> ${LOCKS_BEGAN} and id <> $1`,
    [before ?? 0],
  );
  const left = row?.left ?? 0;
  if (left > 0) await delay(left);
}

/** With the lock. What is to become another store is marked as such before anything else. */
async function prepare(session: SqlSession, purpose: Purpose): Promise<void> {
  const [found] = await session.query<{
    name: string;
    arriving: boolean;
    isEmpty: boolean;
  }>(`select name, arriving, not exists (select from outline_store.account)
        and not exists (select from outline_store.outline where made) as "isEmpty"
      from outline_store.meta`);
  if (found === undefined) return;
  requirePurpose("The database", purpose, found);
  if (purpose.kind !== "arrive") return;
  await session.query("update outline_store.meta set arriving = true, name = $1", [purpose.name]);
}

interface BeginOptions extends JoinOptions {
  readonly takeoverMs: number;
}

/** With the lock of the service. */
async function begin(
  session: SqlSession,
  { address, clusterName, takeoverMs, leaseMs, elapsed, now, newEpoch }: BeginOptions,
  before: number | undefined,
): Promise<Joined> {
  await session.query(`listen ${CHANNEL}`);
  await session.query("begin");
  // Others that come in wait for it.
  await session.query("select from outline_store.meta for update");
  if (address !== undefined) await requireCluster(session, clusterName);
  await session.query(NOT_IN_FUTURE);
  // A claim that is under way for a process that is gone ends before this does, or is refused.
  if (address === undefined) await session.query(FORGET_ALL);
  else await session.query(FORGET_GONE, [before ?? 0]);
  const leaseEnd = { elapsed: elapsed() + leaseMs, now: now() + leaseMs };
  const id = await enter(session, { address: address ?? "", takeoverMs });
  // The first process notes where the first history began.
  await session.query(
    `update outline_store.meta m set origin = now.origin,
          epoch = case when m.origin is null then epoch else $1 end,
          epoch_ordinal = case when m.origin is null then epoch_ordinal else epoch_ordinal + 1 end
        from (select ${ORIGIN} as origin) as now where m.origin is distinct from now.origin`,
    [newEpoch()],
  );
  const [meta] = await session.query<
    Omit<Member, "id">
  >(`select epoch, epoch_ordinal as "epochOrdinal", name,
      encode(secret, 'hex') as secret from outline_store.meta`);
  const [heard] = await session.query<{ revocation: number }>(
    `update outline_store.process
        set revocation = (select coalesce(max(id), 0) from outline_store.revocation)
        where id = $1 returning revocation`,
    [id],
  );
  await session.query("commit");
  if (meta === undefined) {
    throw new StoreError("store_corrupt", "The database has lost what it says of itself.");
  }
  return { member: { id, ...meta }, session, leaseEnd, revocation: heard?.revocation ?? 0 };
}

/**
 * The first process of several notes what they are: those of another service, which has come to the
 * wrong database, would take outlines that they can't serve.
 * @throws StoreError `store_unavailable`
 */
async function requireCluster(session: SqlSession, name: string): Promise<void> {
  const [meta] = await session.query<{ cluster: string }>(
    `update outline_store.meta set cluster = coalesce(cluster, $1) returning cluster`,
    [name],
  );
  if (meta === undefined || meta.cluster === name) return;
  throw new StoreError(
    "store_unavailable",
    `The database belongs to the service "${meta.cluster}", and this process is one of "${name}": see OUTLINE_STORE and OUTLINE_CLUSTER_NAME.`,
  );
}

/** By a clock of the database that was behind, as that of a standby may be, one would live for ever. */
const NOT_IN_FUTURE = `update outline_store.process set seen_at = clock_timestamp()
    where seen_at > clock_timestamp()`;
const FORGET_ALL = "delete from outline_store.process";
/** What it was itself, and what has said nothing for so long that nobody waits for it. */
const FORGET_GONE = `delete from outline_store.process where id = $1
    or seen_at < statement_timestamp() - make_interval(secs => 60 + takeover_ms / 1000)`;

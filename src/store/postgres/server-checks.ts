import { StoreError } from "../../documents/log/outline-log.ts";
import { PROCESS_CLASS } from "./locks.ts";
import type { Member } from "./member.ts";
import type { SqlSession } from "./sql-session.ts";

const OLDEST_SERVER = 140_000;
/** Others wait for less than a synchronous standby's disk. */
const KEEPING = ["on", "remote_apply"];

interface Settings {
  readonly version: number;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly encoding: string;
  readonly in_recovery: boolean;
}

/**
 * Sees to it that the database keeps what it confirms.
 * @throws StoreError `store_unavailable` with the sentence of what is to be changed
 */
export async function requireServer(session: SqlSession): Promise<void> {
  const [settings] =
    await session.query<Settings>(`select current_setting('server_version_num')::int as version,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      current_setting('synchronous_commit') as synchronous_commit,
      current_setting('server_encoding') as encoding,
      pg_is_in_recovery() as in_recovery`);
  const sentence = settings && lackOf(settings);
  if (sentence !== undefined) throw new StoreError("store_unavailable", sentence);
}

/**
 * Sees to it that connections are kept apart. A pooler that shares them shares their locks too, by which
 * processes know who lives: each would take what others serve.
 * @param other another connection than the one that holds the lock of the process
 * @throws StoreError `store_unavailable`
 */
export async function requireSessions(
  other: SqlSession,
  membership: { readonly first: Member; holds(): boolean },
): Promise<void> {
  const [lock] = await other.query<{ isFree: boolean }>(
    `select pg_try_advisory_xact_lock_shared(${PROCESS_CLASS}, $1::int) as "isFree"`,
    [membership.first.id],
  );
  // One that has lapsed meanwhile has given its lock back.
  if (lock?.isFree !== true || !membership.holds()) return;
  throw new StoreError(
    "store_unavailable",
    "A pooler shares the connections to the database: it has to keep sessions (pool_mode = session).",
  );
}

function lackOf(settings: Settings): string | undefined {
  if (settings.version < OLDEST_SERVER) {
    return `The database is PostgreSQL ${Math.floor(settings.version / 10_000)}: 14 or later is needed.`;
  }
  if (settings.in_recovery) return "The database is a standby: name the primary in OUTLINE_STORE.";
  if (settings.encoding !== "UTF8") {
    return `The database has the encoding ${settings.encoding}: UTF8 is needed.`;
  }
  for (const name of ["fsync", "full_page_writes", "synchronous_commit"] as const) {
    if (!KEEPING.includes(settings[name])) {
      return `The database may lose what it has confirmed: ${name} is ${settings[name]}. Set it to on.`;
    }
  }
  return undefined;
}

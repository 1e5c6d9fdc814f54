/** `outl` in ASCII: tells the locks of this service from those of others in the same database. */
const CLASS = 0x6f75746c;
/** `outm`: of processes, by their numbers. */
export const PROCESS_CLASS = CLASS + 1;

/**
 * When all locks of the database were free for the last time: at the start of its server, and when that
 * has ended all connections because one of its own processes had crashed, which it shows by nothing but
 * statistics that begin anew. Whoever resets these by hand makes locks that were taken before say
 * nothing, too.
 */
export const LOCKS_BEGAN =
  "greatest(pg_postmaster_start_time(), (select stats_reset from pg_stat_wal))";

/** Advisory locks of a session, as arguments of PostgreSQL's functions. */
export const LOCKS = {
  /** Held while tables are made or changed. */
  migration: `${CLASS}, 1`,
  /** Held by the process that serves. */
  service: `${CLASS}, 2`,
} as const;

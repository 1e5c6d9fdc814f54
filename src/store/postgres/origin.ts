/**
 * Which history the database has: that of a server since its last recovery, in these tables. A standby
 * that took over, a backup that was put back, a copy and a dump that was read in have another one, and
 * may lack what others have seen. As an expression of SQL.
 */
export const ORIGIN = `concat_ws('/',
  (select system_identifier from pg_control_system()),
  substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
  (select oid from pg_database where datname = current_database()),
  'outline_store.meta'::regclass::oid)`;

/**
 * Whether the history of an epoch is that of the database still, as an expression of SQL. One that has
 * taken over has the owners and heads of the one before, and lacks what was written last: who is at
 * work on the epoch knows more than is there, and must write nothing that builds on it.
 * @param epoch the parameter
 */
export function isHistoryOf(epoch: string): string {
  return `exists (select from outline_store.meta where epoch = ${epoch} and origin = ${ORIGIN})`;
}

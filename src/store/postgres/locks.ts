/** `outl` in ASCII: tells the locks of this service from those of others in the same database. */
const CLASS = 0x6f75746c;
/** `outm`: of processes, by their numbers. */
export const PROCESS_CLASS = CLASS + 1;

/** Advisory locks of a session, as arguments of PostgreSQL's functions. */
export const LOCKS = {
  /** Held while tables are made or changed. */
  migration: `${CLASS}, 1`,
  /** Held by the process that serves. */
  service: `${CLASS}, 2`,
} as const;

/** `outl` in ASCII: tells the locks of this service from those of others in the same database. */
const CLASS = 0x6f75746c;

/** Advisory locks of a session, as arguments of PostgreSQL's functions. */
export const LOCKS = {
  /** Held while tables are made or changed. */
  migration: `${CLASS}, 1`,
  /** Held by the process that serves. */
  service: `${CLASS}, 2`,
} as const;

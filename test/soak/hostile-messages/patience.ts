/**
 * How long an answer may take on a machine that does other things too: what never comes is a fault.
 * Short enough that a broken variant is found out within a test's time.
 */
export const PATIENCE_MS = 30_000;

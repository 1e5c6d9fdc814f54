/** How long an answer may take on a machine that does much else: what never comes is a fault. */
export const PATIENCE_MS = 5 * 60_000;

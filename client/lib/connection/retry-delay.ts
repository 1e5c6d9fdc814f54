import type { Random } from "../../../src/core/node-key.ts";

const FIRST_MS = 200;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next attempt: doubled with each that failed, up to half a minute, and
 * spread over the upper half of that, so that those who lost the server together come back apart.
 */
export function retryDelay(attempt: number, random: Random): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(most * (0.5 + random() / 2));
}

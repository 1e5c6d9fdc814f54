import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import type { SqlSession } from "./sql-session.ts";

/** Less than the second after which the database looks for a deadlock, so that it ends nobody who serves. */
const WAIT_MS = 500;
const PAUSE_MS = 100;
/** Of PostgreSQL: a lock was not to be had in time, and two waited for each other. */
const HAD_TO_WAIT: ReadonlySet<string | undefined> = new Set(["55P03", "40P01"]);

/**
 * Changes tables that others use, in one transaction. A change of a table waits for all who use it, and
 * who comes later waits behind the change; when they wait for each other, the database ends one of them.
 * So it waits for a moment, lets go of everything, and begins anew.
 * @param longestMs after which it gives up
 * @throws StoreError `store_unavailable`
 */
export async function changeGivingWay(
  session: SqlSession,
  change: () => Promise<unknown>,
  longestMs: number,
): Promise<void> {
  const endsAt = performance.now() + longestMs;
  for (;;) {
    try {
      await session.query("begin");
      await session.query(`set local lock_timeout = ${WAIT_MS}`);
      await change();
      await session.query("commit");
      return;
    } catch (error) {
      if (!hadToWait(error) || performance.now() > endsAt) throw error;
      await session.query("rollback");
      await delay(PAUSE_MS);
    }
  }
}

function hadToWait(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof pg.DatabaseError && HAD_TO_WAIT.has(cause.code);
}

/**
 * The program under conditions that a test can't bring about from outside, or with a defect that it is
 * to find out: `OUTLINE_CHANGED` names them.
 */
import { KeptTails } from "../../../src/documents/kept-tails.ts";
import { CommitLane } from "../../../src/store/postgres/commit-lane.ts";
import { SqlPool } from "../../../src/store/postgres/sql-pool.ts";
import { SqlSession } from "../../../src/store/postgres/sql-session.ts";

const changes = new Set(process.env["OUTLINE_CHANGED"]?.split(","));

// The clock of the machine is an hour ahead, from the start on or from a signal on.
if (changes.has("clock") || changes.has("clock-jumps")) {
  const HOUR_MS = 3_600_000;
  const { now } = Date;
  let ahead = changes.has("clock") ? HOUR_MS : 0;
  Date.now = () => now() + ahead;
  process.on("SIGUSR2", () => (ahead = HOUR_MS - ahead));
}

// Nothing that the database tells by itself arrives.
if (changes.has("deaf")) SqlSession.prototype.onNotification = () => undefined;

// Nor does it ask.
if (changes.has("asks-nothing")) {
  // oxlint-disable-next-line typescript/unbound-method -- called with the session below
  const { query } = SqlSession.prototype;
  SqlSession.prototype.query = async function queryUnheard<T extends object>(
    this: SqlSession,
    ...[statement, values, answerMs]: Parameters<SqlSession["query"]>
  ): Promise<readonly T[]> {
    const rows = await query.call(this, statement, values, answerMs);
    return (typeof statement !== "string" && statement.name === "beat"
      ? rows.map((row) => ({ ...row, revocation: 0 }))
      : rows) as unknown as readonly T[];
  };
}

// Connections that hang are waited for.
if (changes.has("waits-for-answers")) {
  CommitLane.prototype.hangUp = () => undefined;
  SqlPool.prototype.hangUp = () => undefined;
}

if (changes.has("hands-nothing-in")) KeptTails.prototype.keep = () => undefined;

// It runs the program.
await import("../../../src/main.ts");

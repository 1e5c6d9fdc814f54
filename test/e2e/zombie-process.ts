/**
 * The program with a defect in how it owns outlines, which a test is to find out: without a lease it
 * serves what it has in memory however long it was away; without the fence the database takes what it
 * writes as well.
 */
import { CommitLane } from "../../src/store/postgres/commit-lane.ts";
import { Membership } from "../../src/store/postgres/membership.ts";
import { SqlSession } from "../../src/store/postgres/sql-session.ts";

Membership.prototype.holds = () => true;

if (process.env["OUTLINE_ZOMBIE"] === "fence") {
  // oxlint-disable-next-line typescript/unbound-method -- called with the lane below
  const { append } = CommitLane.prototype;
  CommitLane.prototype.append = function appendAnyhow(outline, { term: _term, ...rest }) {
    this.forget(outline);
    return append.call(this, outline, rest);
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with the session below
  const { query } = SqlSession.prototype;
  SqlSession.prototype.query = function queryAnyhow<T extends object>(
    this: SqlSession,
    ...[statement, values, answerMs]: Parameters<SqlSession["query"]>
  ): Promise<readonly T[]> {
    const isAppend = typeof statement !== "string" && statement.name === "append";
    const changed = isAppend
      ? {
          name: statement.name,
          text: statement.text
            .replace("where o.owner = $1 and", "where $1::bigint is not null and")
            // Numbers of changes collide, too.
            .replace("decode(c.id, 'hex'))", "decode(c.id, 'hex') on conflict do nothing)"),
        }
      : statement;
    return query.call(this, changed, values, answerMs) as Promise<readonly T[]>;
  };
}

// It runs the program.
await import("../../src/main.ts");

import { z } from "zod";
import type { SessionRecord } from "../../accounts/account-store.ts";
import type { Principal } from "../../accounts/principal.ts";
import { named, SESSION } from "../api-schemas.ts";
import { endOf } from "../intake/in-force.ts";
import { defineOperation } from "../operation.ts";

export const listSessions = defineOperation({
  id: "listSessions",
  method: "GET",
  path: "/sessions",
  tag: "Sessions",
  summary: "List the signed-in browsers",
  description:
    "Answers the user's sessions, oldest first. A key that may only read sees no session but the one " +
    "that it asks by.",
  needs: { write: false, wholeOutline: true },
  answer: named("SessionList", z.strictObject({ sessions: z.array(SESSION) })),
  problems: [],
  async run({ principal }, { accounts, now }) {
    const sessions = await accounts.listSessions(principal.user);
    const ended = endOf(principal, now());
    if (ended !== undefined) return ended;
    const seen = sessions.filter(
      ({ id }) => principal.scope === "write" || id === principal.sessionId,
    );
    return JSON.stringify({ sessions: seen.map((record) => shownSession(record, principal)) });
  },
});

function shownSession(record: SessionRecord, { sessionId }: Principal): z.infer<typeof SESSION> {
  return {
    id: record.id,
    key_id: record.keyId,
    browser: record.browser,
    current: record.id === sessionId,
    createdAt: record.createdAt,
    lastUsedAt: record.lastUsedAt,
    expiresAt: record.expiresAt,
  };
}

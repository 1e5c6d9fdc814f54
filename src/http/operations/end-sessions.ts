import { z } from "zod";
import { answerToEnding } from "../answer-to-ending.ts";
import { DONE, SESSION_ID } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { problem } from "../problem.ts";

export const endSession = defineOperation({
  id: "endSession",
  method: "DELETE",
  path: "/sessions/:id",
  tag: "Sessions",
  summary: "Sign a browser out",
  description: "The session opens nothing any more, and its websockets are closed.",
  needs: { write: true, wholeOutline: true },
  parameter: { name: "id", schema: SESSION_ID },
  answer: DONE,
  problems: ["not_found"],
  async run({ principal, id }, { accounts }) {
    return answerToEnding(
      await accounts.endSessions(principal.user, { id }, principal),
      problem("not_found", "There is no such session."),
    );
  },
});

export const endSessions = defineOperation({
  id: "endSessions",
  method: "DELETE",
  path: "/sessions",
  tag: "Sessions",
  summary: "Sign all browsers out",
  description: "Ends all of the user's sessions, or all but the one that asks.",
  needs: { write: true, wholeOutline: true },
  query: z.object({
    others: z
      .enum(["true", "false"])
      .optional()
      .meta({ description: "`true` leaves the session that asks." }),
  }),
  answer: DONE,
  problems: [],
  async run({ principal, query }, { accounts }) {
    const allBut = query.others === "true" ? principal.sessionId : undefined;
    const ended = await accounts.endSessions(principal.user, { allBut }, principal);
    // None is all, too.
    return answerToEnding(ended, DONE_ANSWER);
  },
});

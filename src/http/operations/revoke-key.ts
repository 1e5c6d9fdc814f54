import { DONE, KEY_ID } from "../api-schemas.ts";
import { answerToEnding } from "../answer-to-ending.ts";
import { defineOperation } from "../operation.ts";
import { problem } from "../problem.ts";

export const revokeKey = defineOperation({
  id: "revokeKey",
  method: "DELETE",
  path: "/api/v1/keys/:id",
  tag: "Keys",
  summary: "Revoke an API key",
  description:
    "The key opens nothing any more, nor do the keys that were made with it, nor the browsers that " +
    "are signed in with any of them; their websockets are closed.",
  needs: { write: true, wholeOutline: true },
  parameter: { name: "id", schema: KEY_ID },
  answer: DONE,
  problems: ["not_found"],
  async run({ principal, id }, { accounts }) {
    return answerToEnding(
      await accounts.revokeKey(principal.user, id, principal),
      problem("not_found", "There is no such API key."),
    );
  },
});

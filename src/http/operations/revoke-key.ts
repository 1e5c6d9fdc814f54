import { DONE, KEY_ID } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { problem } from "../problem.ts";

export const revokeKey = defineOperation({
  id: "revokeKey",
  method: "DELETE",
  path: "/api/v1/keys/:id",
  tag: "Keys",
  summary: "Revoke an API key",
  description: "The key opens nothing any more, and its websockets are closed.",
  needs: { write: true, wholeOutline: true },
  parameter: { name: "id", schema: KEY_ID },
  answer: DONE,
  problems: ["not_found"],
  async run({ principal: { user }, id }, { accounts }) {
    const revoked = await accounts.revokeKey(user, id);
    return revoked ? DONE_ANSWER : problem("not_found", "There is no such API key.");
  },
});

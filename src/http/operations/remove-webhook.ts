import { DONE } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { NO_SUCH_WEBHOOK, webhookSeen } from "../webhooks/own-webhooks.ts";
import { WEBHOOK_ID } from "../webhooks/webhook-schemas.ts";

export const removeWebhook = defineOperation({
  id: "removeWebhook",
  method: "DELETE",
  path: "/api/v1/webhooks/:id",
  tag: "Webhooks",
  summary: "Remove a webhook",
  description: "Nothing is sent to it any more, but for what is on its way.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: WEBHOOK_ID },
  answer: DONE,
  problems: ["not_found"],
  async run({ principal, id }, service) {
    const seen = await webhookSeen(service, principal, id);
    if (seen.kind === "problem") return seen;
    const isRemoved = await service.accounts.webhooks.remove(seen.webhook);
    service.webhooks.changed({ ...seen.webhook, off: "removed" });
    return isRemoved ? DONE_ANSWER : NO_SUCH_WEBHOOK;
  },
});

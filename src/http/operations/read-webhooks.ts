import { z } from "zod";
import { named } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { webhookSeen, webhooksSeen } from "../webhooks/own-webhooks.ts";
import { shownWebhook, WEBHOOK, WEBHOOK_ID } from "../webhooks/webhook-schemas.ts";

export const listWebhooks = defineOperation({
  id: "listWebhooks",
  method: "GET",
  path: "/api/v1/webhooks",
  tag: "Webhooks",
  summary: "List the webhooks",
  description:
    "Answers the webhooks of the outline, oldest first, without their secrets; to a limited key those that " +
    "it has made itself.",
  needs: { write: false, wholeOutline: false },
  answer: named("WebhookList", z.strictObject({ webhooks: z.array(WEBHOOK) })),
  problems: ["not_found"],
  async run({ principal }, service) {
    const seen = await webhooksSeen(service, principal);
    if ("kind" in seen) return seen;
    return JSON.stringify({ webhooks: seen.map((webhook) => shownWebhook(webhook, principal)) });
  },
});

export const retrieveWebhook = defineOperation({
  id: "retrieveWebhook",
  method: "GET",
  path: "/api/v1/webhooks/:id",
  tag: "Webhooks",
  summary: "Read a webhook",
  description: "Answers how it stands: whether messages arrive, and if not, why.",
  needs: { write: false, wholeOutline: false },
  parameter: { name: "id", schema: WEBHOOK_ID },
  answer: named("WebhookAnswer", z.strictObject({ webhook: WEBHOOK })),
  problems: ["not_found"],
  async run({ principal, id }, service) {
    const seen = await webhookSeen(service, principal, id);
    if (seen.kind === "problem") return seen;
    return JSON.stringify({ webhook: shownWebhook(seen.webhook, principal) });
  },
});

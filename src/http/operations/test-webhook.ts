import { z } from "zod";
import { named } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { problem } from "../problem.ts";
import { webhookSeen } from "../webhooks/own-webhooks.ts";
import { isSuccess, wordsFor } from "../webhooks/webhook-runner.ts";
import { WEBHOOK_ID } from "../webhooks/webhook-schemas.ts";

const BUSY = problem("rate_limited", "Too many messages are on their way already.", 1000);

export const testWebhook = defineOperation({
  id: "testWebhook",
  method: "POST",
  path: "/api/v1/webhooks/:id/test",
  tag: "Webhooks",
  summary: "Send a test message",
  description:
    "Sends a message of the type `test`, signed like all of them, once, and tells what has become of it. " +
    "Whether the webhook is on, and what is to be sent again, stays as it is.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: WEBHOOK_ID },
  answer: named(
    "WebhookTest",
    z.strictObject({
      delivered: z.boolean(),
      status: z.int().nullable().meta({ description: "What the receiver answered." }),
      error: z.string().nullable().meta({ description: "Why the message did not arrive." }),
    }),
  ),
  problems: ["not_found", "rate_limited"],
  async run({ principal, id }, service) {
    const seen = await webhookSeen(service, principal, id);
    if (seen.kind === "problem") return seen;
    const posted = await service.webhooks.test(seen.webhook);
    if (posted === undefined) return BUSY;
    const delivered = isSuccess(posted);
    return JSON.stringify({
      delivered,
      status: posted.kind === "answered" ? posted.status : null,
      error: delivered ? null : wordsFor(posted),
    });
  },
});

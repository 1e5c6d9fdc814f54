import { z } from "zod";
import { DONE, named } from "../api-schemas.ts";
import { defineOperation, DONE_ANSWER } from "../operation.ts";
import { webhookSeen } from "../webhooks/own-webhooks.ts";
import { receiverOf, WEBHOOK_FIELDS, WEBHOOK_ID } from "../webhooks/webhook-schemas.ts";

const { url, name, kinds, fields } = WEBHOOK_FIELDS;

const BY_HAND = "It was switched off by request.";

export const changeWebhook = defineOperation({
  id: "changeWebhook",
  method: "POST",
  path: "/api/v1/webhooks/:id",
  tag: "Webhooks",
  summary: "Change a webhook, or switch it on or off",
  description:
    "What is left out stays. With another `url`, and with `state` `on`, it is tried again at once, from where " +
    "it stood: what has changed since the last message that arrived is told, or a `reset` where that was too " +
    "long ago.",
  needs: { write: true, wholeOutline: false },
  parameter: { name: "id", schema: WEBHOOK_ID },
  body: named(
    "ChangeWebhook",
    z.object({
      url: url.optional(),
      name: name.optional(),
      kinds: kinds.nullable().optional(),
      fields: fields.optional(),
      state: z.enum(["on", "off"]).optional(),
    }),
  ),
  answer: DONE,
  example: { state: "on" },
  problems: ["not_found"],
  async run({ principal, id, body }, service) {
    const receiver =
      body.url === undefined ? undefined : receiverOf(body.url, service.limits.insecureWebhooks);
    if (receiver?.kind === "problem") return receiver;
    const { state } = body;
    const isAnew = state === "on" || receiver !== undefined;
    for (;;) {
      const seen = await webhookSeen(service, principal, id);
      if (seen.kind === "problem") return seen;
      const { webhook } = seen;
      const changed = await service.accounts.webhooks.change(webhook, {
        url: receiver?.url ?? webhook.url,
        name: body.name ?? webhook.name,
        fields: body.fields ?? webhook.fields,
        kinds: body.kinds === undefined ? webhook.kinds : (body.kinds ?? undefined),
        failing: isAnew ? undefined : webhook.failing,
        off: state === "on" ? undefined : state === "off" ? BY_HAND : webhook.off,
      });
      // Else a message has arrived, or not, meanwhile.
      if (changed === undefined) continue;
      service.webhooks.changed(changed);
      return DONE_ANSWER;
    }
  },
});

import { z } from "zod";
import { MOST_WEBHOOKS } from "../../accounts/webhooks.ts";
import { nodeIdOf } from "../../core/node-key.ts";
import { named, NODE_REFERENCE } from "../api-schemas.ts";
import { toldChanges } from "../changes/told-changes.ts";
import { CURSOR_EXPIRED } from "../answer/cursor.ts";
import { given } from "../given.ts";
import { KEY_ENDED } from "../intake/in-force.ts";
import { defineOperation } from "../operation.ts";
import { problem } from "../problem.ts";
import { rootOf } from "../root-of.ts";
import { receiverOf, WEBHOOK_FIELDS, WEBHOOK_ID } from "../webhooks/webhook-schemas.ts";

const { url, name, kinds, fields } = WEBHOOK_FIELDS;

const TOO_MANY = problem(
  "too_many_webhooks",
  `There are ${MOST_WEBHOOKS} webhooks, and no more can be made: remove those that nobody uses.`,
);

export const createWebhook = defineOperation({
  id: "createWebhook",
  method: "POST",
  path: "/api/v1/webhooks",
  tag: "Webhooks",
  summary: "Make a webhook",
  description:
    "What changes from now on is sent to the address, as `changes` tells it: each message is a POST with " +
    "`{type, timestamp, data}`, signed as in the Standard Webhooks specification (1.0) with the secret that " +
    "is answered here, and shown this once. `type` is `changes` (`data` has `webhook_id`, `cursor`, `more`, " +
    "`changed`, `removed`), `reset` (what a copy lacks can't be told any more: begin again with an export) or " +
    "`test`. Messages come one after the other, in order, each at least once, and twice with the same " +
    "`webhook-id`. A status of 2xx within 15 seconds is success; else it is sent again after 5 seconds, 1, 5 " +
    "and 30 minutes, 2 hours, then every 6 hours, for three days; then, or at once for 410, the webhook is " +
    "switched off. It ends with the key that makes it. A limited key's tells what the key reaches.",
  needs: { write: true, wholeOutline: false },
  body: named(
    "CreateWebhook",
    z.object({
      url,
      name: name.nullish(),
      root_id: NODE_REFERENCE.nullish().meta({
        description: "Only this node and what is below it is told.",
      }),
      kinds: kinds.nullish(),
      fields: fields.nullish(),
    }),
  ),
  answer: named(
    "CreatedWebhook",
    z.strictObject({
      id: WEBHOOK_ID,
      secret: z.string().meta({ examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
    }),
  ),
  example: { url: "https://example.org/outline", kinds: ["created", "completed"] },
  problems: ["not_found", "too_many_webhooks"],
  async run({ principal, caller, body }, service) {
    const receiver = receiverOf(body.url, service.limits.insecureWebhooks);
    if (receiver.kind === "problem") return receiver;
    const root = await rootOf(service, caller, body.root_id);
    if (typeof root === "object") return root;
    const following = { root: root && nodeIdOf(principal.outline, root), limit: 1 };
    const told = await toldChanges(service, principal, following);
    if (told === CURSOR_EXPIRED) throw new Error("there is no cursor that could be too old");
    if (told.kind === "problem") return told;
    const made = await service.accounts.webhooks.make(principal, {
      name: body.name ?? "",
      url: receiver.url,
      fields: body.fields ?? "ids",
      cursor: told.cursor,
      ...given({ root, kinds: body.kinds }),
    });
    switch (made.kind) {
      case "made": {
        const { id, secret, outline } = made.webhook;
        service.webhooks.look(outline);
        return JSON.stringify({ id, secret });
      }
      case "full":
        return TOO_MANY;
      // While the request was on its way.
      case "ended":
        return KEY_ENDED;
    }
  },
});

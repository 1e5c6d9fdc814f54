import { z } from "zod";
import type { WebhookRecord } from "../../accounts/account-store.ts";
import { KEY_NAME_LENGTH, keyNameProblem } from "../../accounts/key-name.ts";
import type { Principal } from "../../accounts/principal.ts";
import { nodeIdOf } from "../../core/node-key.ts";
import { KEY_ID, named, NODE_ID, UNIX_SECONDS } from "../api-schemas.ts";
import { CHANGE_KINDS } from "../changes/change-kinds.ts";
import { problem, type Problem } from "../problem.ts";
import { urlProblem } from "../outgoing/post.ts";

/** In characters. */
const LONGEST_URL = 2048;

export const WEBHOOK_ID = z.string().meta({
  description: "What a webhook is called.",
  examples: ["hook_4PqT0mZkXw7bVc2N"],
});

const KINDS = z.array(z.enum(CHANGE_KINDS)).min(1).max(CHANGE_KINDS.length);

/** What whoever makes or changes a webhook may say of it. */
export const WEBHOOK_FIELDS = {
  url: z
    .string()
    .max(LONGEST_URL)
    .meta({
      description:
        "Where messages are sent: with `https`, to a host that is public, without user, password and fragment.",
      examples: ["https://example.org/outline"],
    }),
  name: z
    .string()
    .trim()
    .max(KEY_NAME_LENGTH)
    .refine((name) => name === "" || keyNameProblem(name) === undefined, "has a control character")
    .meta({ description: "For the list of webhooks; without control characters." }),
  kinds: KINDS.meta({
    description:
      "What is told; everything when not given. `created`: came into sight (made, restored, moved in); " +
      "`changed`: something of a node that was there has changed, its place too; `moved`: its place or rank " +
      "has; `completed`: a node has changed that is completed now; `removed`: went out of sight.",
    examples: [["created", "completed"]],
  }),
  fields: z.enum(["ids", "nodes"]).meta({
    description: "What `changed` holds in messages; ids when not given.",
  }),
} as const;

export const WEBHOOK = named(
  "Webhook",
  z
    .strictObject({
      id: WEBHOOK_ID,
      name: z.string(),
      url: z.string().meta({ description: "For a key that may only read, without the path." }),
      root_id: NODE_ID.nullable().meta({
        description: "With it only this node and what is below it is told.",
      }),
      kinds: z
        .array(z.enum(CHANGE_KINDS))
        .nullable()
        .meta({ description: "`null` is everything." }),
      fields: z.enum(["ids", "nodes"]),
      key_id: KEY_ID.meta({ description: "The API key that made it, with which it ends." }),
      state: z.enum(["on", "failing", "off"]).meta({
        description:
          "`failing`: the last message did not arrive, and is sent again. `off`: nothing is sent until it " +
          "is switched on again.",
      }),
      reason: z.string().nullable().meta({ description: "Why it is failing or off." }),
      createdAt: UNIX_SECONDS,
      lastDeliveredAt: UNIX_SECONDS.nullable(),
      nextAttemptAt: UNIX_SECONDS.nullable().meta({ description: "While it is failing." }),
    })
    .meta({ description: "An address that is told what changes; its secret is shown once." }),
);

export function shownWebhook(record: WebhookRecord, { scope }: Principal): z.infer<typeof WEBHOOK> {
  const { id, name, url, root, outline, fields, keyId, failing, off } = record;
  const kinds = CHANGE_KINDS.filter((kind) => record.kinds?.includes(kind) === true);
  return {
    id,
    name,
    // Whoever has the address of a receiver can often send to it.
    url: scope === "write" ? url : new URL(url).origin,
    root_id: root === undefined ? null : nodeIdOf(outline, root),
    kinds: record.kinds === undefined ? null : kinds,
    fields,
    key_id: keyId,
    state: off === undefined ? (failing === undefined ? "on" : "failing") : "off",
    reason: off ?? (failing === undefined ? null : sentence(failing.error)),
    createdAt: record.createdAt,
    lastDeliveredAt: record.deliveredAt ?? null,
    nextAttemptAt:
      failing === undefined || off !== undefined ? null : Math.ceil(failing.nextAt / 1000),
  };
}

/** Reads the address of a receiver. */
export function receiverOf(
  text: string,
  isInsecure: boolean,
): { readonly kind: "receiver"; readonly url: string } | Problem {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return problem("invalid_request", "url: not a URL.");
  const wrong = keptProblem(url) ?? urlProblem(url, isInsecure);
  if (wrong !== undefined) return problem("invalid_request", `url: ${wrong}.`);
  return { kind: "receiver", url: url.href };
}

/** Why an address is not kept, as it is encoded; one that was kept before is asked all the same. */
function keptProblem({ href }: URL): string | undefined {
  if (href.includes("#")) return "the address has a fragment (#), which is never sent";
  return href.length > LONGEST_URL ? `more than ${LONGEST_URL} characters when encoded` : undefined;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

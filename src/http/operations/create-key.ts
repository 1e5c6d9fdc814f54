import { z } from "zod";
import { LAST_EXPIRY } from "../../accounts/account-store.ts";
import { type CreatedKey, MOST_KEYS } from "../../accounts/accounts.ts";
import { KEY_NAME_LENGTH, keyNameProblem } from "../../accounts/key-name.ts";
import { KEY_ID, named, NODE_REFERENCE, UNIX_SECONDS } from "../api-schemas.ts";
import { given } from "../given.ts";
import { defineOperation } from "../operation.ts";
import { KEY_ENDED } from "../intake/in-force.ts";
import { problem, type Problem } from "../problem.ts";
import { rootOf } from "../root-of.ts";

const BODY = named(
  "CreateApiKey",
  z.object({
    name: z
      .string()
      .trim()
      .min(1)
      .max(KEY_NAME_LENGTH)
      .refine((name) => keyNameProblem(name) === undefined, "has a control character")
      .meta({ description: "For the list of keys; without control characters." }),
    scope: z.enum(["write", "read"]).nullish().meta({ description: "`write` when not given." }),
    root_id: NODE_REFERENCE.nullish().meta({
      description: "Limits the key to this node and what is below it.",
    }),
    expiresAt: UNIX_SECONDS.max(LAST_EXPIRY).nullish().meta({
      description: "When not given, that of the key that makes it. No later than that.",
    }),
  }),
);

const ANSWER = z.strictObject({
  id: KEY_ID,
  key: z.string().meta({ examples: ["ok_7hJ2mQx0RtLb5VnYc8KdWz3GfPs6AeU1"] }),
});

/** Why a key is not made, also for an OAuth client. */
export const KEY_REFUSALS: Readonly<Record<Exclude<CreatedKey["kind"], "created">, Problem>> = {
  full: problem(
    "too_many_keys",
    `There are ${MOST_KEYS} keys, and no more can be made: revoke those that nobody uses.`,
  ),
  too_long: problem("invalid_request", "expiresAt: later than that of the key that makes it."),
  too_much: problem("forbidden", "A key makes none that may do more than itself."),
  // While the request was on its way.
  ended: KEY_ENDED,
  unknown_user: KEY_ENDED,
};

const IN_PAST = problem("invalid_request", "expiresAt: in the past.");

/** Why a key can't end then, also for an OAuth client. */
export function problemOfExpiry(
  expiresAt: number | null | undefined,
  nowMs: number,
): Problem | undefined {
  return typeof expiresAt === "number" && expiresAt * 1000 <= nowMs ? IN_PAST : undefined;
}

export const createKey = defineOperation({
  id: "createKey",
  method: "POST",
  path: "/api/v1/keys",
  tag: "Keys",
  summary: "Make an API key",
  description:
    "Answers the new key. It is shown this once and can't be looked up later. It ends with the key " +
    "that makes it: it expires no later, and is revoked with it.",
  needs: { write: true, wholeOutline: true },
  body: BODY,
  answer: named("CreatedApiKey", ANSWER),
  example: { name: "phone", scope: "read" },
  problems: ["not_found", "too_many_keys"],
  async run({ principal, caller, body }, service) {
    const { name, scope, expiresAt } = body;
    const past = problemOfExpiry(expiresAt, service.now());
    if (past !== undefined) return past;
    const root = await rootOf(service, caller, body.root_id);
    if (typeof root === "object") return root;
    const created = await service.accounts.createKey(
      principal.user,
      { name, ...given({ scope, root, expiresAt }) },
      principal,
    );
    return created.kind === "created"
      ? JSON.stringify({ id: created.id, key: created.key })
      : KEY_REFUSALS[created.kind];
  },
});

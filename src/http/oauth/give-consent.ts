import { z } from "zod";
import { LAST_EXPIRY } from "../../accounts/account-store.ts";
import { KEY_NAME_LENGTH } from "../../accounts/key-name.ts";
import { beginningOf } from "../../core/text/beginning-of.ts";
import { NODE_REFERENCE, UNIX_SECONDS } from "../api-schemas.ts";
import { defineOperation } from "../operation.ts";
import { KEY_REFUSALS, problemOfExpiry } from "../operations/create-key.ts";
import { problem } from "../problem.ts";
import { rootOf } from "../root-of.ts";
import { codeAddress, errorAddress } from "./authorization-request.ts";
import type { Client } from "./client.ts";
import { NO_ADDRESS, QUERY, readRequest } from "./read-request.ts";

const BODY = z.object({
  query: QUERY,
  allow: z.boolean(),
  scope: z.enum(["read", "write"]).optional(),
  root_id: NODE_REFERENCE.nullish(),
  expiresAt: UNIX_SECONDS.max(LAST_EXPIRY).nullish(),
});

/** What a person decides on the page of `/oauth/authorize`. Answers where to send the browser. */
export const giveConsent = defineOperation({
  id: "giveConsent",
  method: "POST",
  path: "/oauth/consent",
  tag: "Keys",
  summary: "Agree to what an OAuth client asks for, or not",
  description: "Answers the address that takes a code, or a refusal, to the client.",
  needs: { write: true, wholeOutline: true },
  body: BODY,
  answer: z.unknown(),
  problems: ["not_found", "too_many_keys"],
  async run({ principal, caller, body, address: addressOf }, service) {
    const address = addressOf();
    if (address === undefined) return NO_ADDRESS;
    const request = await readRequest(service, principal, { address, query: body.query });
    if (request.kind === "sent_back") return JSON.stringify({ to: request.to });
    if (request.kind === "no_client") return problem("invalid_request", request.reason);
    const { client, redirectUri, state, challenge } = request;
    const back = { redirectUri, state, address };
    const { allow, scope = "read", expiresAt } = body;
    if (!allow) {
      return JSON.stringify({ to: errorAddress(back, "access_denied", "the person said no") });
    }
    if (scope === "write" && request.scope !== "write") {
      return problem("forbidden", "The client asks for less than that.");
    }
    const past = problemOfExpiry(expiresAt, service.now());
    if (past !== undefined) return past;
    const root = await rootOf(service, caller, body.root_id);
    if (typeof root === "object") return root;
    const offered = await service.accounts.grants.offer(
      {
        client: client.id,
        redirectUri,
        challenge,
        name: keyNameOf(client, redirectUri),
        scope,
        root,
        expiresAt: expiresAt ?? undefined,
      },
      principal,
    );
    return offered.kind === "offered"
      ? JSON.stringify({ to: codeAddress(back, offered.code) })
      : KEY_REFUSALS[offered.kind];
  },
});

/** In the list of keys: what it calls itself, and who answers for that. */
function keyNameOf({ name, host }: Client, redirectUri: string): string {
  const place = host ?? new URL(redirectUri).host;
  return beginningOf(`${name} (${place})`, KEY_NAME_LENGTH);
}

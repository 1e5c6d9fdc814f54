import { z } from "zod";
import { endOf } from "../intake/in-force.ts";
import { defineOperation } from "../operation.ts";
import { problem } from "../problem.ts";
import { isLoopback } from "./redirect-address.ts";
import { NO_ADDRESS, QUERY, readRequest } from "./read-request.ts";

/** What the page of `/oauth/authorize` shows: who asks for what, or where to send the browser at once. */
export const askConsent = defineOperation({
  id: "askConsent",
  method: "POST",
  path: "/oauth/request",
  tag: "Keys",
  summary: "Read what an OAuth client asks for",
  description: "Answers what a person has to know before agreeing.",
  needs: { write: true, wholeOutline: true },
  body: z.object({ query: QUERY }),
  answer: z.unknown(),
  problems: [],
  async run({ principal, body, address: addressOf }, service) {
    const address = addressOf();
    if (address === undefined) return NO_ADDRESS;
    const request = await readRequest(service, principal, { address, query: body.query });
    const ended = endOf(principal, service.now());
    if (ended !== undefined) return ended;
    if (request.kind === "sent_back") return JSON.stringify({ to: request.to });
    if (request.kind === "no_client") return problem("invalid_request", request.reason);
    const { client, redirectUri, scope } = request;
    const to = new URL(redirectUri);
    return JSON.stringify({
      client: { name: client.name, host: client.host ?? null },
      redirect: { host: to.host, is_local: isLoopback(to) },
      scope,
      user: principal.user,
      expiresAt: principal.keyExpiresAt ?? null,
    });
  },
});

import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { acceptedCodings } from "./answer/accepted-codings.ts";
import type { AppFile, Encoding } from "./app-files.ts";
import { isNamed } from "./answer/entity-tag.ts";
import { GUARD_HEADERS } from "./answer/guard-headers.ts";
import type { Responder } from "./answer/responder.ts";

/** Scripts, styles and data come from this service; nothing is inline, nothing frames the app. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes a part of the page or a script, but where the app says so: `trust-own-scripts.ts`
  // for the addresses of its workers, `inert-page.ts` for what is pasted and only looked at.
  "require-trusted-types-for 'script'",
  "trusted-types default paste",
].join("; ");

const FOR_EVER = "public, max-age=31536000, immutable";
/** In the order in which they are preferred. */
const ENCODINGS: readonly Encoding[] = ["br", "gzip"];

/** The address of the app's manifest for what other apps share, which its service worker takes. */
const SHARE = "/share";
/** Where the app says that what was shared is to be shared again. */
const SHARE_AGAIN = "/?do=share";

/** The web app: a route for each of its files. None needs a key. */
export function addAppRoutes(
  app: FastifyInstance,
  responder: Responder,
  files: readonly AppFile[],
): void {
  const shareAgain = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header("location", SHARE_AGAIN);
    responder.send(request, reply, { kind: "status", status: 303, text: undefined });
  };
  // Before the body is read, which is no JSON.
  app.post(SHARE, { config: { isPublic: true }, onRequest: shareAgain }, shareAgain);
  for (const file of files) {
    app.get(file.path, { config: { isPublic: true } }, (request, reply) => {
      const { headers } = request.raw;
      const encoding = encodingFor(file, headers);
      const { body, etag } = file.forms[encoding] ?? file.forms.identity;
      reply.headers(GUARD_HEADERS);
      reply.header("cache-control", file.isImmutable ? FOR_EVER : "no-cache");
      reply.header("etag", etag);
      reply.header("vary", "accept-encoding");
      reply.header("content-security-policy", POLICY);
      reply.header("cross-origin-opener-policy", "same-origin");
      if (isNamed(headers["if-none-match"], etag)) {
        return responder.sendFile(request, reply, { status: 304, file });
      }
      if (encoding !== "identity") reply.header("content-encoding", encoding);
      return responder.sendFile(request, reply, { status: 200, file, body });
    });
  }
}

function encodingFor({ forms }: AppFile, headers: IncomingHttpHeaders): Encoding {
  const accepted = acceptedCodings(headers["accept-encoding"]);
  return ENCODINGS.find((each) => each in forms && accepted.has(each)) ?? "identity";
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { SignIns } from "../accounts/sign-ins.ts";
import { tooManyWrongKeys, type Admission } from "./admission.ts";
import { isSameOrigin, SESSION_COOKIE } from "./credentials.ts";
import { isByTls } from "./guard-headers.ts";
import type { HttpLimits } from "./http-limits.ts";
import { DONE_ANSWER } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import type { Responder } from "./responder.ts";

const COOKIE_DAYS = 180;
const SIGN_IN = z.object({ key: z.string().min(1).max(256) });

const WRONG_KEY = problem("unauthorized", "The API key is not valid.");
const OTHER_SITE = problem("forbidden", "A sign-in comes from the service's own pages.");

/** A replica is of a whole outline. */
const OF_REPLICA = { write: false, wholeOutline: true };

interface SessionParts {
  readonly responder: Responder;
  readonly admission: Admission;
  readonly signIns: SignIns;
  readonly limits: HttpLimits;
}

/**
 * Browser sessions: an API key in a cookie that scripts can't read. `POST /session` with `{key}`
 * signs in, `DELETE /session` signs out, `GET /session` says whose outline the key opens.
 */
export function addSessionRoutes(app: FastifyInstance, parts: SessionParts): void {
  const { responder, admission, signIns, limits } = parts;

  async function signIn(request: FastifyRequest): Promise<string | Problem> {
    if (isFromOtherSite(request)) return OTHER_SITE;
    const body = SIGN_IN.safeParse(request.body);
    if (!body.success) return problem("invalid_request", "The body is not {key}.");
    const found = await signIns.attempt(body.data.key, request.ip);
    if (found.kind === "limited") return tooManyWrongKeys(found.waitMs);
    if (found.kind === "unknown") return WRONG_KEY;
    return body.data.key;
  }

  app.get("/session", { config: { isPublic: true } }, async (request, reply) => {
    const admitted = await admission.admit(request, OF_REPLICA);
    if (admitted.kind === "problem") return responder.send(request, reply, admitted);
    const { outline, user, scope } = admitted.principal;
    return responder.send(request, reply, JSON.stringify({ outline, user, scope }));
  });

  app.post("/session", { config: { isPublic: true } }, async (request, reply) => {
    const key = await signIn(request);
    if (typeof key === "object") return responder.send(request, reply, key);
    setCookie(request, reply, limits, key, COOKIE_DAYS * 24 * 60 * 60);
    return responder.send(request, reply, DONE_ANSWER);
  });

  app.delete("/session", { config: { isPublic: true } }, (request, reply) => {
    if (isFromOtherSite(request)) return responder.send(request, reply, OTHER_SITE);
    setCookie(request, reply, limits, "", 0);
    return responder.send(request, reply, DONE_ANSWER);
  });
}

/** A browser says where a request comes from; a program that says nothing is no browser. */
function isFromOtherSite({ raw: { headers }, host }: FastifyRequest): boolean {
  const says = headers["sec-fetch-site"] ?? headers.origin;
  return says !== undefined && !isSameOrigin(headers, host);
}

function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: HttpLimits,
  value: string,
  maxAgeSeconds: number,
): void {
  const parts = [
    `${SESSION_COOKIE}=${value}`,
    "Path=/",
    `Max-Age=${maxAgeSeconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  if (isByTls(request, limits)) parts.push("Secure");
  reply.header("set-cookie", parts.join("; "));
}

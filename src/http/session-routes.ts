import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Accounts } from "../accounts/accounts.ts";
import type { Principal } from "../accounts/principal.ts";
import type { SignIns } from "../accounts/sign-ins.ts";
import { LIMITED, tooManyWrongKeys, type Admission, type Admitted } from "./intake/admission.ts";
import { isSameOrigin } from "./intake/credentials.ts";
import { DONE_ANSWER } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import type { Responder } from "./answer/responder.ts";
import { keyInCookieOf, type SessionCookies } from "./session-cookies.ts";

const SIGN_IN = z.object({ key: z.string().min(1).max(256) });
/** A browser has one; more are of other programs of the host, and end with it. */
const MOST_COOKIES = 4;

const WRONG_KEY = problem("unauthorized", "The API key is not valid.");
const OTHER_SITE = problem("forbidden", "A sign-in comes from the service's own pages.");

/** A replica is of a whole outline. */
const OF_REPLICA = { write: false, wholeOutline: true };

interface SessionParts {
  readonly responder: Responder;
  readonly admission: Admission;
  readonly accounts: Accounts;
  readonly signIns: SignIns;
  readonly cookies: SessionCookies;
}

/** What a browser gets for a key. */
interface SignedIn {
  readonly kind: "signed_in";
  readonly token: string;
  readonly principal: Principal;
}

/**
 * Browser sessions: a token of their own in a cookie that scripts can't read. `POST /session` with
 * `{key}` signs in, `DELETE /session` signs out, `GET /session` says whose outline the session or the
 * key opens.
 */
export function addSessionRoutes(app: FastifyInstance, parts: SessionParts): void {
  const { responder, admission, accounts, signIns, cookies } = parts;

  app.get("/session", { config: { isPublic: true } }, async (request, reply) => {
    const admitted = await admitSession(request);
    if (admitted.kind === "problem") return responder.send(request, reply, admitted);
    if (admitted.kind === "signed_in") cookies.set(request, reply, admitted.token);
    const { outline, user, scope } = admitted.principal;
    return responder.send(request, reply, JSON.stringify({ outline, user, scope }));
  });

  app.post("/session", { config: { isPublic: true } }, async (request, reply) => {
    if (isFromOtherSite(request)) return responder.send(request, reply, OTHER_SITE);
    const body = SIGN_IN.safeParse(request.body);
    if (!body.success) {
      return responder.send(request, reply, problem("invalid_request", "The body is not {key}."));
    }
    const signedIn = await signIn(await whoHas(body.data.key, request), request);
    if (signedIn.kind === "problem") return responder.send(request, reply, signedIn);
    // The browser forgets the one that it had: nobody could use it any more, but it would be listed.
    await endOwn(request);
    cookies.set(request, reply, signedIn.token);
    return responder.send(request, reply, DONE_ANSWER);
  });

  app.delete("/session", { config: { isPublic: true } }, async (request, reply) => {
    if (isFromOtherSite(request)) return responder.send(request, reply, OTHER_SITE);
    const refused = await endOwn(request);
    if (refused !== undefined) return responder.send(request, reply, refused);
    cookies.set(request, reply, undefined);
    return responder.send(request, reply, DONE_ANSWER);
  });

  /** Who has the session; a browser that signed in to the first version gets one in exchange. */
  async function admitSession(request: FastifyRequest): Promise<Admitted | SignedIn | Problem> {
    const { headers } = request.raw;
    const key = keyInCookieOf(request);
    const hasSession = cookies.in(request).length > 0;
    if (key === undefined || hasSession || headers.authorization !== undefined) {
      return admission.admit(request, OF_REPLICA);
    }
    const principal = await whoHas(key, request);
    const isLimited = !("kind" in principal) && principal.root !== undefined;
    return isLimited ? LIMITED : signIn(principal, request);
  }

  async function whoHas(key: string, { ip }: FastifyRequest): Promise<Principal | Problem> {
    const found = await signIns.attempt({ kind: "key", secret: key }, ip);
    if (found.kind === "limited") return tooManyWrongKeys(found.waitMs);
    return found.kind === "unknown" ? WRONG_KEY : found.principal;
  }

  async function signIn(
    principal: Principal | Problem,
    { raw: { headers } }: FastifyRequest,
  ): Promise<SignedIn | Problem> {
    if ("kind" in principal) return principal;
    const token = await accounts.createSession(principal, headers["user-agent"]);
    return token === undefined ? WRONG_KEY : { kind: "signed_in", token, principal };
  }

  /** Ends the sessions that the request shows, durably. Those that have ended are no matter. */
  async function endOwn(request: FastifyRequest): Promise<Problem | undefined> {
    for (const secret of cookies.in(request).slice(0, MOST_COOKIES)) {
      const found = await signIns.attempt({ kind: "session", secret }, request.ip);
      if (found.kind === "limited") return tooManyWrongKeys(found.waitMs);
      if (found.kind === "unknown") continue;
      const { user, id } = found.principal;
      await accounts.endSessions(user, { id });
    }
    return undefined;
  }
}

/** A browser says where a request comes from; a program that says nothing is no browser. */
function isFromOtherSite({ raw: { headers }, host }: FastifyRequest): boolean {
  const says = headers["sec-fetch-site"] ?? headers.origin;
  return says !== undefined && !isSameOrigin(headers, host);
}

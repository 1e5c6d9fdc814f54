import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Credential } from "../../accounts/authentication.ts";
import { isInForce, type Principal } from "../../accounts/principal.ts";
import { forwardedOf, type Owner, type Passing, type Place } from "../../accounts/passing.ts";
import type { SignIns } from "../../accounts/sign-ins.ts";
import { payingOutline, payingUser, type Payer } from "../../charges/payer.ts";
import { credentialOf, isForeign, isSameOrigin } from "./credentials.ts";
import type { HttpLimits } from "../http-limits.ts";
import { addressOf, hostOf } from "./client-of.ts";
import type { Needs } from "../operation.ts";
import { problem, type Problem } from "../problem.ts";
import { type LimitLeft, RequestLimits } from "../request-limits.ts";
import type { SessionCookies } from "../session-cookies.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** What is left of the limits of requests, once it is known whose request it is. */
    limitsLeft: readonly LimitLeft[] | undefined;
    /** The handle of the key that it came with, once that is known to be valid. */
    keyId: string | undefined;
  }
}

/** Whose request it is, where another process serves the outline. */
export interface Elsewhere {
  readonly kind: "elsewhere";
  readonly admitted: Admitted;
  readonly owner: Owner;
}

/** Whose request it is. */
export interface Admitted {
  readonly kind: "admitted";
  readonly principal: Principal;
  /** Who pays for the memory that the request takes. */
  readonly holder: Payer;
  /** Who pays for its time, with the work on the outline. */
  readonly payer: Payer;
}

/** Who a connection was found to be, and by what. */
interface Acquaintance {
  readonly authorization: string;
  readonly admitted: Admitted;
  readonly foundAt: number;
}

export interface AdmissionOptions {
  readonly signIns: SignIns;
  readonly cookies: SessionCookies;
  readonly limits: HttpLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Where outlines are served; without it all of them are here. */
  readonly place?: Passing["place"] | undefined;
}

/** How long a connection is known without asking again: so late a use of a key may be noted. */
const ACQUAINTANCE_MS = 1000;

const NO_KEY = problem("unauthorized", "An API key is needed: `Authorization: Bearer <key>`.");
const BAD_KEY = problem("unauthorized", "The API key is not valid.");
const NO_SESSION = problem("unauthorized", "The session has ended: sign in again.");
const AMBIGUOUS = problem(
  "invalid_request",
  "Two sessions came with this request, and nobody can tell which one is yours. Another program on " +
    "this host has set a cookie of the same name: remove the cookies of this address in the browser.",
);
export const READ_ONLY = problem("forbidden", "This API key may only read.");
export const LIMITED = problem("forbidden", "This API key is limited to a part of the outline.");
const OTHER_SITE = problem("forbidden", "A session may change things only from its own pages.");
const FOREIGN = problem("forbidden", "This is not for pages of other sites.");

export const NO_OWNER = problem("unavailable", "The outline is served nowhere now.", 1000);

export function tooManyWrongKeys(waitMs: number): Problem {
  return problem("rate_limited", "Too many wrong keys came from this address.", waitMs);
}

/** Decides who makes a request and whether they may, before anything else of it is looked at. */
export class Admission {
  readonly #signIns: SignIns;
  readonly #cookies: SessionCookies;
  readonly #now: () => number;
  readonly #place: Passing["place"] | undefined;
  readonly #requests: RequestLimits;
  /** Programs send one request after another on one connection, all with the same key. */
  readonly #acquaintances = new WeakMap<Socket, Acquaintance>();

  constructor({ signIns, cookies, limits, now, place }: AdmissionOptions) {
    this.#place = place;
    this.#signIns = signIns;
    this.#cookies = cookies;
    this.#now = now;
    this.#requests = new RequestLimits(limits, now);
  }

  /**
   * Who asks for what this process answers itself.
   * @param needs of the operation that is asked for; undefined when there is none
   */
  admit(
    request: FastifyRequest,
    needs: Needs | undefined,
  ): Admitted | Problem | Promise<Admitted | Problem> {
    const found = this.#identify(request, needs);
    const admitted = (who: Admitted | Problem): Admitted | Problem =>
      who.kind === "admitted" ? (this.#refusal(request, who.principal, needs) ?? who) : who;
    return found instanceof Promise ? found.then(admitted) : admitted(found);
  }

  /**
   * Who asks for something of an outline, and where that is served. Limits and rights are those of the
   * process that serves it, which counts all requests for it: the others only pass them on.
   */
  admitOrPass(
    request: FastifyRequest,
    needs: Needs,
  ): Admitted | Elsewhere | Problem | Promise<Admitted | Elsewhere | Problem> {
    const place = this.#place;
    if (place === undefined) return this.admit(request, needs);
    const goOn = (
      who: Admitted | Problem,
    ): Admitted | Elsewhere | Problem | Promise<Admitted | Elsewhere | Problem> => {
      if (who.kind !== "admitted") return who;
      const placed = place(who.principal.outline, forwardedOf(request.raw) !== undefined);
      return placed instanceof Promise
        ? placed.then((found) => this.#placed(request, { admitted: who, needs }, found))
        : this.#placed(request, { admitted: who, needs }, placed);
    };
    const found = this.#identify(request, needs);
    return found instanceof Promise ? found.then(goOn) : goOn(found);
  }

  #placed(
    request: FastifyRequest,
    { admitted, needs }: { readonly admitted: Admitted; readonly needs: Needs },
    place: Place,
  ): Admitted | Elsewhere | Problem {
    switch (place.kind) {
      case "here":
        return this.#refusal(request, admitted.principal, needs) ?? admitted;
      case "elsewhere":
        return { kind: "elsewhere", admitted, owner: place.owner };
      case "unknown":
        return NO_OWNER;
    }
  }

  #identify(
    request: FastifyRequest,
    needs: Needs | undefined,
  ): Admitted | Problem | Promise<Admitted | Problem> {
    const { headers, socket } = request.raw;
    const known = this.#knownBy(socket, headers);
    const isMeant = known?.principal.audience === "all" || needs?.ownKey === true;
    if (known !== undefined && isMeant) return known;
    if (needs?.ownKey === true && headers.authorization === undefined) return NO_KEY;
    const shown = credentialOf(headers, this.#cookies.nameIn(request));
    if (shown === "ambiguous") return AMBIGUOUS;
    if (shown === undefined) return NO_KEY;
    const takesTokens = needs?.ownKey === true;
    return this.#authenticate(request, takesTokens ? { ...shown, kind: "bearer" } : shown);
  }

  async #authenticate(
    request: FastifyRequest,
    credential: Credential,
  ): Promise<Admitted | Problem> {
    const { headers, socket } = request.raw;
    const signIn = await this.#signIns.attempt(credential, addressOf(request));
    if (signIn.kind === "limited") return tooManyWrongKeys(signIn.waitMs);
    if (signIn.kind === "unknown") return credential.kind === "session" ? NO_SESSION : BAD_KEY;
    const { principal } = signIn;
    const admitted: Admitted = {
      kind: "admitted",
      principal,
      holder: payingUser(principal.user),
      payer: payingOutline(principal.outline),
    };
    if (headers.authorization !== undefined) {
      const { authorization } = headers;
      const foundAt = this.#now();
      this.#acquaintances.set(socket, { authorization, admitted, foundAt });
    }
    return admitted;
  }

  #knownBy(socket: Socket, headers: IncomingHttpHeaders): Admitted | undefined {
    const known = this.#acquaintances.get(socket);
    if (known === undefined || known.authorization !== headers.authorization) return undefined;
    const { admitted, foundAt } = known;
    if (Math.abs(this.#now() - foundAt) >= ACQUAINTANCE_MS) return undefined;
    return isInForce(admitted.principal, this.#now()) ? admitted : undefined;
  }

  #refusal(
    request: FastifyRequest,
    principal: Principal,
    needs: Needs | undefined,
  ): Problem | undefined {
    request.keyId = principal.keyId;
    const tooMany = this.#requests.take(principal);
    request.limitsLeft = this.#requests.left(principal);
    if (tooMany !== undefined) return tooMany;
    const { sessionId, scope, root } = principal;
    if (needs === undefined) return undefined;
    const { write, wholeOutline, ownKey = false } = needs;
    if (ownKey && isForeign(request.raw.headers, hostOf(request))) return FOREIGN;
    const isBySession = sessionId !== undefined;
    if (write && isBySession && !isSameOrigin(request.raw.headers, hostOf(request)))
      return OTHER_SITE;
    if (write && scope !== "write") return READ_ONLY;
    return wholeOutline && root !== undefined ? LIMITED : undefined;
  }
}

import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { FastifyRequest } from "fastify";
import { type Accounts, hasExpired, type Principal } from "../accounts/accounts.ts";
import type { SignIns } from "../accounts/sign-ins.ts";
import { credentialsOf, isSameOrigin, type Credentials } from "./credentials.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Needs } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import { RateLimiter } from "./rate-limiter.ts";

/** Whose request it is, as long as the accounts have this revision. */
export interface Admitted {
  readonly kind: "admitted";
  readonly principal: Principal;
  readonly revision: number;
}

/** Who a connection was found to be, and by what. */
interface Acquaintance {
  readonly authorization: string;
  readonly admitted: Admitted;
  readonly foundAt: number;
}

export interface AdmissionOptions {
  readonly accounts: Pick<Accounts, "authenticate" | "revision">;
  readonly signIns: SignIns;
  readonly limits: HttpLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How long a connection is known without asking again: so late a use of a key may be noted. */
const ACQUAINTANCE_MS = 1000;

const NO_KEY = problem("unauthorized", "An API key is needed: `Authorization: Bearer <key>`.");
const BAD_KEY = problem("unauthorized", "The API key is not valid.");
const READ_ONLY = problem("forbidden", "This API key may only read.");
const LIMITED = problem("forbidden", "This API key is limited to a part of the outline.");
const OTHER_SITE = problem("forbidden", "A session may change things only from its own pages.");

export function tooManyWrongKeys(waitMs: number): Problem {
  return problem("rate_limited", "Too many wrong keys came from this address.", waitMs);
}

/** Decides who makes a request and whether they may, before anything else of it is looked at. */
export class Admission {
  readonly #accounts: AdmissionOptions["accounts"];
  readonly #signIns: SignIns;
  readonly #now: () => number;
  readonly #requests: RateLimiter | undefined;
  /** Programs send one request after another on one connection, all with the same key. */
  readonly #acquaintances = new WeakMap<Socket, Acquaintance>();

  constructor({ accounts, signIns, limits, now }: AdmissionOptions) {
    this.#accounts = accounts;
    this.#signIns = signIns;
    this.#now = now;
    this.#requests =
      limits.requestsPerMinute > 0 ? new RateLimiter(limits.requestsPerMinute, now) : undefined;
  }

  /** @param needs of the operation that is asked for; undefined when there is none */
  admit(
    request: FastifyRequest,
    needs: Needs | undefined,
  ): Admitted | Problem | Promise<Admitted | Problem> {
    const { headers, socket } = request.raw;
    const known = this.#knownBy(socket, headers);
    if (known !== undefined) {
      return this.#refusal(request, known.principal, "header", needs) ?? known;
    }
    const credentials = credentialsOf(headers);
    return credentials === undefined ? NO_KEY : this.#authenticate(request, credentials, needs);
  }

  /**
   * Why a request that was let in is refused after all: its key has ended while the body came, which
   * may take minutes.
   */
  endOf(
    { raw }: FastifyRequest,
    admitted: Admitted,
  ): Problem | undefined | Promise<Problem | undefined> {
    if (this.#isValid(admitted)) return undefined;
    const key = credentialsOf(raw.headers)?.key ?? "";
    return this.#accounts
      .authenticate(key)
      .then((found) => (found === undefined ? BAD_KEY : undefined));
  }

  async #authenticate(
    request: FastifyRequest,
    { key, from }: Credentials,
    needs: Needs | undefined,
  ): Promise<Admitted | Problem> {
    const { headers, socket } = request.raw;
    const { revision } = this.#accounts;
    const signIn = await this.#signIns.attempt(key, request.ip);
    if (signIn.kind === "limited") return tooManyWrongKeys(signIn.waitMs);
    if (signIn.kind === "unknown") return BAD_KEY;
    const { principal } = signIn;
    const admitted: Admitted = { kind: "admitted", principal, revision };
    if (headers.authorization !== undefined) {
      const { authorization } = headers;
      const foundAt = this.#now();
      this.#acquaintances.set(socket, { authorization, admitted, foundAt });
    }
    return this.#refusal(request, principal, from, needs) ?? admitted;
  }

  #knownBy(socket: Socket, headers: IncomingHttpHeaders): Admitted | undefined {
    const known = this.#acquaintances.get(socket);
    if (known === undefined || known.authorization !== headers.authorization) return undefined;
    const { admitted, foundAt } = known;
    if (Math.abs(this.#now() - foundAt) >= ACQUAINTANCE_MS) return undefined;
    return this.#isValid(admitted) ? admitted : undefined;
  }

  #isValid({ principal, revision }: Admitted): boolean {
    if (revision !== this.#accounts.revision) return false;
    return !hasExpired(principal, this.#now());
  }

  #refusal(
    request: FastifyRequest,
    { keyId, scope, root }: Principal,
    from: Credentials["from"],
    needs: Needs | undefined,
  ): Problem | undefined {
    const waitMs = this.#requests?.take(keyId) ?? 0;
    if (waitMs > 0) {
      return problem("rate_limited", "This API key makes too many requests.", waitMs);
    }
    if (needs === undefined) return undefined;
    const { write, wholeOutline } = needs;
    if (write && from === "cookie" && !isSameOrigin(request.raw.headers, request.host)) {
      return OTHER_SITE;
    }
    if (write && scope !== "write") return READ_ONLY;
    return wholeOutline && root !== undefined ? LIMITED : undefined;
  }
}

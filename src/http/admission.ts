import type { FastifyRequest } from "fastify";
import type { Accounts, Principal } from "../accounts/accounts.ts";
import { credentialsOf, isSameOrigin, type Credentials } from "./credentials.ts";
import type { HttpLimits } from "./http-limits.ts";
import type { Needs } from "./operation.ts";
import { problem, type Problem } from "./problem.ts";
import { RateLimiter } from "./rate-limiter.ts";

export type Admitted = { readonly kind: "admitted"; readonly principal: Principal } | Problem;

const NO_KEY = problem("unauthorized", "An API key is needed: `Authorization: Bearer <key>`.");
const BAD_KEY = problem("unauthorized", "The API key is not valid.");
const READ_ONLY = problem("forbidden", "This API key may only read.");
const LIMITED = problem("forbidden", "This API key is limited to a part of the outline.");
const OTHER_SITE = problem("forbidden", "A session may change things only from its own pages.");

/** Decides who makes a request and whether they may, before anything else of it is looked at. */
export class Admission {
  readonly #accounts: Accounts;
  readonly #requests: RateLimiter | undefined;

  constructor(accounts: Accounts, limits: HttpLimits, now: () => number) {
    this.#accounts = accounts;
    this.#requests =
      limits.requestsPerMinute > 0 ? new RateLimiter(limits.requestsPerMinute, now) : undefined;
  }

  /** @param needs of the operation that is asked for; undefined when there is none */
  async admit(request: FastifyRequest, needs: Needs | undefined): Promise<Admitted> {
    const credentials = credentialsOf(request.raw.headers);
    if (credentials === undefined) return NO_KEY;
    const principal = await this.#accounts.authenticate(credentials.key);
    if (principal === undefined) return BAD_KEY;
    const refusal =
      this.#overused(principal) ??
      (needs === undefined ? undefined : refusalOf(request, credentials, principal, needs));
    return refusal ?? { kind: "admitted", principal };
  }

  #overused({ keyId }: Principal): Problem | undefined {
    const waitMs = this.#requests?.take(keyId) ?? 0;
    return waitMs > 0
      ? problem("rate_limited", "This API key makes too many requests.", waitMs)
      : undefined;
  }
}

function refusalOf(
  request: FastifyRequest,
  { from }: Credentials,
  { scope, root }: Principal,
  { write, wholeOutline }: Needs,
): Problem | undefined {
  if (write && from === "cookie" && !isSameOrigin(request.raw.headers, request.host)) {
    return OTHER_SITE;
  }
  if (write && scope !== "write") return READ_ONLY;
  if (wholeOutline && root !== undefined) return LIMITED;
  return undefined;
}

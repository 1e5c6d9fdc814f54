/** The codes of error bodies, each with the HTTP status that it is sent with. */
export const PROBLEM_STATUS = {
  invalid_request: 400,
  invalid_parent: 400,
  invalid_cursor: 400,
  invalid_query: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_many_keys: 409,
  too_many_webhooks: 409,
  conflict: 409,
  in_progress: 409,
  cursor_expired: 410,
  precondition_failed: 412,
  too_large: 413,
  outline_full: 413,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal: 500,
  outline_corrupt: 500,
  outline_newer: 500,
  unavailable: 503,
  outline_too_large: 507,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** Why a request is not answered with what it asked for. */
export interface Problem {
  readonly kind: "problem";
  readonly code: ProblemCode;
  /** A sentence for people. It never holds text of an outline, paths or stack traces. */
  readonly message: string;
  /** After how long the same request may succeed, for `rate_limited` and `unavailable`. */
  readonly retryAfterMs?: number;
  /** Of several operations the one that is refused, from 0. */
  readonly operation?: number;
}

export function problem(code: ProblemCode, message: string, retryAfterMs?: number): Problem {
  return retryAfterMs === undefined
    ? { kind: "problem", code, message }
    : { kind: "problem", code, message, retryAfterMs };
}

export const NO_SUCH_NODE = problem("not_found", "There is no such node.");
export const OWN_ROOT = problem("forbidden", "This key may not delete its own root.");
export const NO_MIRROR = problem("invalid_request", "The node is no mirror; nothing was changed.");
export const NO_SUCH_PARENT = problem("not_found", "There is no such parent node.");

/** Whole seconds to wait, at least one: what `Retry-After` and `retry_after` say. */
export function retryAfterSeconds(retryAfterMs: number): number {
  return Math.max(1, Math.ceil(retryAfterMs / 1000));
}

/**
 * The JSON body of a problem. `error` and `message` hold the same sentence: programs written for
 * APIs of this shape show the one or the other.
 */
export function problemBody({ code, message, retryAfterMs, operation }: Problem): string {
  const wait =
    code === "rate_limited" ? { retry_after: retryAfterSeconds(retryAfterMs ?? 0) } : undefined;
  const which = operation === undefined ? undefined : { operation };
  return JSON.stringify({ error: message, code, message, ...wait, ...which });
}

/** A problem on its way through code of others that only passes errors on. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: Problem;

  constructor(cause: Problem) {
    super(cause.message);
    this.problem = cause;
  }
}

import type { Problem, ProblemCode } from "../problem.ts";

/** What an assistant can do about a refusal, in words that go on from why. */
const ADVICE: Partial<Record<ProblemCode, string>> = {
  invalid_request: "call it again with arguments as the tool's schema has them",
  invalid_parent: "choose a place that is not below the node itself",
  invalid_query: "search with fewer words",
  invalid_cursor: "leave `since` out",
  cursor_expired: "leave `since` out",
  idempotency_key_reused: "use another `idempotency_key`",
  forbidden: "ask the owner for a key that may do it",
  not_found: "look for the node with outline_search or outline_read, and use its id",
  conflict: "read it again with outline_read, and decide anew",
  too_large: "split it into smaller parts",
  outline_full: "ask the owner to make room",
};

/** A sentence that says why something was refused, and what to do. */
export function sentenceOfRefusal({ code, message }: Problem): string {
  const advice = ADVICE[code] ?? "try again later";
  return `${message.replace(/\.$/, "")}: ${advice}.`;
}

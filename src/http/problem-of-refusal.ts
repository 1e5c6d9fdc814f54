import { sentenceOfFull } from "../core/room/outline-full.ts";
import type { Refusal } from "../core/refusal.ts";
import { NO_SUCH_NODE, problem, type Problem } from "./problem.ts";

/** When there may be memory again: idle outlines are let go of by then. */
const RETRY_MEMORY_MS = 10_000;

/** What the API says when the outline refuses an operation. */
export function problemOfRefusal(refusal: Refusal): Problem {
  switch (refusal.kind) {
    case "not_found":
      return NO_SUCH_NODE;
    case "invalid_parent":
      return problem("invalid_parent", "A node can't be moved below itself.");
    case "invalid_shortcut":
    case "invalid_setting":
      return problem("invalid_request", `${refusal.reason}.`);
    case "outline_full":
      if (refusal.quota === "memory") {
        return problem("unavailable", sentenceOfFull(refusal), RETRY_MEMORY_MS);
      }
      return problem("outline_full", sentenceOfFull(refusal));
  }
}

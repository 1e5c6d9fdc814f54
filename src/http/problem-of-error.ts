import {
  NewerOutlineError,
  OutlineTooLargeError,
  UnavailableError,
} from "../documents/log/unavailable-error.ts";
import { StoreError } from "../documents/log/outline-log.ts";
import { problem, ProblemError, type Problem } from "./problem.ts";

const RETRY_STORE_MS = 1000;

const CORRUPT = problem(
  "outline_corrupt",
  "The stored data of this outline is damaged. Whoever runs the server can find out more with " +
    "`outline check` and bring it back with `outline restore`.",
);
const TOO_LARGE = problem(
  "outline_too_large",
  "Opening this outline takes more memory than the server may use for it. Nothing of it is lost. " +
    "Whoever runs the server can allow more, or bring it out with `outline export`.",
);
const NEWER = problem(
  "outline_newer",
  "A newer version of the server has written this outline. Nothing of it is lost, and it opens with " +
    "that version.",
);
const INTERNAL = problem("internal", "Something went wrong in the server.");

/** What the API says when a request ended in an exception. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof OutlineTooLargeError) return TOO_LARGE;
  if (error instanceof NewerOutlineError) return NEWER;
  if (error instanceof UnavailableError) return unavailable(error.retryAfterMs);
  if (error instanceof StoreError) {
    return error.code === "outline_corrupt" ? CORRUPT : unavailable(RETRY_STORE_MS);
  }
  return problemOfFramework(error);
}

/** The framework's own refusals carry a status; whatever has none is a fault of ours. */
function problemOfFramework(error: unknown): Problem {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  switch (status) {
    case 413:
      return problem("too_large", "The body is too large.");
    case 400:
    case 414:
    case 415:
      return problem("invalid_request", "The request can't be read.");
    default:
      return INTERNAL;
  }
}

function unavailable(retryAfterMs: number): Problem {
  return problem("unavailable", "The outline can't be stored or read right now.", retryAfterMs);
}

import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";

/** What a session says when the document can't be opened or read. */
export interface Failure {
  readonly closeCode: CloseCode;
  readonly reason: string;
  /** When it is worth coming again; undefined when somebody has to repair something first. */
  readonly retryAfterMs: number | undefined;
}

const DEFAULT_RETRY_MS = 1000;

/** Codes of errors that pass by themselves: the store or the server is not there now. */
const PASSING = new Set(["unavailable", "store_unavailable", "store_closed"]);

export function failureOf(error: unknown): Failure {
  const { code, retryAfterMs } = fieldsOf(error);
  if (!PASSING.has(code)) {
    const reason = "The stored outline can't be read.";
    return { closeCode: CLOSE_CODE.internalError, reason, retryAfterMs: undefined };
  }
  return unavailable(retryAfterMs);
}

export function unavailable(retryAfterMs = DEFAULT_RETRY_MS): Failure {
  const reason = "The store fails now.";
  return { closeCode: CLOSE_CODE.tryAgainLater, reason, retryAfterMs };
}

function fieldsOf(error: unknown): { code: string; retryAfterMs: number | undefined } {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const wait = error instanceof Error && "retryAfterMs" in error ? error.retryAfterMs : undefined;
  return { code, retryAfterMs: typeof wait === "number" ? wait : undefined };
}

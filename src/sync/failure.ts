import type { LossReason } from "../documents/replica/document-listener.ts";
import { BusyError, UnavailableError } from "../documents/log/unavailable-error.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";

/** Why a session can't go on. */
export interface Failure {
  readonly closeCode: CloseCode;
  readonly reason: string;
  /** When the store fails: after how long it is worth coming again. */
  readonly retryAfterMs?: number;
}

const DEFAULT_RETRY_MS = 1000;
const BUSY_RETRY_MS = 60_000;

/** Somebody has to do something, so it is asked for rarely. */
const TOO_LARGE: Failure = {
  closeCode: CLOSE_CODE.tryAgainLater,
  reason: "the outline takes more memory than there is for it",
  retryAfterMs: 60_000,
};

/** The same. */
const NEWER: Failure = {
  closeCode: CLOSE_CODE.tryAgainLater,
  reason: "the outline was written by a newer version of the server",
  retryAfterMs: 60_000,
};

/** Codes of errors that pass by themselves: the store or the server is not there now. */
const PASSING = new Set(["store_unavailable", "store_closed", "not_owner"]);

/** The document could not be opened or read. */
export function failureOf(error: unknown): Failure {
  const { code, retryAfterMs } = fieldsOf(error);
  if (code === "outline_too_large") return TOO_LARGE;
  if (code === "outline_newer") return NEWER;
  if (error instanceof BusyError) return busyFailure(retryAfterMs);
  if (error instanceof UnavailableError) {
    return { closeCode: CLOSE_CODE.tryAgainLater, reason: error.message, retryAfterMs };
  }
  if (PASSING.has(code)) return storeFailure(retryAfterMs);
  return { closeCode: CLOSE_CODE.internalError, reason: "the stored outline can't be read" };
}

/** The replica was thrown away, and what was not durable with it. */
export function failureOfLoss(reason: LossReason): Failure {
  switch (reason) {
    case "store":
    case "error":
      return storeFailure(DEFAULT_RETRY_MS);
    case "busy":
      return busyFailure(BUSY_RETRY_MS);
    case "removed":
      return { closeCode: CLOSE_CODE.notFound, reason: "the outline was removed" };
    default:
      return { closeCode: CLOSE_CODE.restarting, reason: `begin anew: ${reason}` };
  }
}

/** What was done last took too long, so nothing more of the kind is done for a while. */
export function busyFailure(retryAfterMs: number): Failure {
  const reason = "what was done last took too long: come again later";
  return { closeCode: CLOSE_CODE.tryAgainLater, reason, retryAfterMs };
}

function storeFailure(retryAfterMs: number): Failure {
  return { closeCode: CLOSE_CODE.tryAgainLater, reason: "the store fails now", retryAfterMs };
}

function fieldsOf(error: unknown): { readonly code: string; readonly retryAfterMs: number } {
  if (!(error instanceof Error)) return { code: "", retryAfterMs: DEFAULT_RETRY_MS };
  const { code, retryAfterMs } = error as Error & { code?: unknown; retryAfterMs?: unknown };
  return {
    code: typeof code === "string" ? code : "",
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : DEFAULT_RETRY_MS,
  };
}

import type { LossReason } from "../documents/document-listener.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";

/** Why a session can't go on. */
export interface Failure {
  readonly closeCode: CloseCode;
  readonly reason: string;
  /** When the store fails: after how long it is worth coming again. */
  readonly retryAfterMs?: number;
}

const DEFAULT_RETRY_MS = 1000;

/** Codes of errors that pass by themselves: the store or the server is not there now. */
const PASSING = new Set(["unavailable", "store_unavailable", "store_closed"]);

/** The document could not be opened or read. */
export function failureOf(error: unknown): Failure {
  const { code, retryAfterMs } = fieldsOf(error);
  if (PASSING.has(code)) return storeFailure(retryAfterMs);
  return { closeCode: CLOSE_CODE.internalError, reason: "the stored outline can't be read" };
}

/** The replica was thrown away, and what was not durable with it. */
export function failureOfLoss(reason: LossReason): Failure {
  switch (reason) {
    case "store":
    case "error":
      return storeFailure(DEFAULT_RETRY_MS);
    case "removed":
      return { closeCode: CLOSE_CODE.notFound, reason: "the outline was removed" };
    default:
      return { closeCode: CLOSE_CODE.restarting, reason: `begin anew: ${reason}` };
  }
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

import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** Why an upgrade request gets no websocket. */
export interface UpgradeRefusal {
  readonly kind: "refused";
  readonly code: keyof typeof STATUS;
  /** A sentence for people. */
  readonly message: string;
  readonly retryAfterMs?: number;
}

const STATUS = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  rate_limited: 429,
  unavailable: 503,
} as const;

export function upgradeRefusal(
  code: UpgradeRefusal["code"],
  message: string,
  retryAfterMs?: number,
): UpgradeRefusal {
  return retryAfterMs === undefined
    ? { kind: "refused", code, message }
    : { kind: "refused", code, message, retryAfterMs };
}

/** Answers in plain HTTP with the API's error body, and ends the connection. */
export function answerRefusal(socket: Duplex, refusal: UpgradeRefusal): void {
  const { code, message, retryAfterMs } = refusal;
  const status = STATUS[code];
  const retryAfter = retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1000);
  const limited = code === "rate_limited" ? { retry_after: retryAfter ?? 1 } : undefined;
  const body = JSON.stringify({ error: message, code, message, ...limited });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy: same-origin",
    "Referrer-Policy: no-referrer",
    ...(code === "unauthorized" ? ["WWW-Authenticate: Bearer"] : []),
    ...(retryAfter === undefined ? [] : [`Retry-After: ${Math.max(1, retryAfter)}`]),
  ];
  socket.once("finish", () => socket.destroy());
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

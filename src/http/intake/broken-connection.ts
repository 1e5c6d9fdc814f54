import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { GUARD_HEADERS } from "../answer/guard-headers.ts";
import { holdReading } from "./hold-reading.ts";
import {
  problem,
  PROBLEM_STATUS,
  problemBody,
  retryAfterSeconds,
  type Problem,
} from "../problem.ts";

const BROKEN = rawAnswer(
  problem("invalid_request", "The request is no valid HTTP, asks for a tunnel, or is too long."),
);

/** The whole answer as it is sent where there is no request to answer. Nothing follows it. */
export function rawAnswer(refusal: Problem): string {
  const { code, retryAfterMs } = refusal;
  const status = PROBLEM_STATUS[code];
  const body = problemBody(refusal);
  const wait =
    retryAfterMs === undefined ? [] : [`retry-after: ${retryAfterSeconds(retryAfterMs)}`];
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
    ...wait,
    ...Object.entries(GUARD_HEADERS).map(([name, value]) => `${name}: ${value}`),
    "",
    body,
  ].join("\r\n");
}

/** What a connection's client has asked that is being answered; undefined when that is nothing. */
type CurrentOf = (
  socket: Socket,
) => { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined;

/**
 * Answers what can't be read as HTTP at all, in the form of every refusal, and hangs up. What was asked
 * before it on the connection is answered first, or its client would take the refusal for its answer.
 */
export function answerBrokenConnection(
  error: Error & { code?: string },
  socket: Socket,
  currentOf: CurrentOf,
): void {
  if (error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  // All that follows would be broken once more.
  const readOn = holdReading(socket);
  const refuse = (): void => {
    const before = currentOf(socket);
    if (before?.request.complete === true) {
      before.response.once("close", refuse);
      return;
    }
    readOn();
    refuseConnection(socket, BROKEN);
  };
  refuse();
}

/** The same for a request to be a tunnel to elsewhere (`CONNECT`), whose connection Node hands on. */
export function refuseTunnel(socket: Duplex): void {
  // From now on nobody else listens to it. What was sent for the other side is skipped.
  socket.on("error", () => socket.destroy());
  socket.resume();
  refuseConnection(socket, BROKEN);
}

/** Sends the last words to a client, if it still listens, and hangs up. */
export function refuseConnection(socket: Duplex, answer: string): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // Whatever else the client sends is not read any more, and must not reset the answer.
  socket.end(answer, () => socket.destroy());
}

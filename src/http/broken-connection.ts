import type { Duplex } from "node:stream";
import { GUARD_HEADERS } from "./guard-headers.ts";
import { problem, problemBody } from "./problem.ts";

const BODY = problemBody(
  problem("invalid_request", "The request is no valid HTTP, asks for a tunnel, or is too long."),
);

const ANSWER = [
  "HTTP/1.1 400 Bad Request",
  "content-type: application/json; charset=utf-8",
  `content-length: ${Buffer.byteLength(BODY)}`,
  "connection: close",
  ...Object.entries(GUARD_HEADERS).map(([name, value]) => `${name}: ${value}`),
  "",
  BODY,
].join("\r\n");

/** Answers what can't be read as HTTP at all, in the form of every refusal, and hangs up. */
export function answerBrokenConnection(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET") socket.destroy();
  else refuseConnection(socket);
}

/** The same for a request to be a tunnel to elsewhere (`CONNECT`), whose connection Node hands on. */
export function refuseTunnel(socket: Duplex): void {
  // From now on nobody else listens to it. What was sent for the other side is skipped.
  socket.on("error", () => socket.destroy());
  socket.resume();
  refuseConnection(socket);
}

function refuseConnection(socket: Duplex): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  // Whatever else the client sends is not read any more, and must not reset the answer.
  socket.end(ANSWER, () => socket.destroy());
}

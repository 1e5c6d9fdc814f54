import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import type { Answer } from "./operation.ts";
import { PROBLEM_STATUS, problemBody, retryAfterSeconds, type Problem } from "./problem.ts";

const JSON_TYPE = "application/json; charset=utf-8";

/** What every answer says: to guess no type, keep no copy, show in no frame, and tell no one. */
export const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

/** Sends the answer of an operation. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.send(payloadOf(reply, answer));
}

/** Sets status and headers of an answer. @returns its body, for those who send it themselves */
export function payloadOf(reply: FastifyReply, answer: Answer): string | Readable {
  reply.header("content-type", JSON_TYPE);
  return typeof answer === "object" && "kind" in answer ? refusalBody(reply, answer) : answer;
}

function refusalBody(reply: FastifyReply, problem: Problem): string {
  const { code, retryAfterMs } = problem;
  if (code === "unauthorized") reply.header("www-authenticate", "Bearer");
  if (retryAfterMs !== undefined) {
    reply.header("retry-after", String(retryAfterSeconds(retryAfterMs)));
  }
  reply.code(PROBLEM_STATUS[code]);
  return problemBody(problem);
}

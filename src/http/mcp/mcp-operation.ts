import { z } from "zod";
import type { Operation, StatusText } from "../operation.ts";
import { problem } from "../problem.ts";
import { partsOf } from "./message-parts.ts";

/** Of bodies of 1 MiB: a batch of 10,000 short operations. */
const MOST_VALUES = 50_000;

const NO_MESSAGE: StatusText = {
  kind: "status",
  status: 400,
  text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The body is not one JSON-RPC message."}}',
};

const TOO_MANY_VALUES = problem(
  "invalid_request",
  "The message has too many values beside what a tool is given.",
);

/**
 * The endpoint for assistants, which speak MCP: one message in, its answer out, and nothing kept in
 * between. Both kinds of clients are served: those of the revision without sessions, and those before
 * it, which begin with `initialize`.
 */
export const mcpOperation: Operation = {
  id: "mcp",
  method: "POST",
  path: "/mcp",
  tag: "Nodes",
  summary: "Speak MCP",
  description: "Takes one message of the Model Context Protocol.",
  needs: { write: false, wholeOutline: false, ownKey: true },
  takesTexts: true,
  isLong: true,
  maxBytes: 1024 * 1024,
  maxValues: MOST_VALUES,
  answer: z.unknown(),
  problems: [],
  async handle({ principal, body, headers }, service) {
    if (typeof body !== "object" || body === null || Array.isArray(body)) return NO_MESSAGE;
    const parts = partsOf(body);
    if (parts === undefined) return TOO_MANY_VALUES;
    // The protocol's library is a quarter of the program, and most servers are never asked.
    const { answerMessage } = await import("./answer-message.ts");
    const answer = await answerMessage({ principal, service }, headers, parts);
    const text = await answer.text();
    return { kind: "status", status: answer.status, text: text === "" ? undefined : text };
  },
};

import type { IncomingHttpHeaders } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Operation, StatusText } from "../operation.ts";
import { mcpServer } from "./mcp-server.ts";

/** What the protocol says in headers, besides in the message. */
const HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"];
/** Of bodies of 1 MiB: a batch of 10,000 short operations. */
const MOST_VALUES = 50_000;

const NO_MESSAGE: StatusText = {
  kind: "status",
  status: 400,
  text: '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The body is not one JSON-RPC message."}}',
};

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
    const failures: unknown[] = [];
    const server = mcpServer({ principal, service }, (error) => failures.push(error));
    const request = requestOf(headers);
    const answer = (await isLegacyRequest(request, body))
      ? await answerEarlier(server, request, body)
      : await answerPresent(server, request, body);
    if (failures.length > 0) throw failures[0];
    const text = await answer.text();
    return { kind: "status", status: answer.status, text: text === "" ? undefined : text };
  },
};

/** What the library looks at; what was sent was judged before. */
function requestOf(headers: IncomingHttpHeaders): Request {
  const said = HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...Object.fromEntries(said),
    },
  });
}

/** Answers a message of the present revision. Nothing is published: nobody can subscribe. */
async function answerPresent(server: Server, request: Request, body: object): Promise<Response> {
  const handler = createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0 });
  return handler.fetch(request, { parsedBody: body });
}

/** Answers a message of a revision before, in JSON. */
async function answerEarlier(server: Server, request: Request, body: object): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: body });
  } finally {
    await server.close();
  }
}

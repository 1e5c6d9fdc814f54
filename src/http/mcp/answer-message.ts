import type { IncomingHttpHeaders } from "node:http";
import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { mcpServer } from "./mcp-server.ts";
import type { MessageParts } from "./message-parts.ts";
import type { ToolCall } from "./tool.ts";

/** What the protocol says in headers, besides in the message. */
const HEADERS = ["mcp-protocol-version", "mcp-method", "mcp-name"];

/**
 * Answers a message of one of the protocol's revisions.
 * @throws what ends the call as it would end on other routes
 */
export async function answerMessage(
  call: ToolCall,
  headers: IncomingHttpHeaders,
  { message, given }: MessageParts,
): Promise<Response> {
  const failures: unknown[] = [];
  const server = mcpServer(call, given, (error) => failures.push(error));
  const request = requestOf(headers);
  const answer = (await isLegacyRequest(request, message))
    ? await answerEarlier(server, request, message)
    : await answerPresent(server, request, message);
  if (failures.length > 0) throw failures[0];
  return answer;
}

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

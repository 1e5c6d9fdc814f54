import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { ServiceAnswer, TestService } from "../support/service.ts";

/** What a tool has answered. */
export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  readonly output: unknown;
}

export interface Excerpt {
  readonly markdown: string;
  readonly truncated: readonly { readonly ref: string; readonly after?: string }[] | null;
}

/** An assistant's program that is connected until the test ends. */
export async function connected(
  service: TestService,
  { key = service.key, mode = "auto" }: { key?: string; mode?: "auto" | "legacy" } = {},
) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", service.url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const tool = async (name: string, input: Record<string, unknown> = {}): Promise<ToolResult> => {
    const answer = await client.callTool({ name, arguments: input });
    const { isError = false, content, structuredContent: output } = answer;
    const [first] = content;
    return { isError, text: first?.type === "text" ? first.text : "", output };
  };
  const read = async (input: Record<string, unknown> = {}): Promise<Excerpt> =>
    (await tool("outline_read", input)).output as Excerpt;
  return { client, revision: client.getNegotiatedProtocolVersion(), tool, read };
}

/** Sends a message as it is, in the form of the revisions before the present one. */
export function post(
  service: TestService,
  message: unknown,
  options?: Parameters<TestService["request"]>[3],
): Promise<ServiceAnswer> {
  return service.request("POST", "/mcp", message, options);
}

/** The code of a JSON-RPC error. */
export function errorCode({ body }: ServiceAnswer): number | undefined {
  return (body as { readonly error?: { readonly code?: number } }).error?.code;
}

export const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

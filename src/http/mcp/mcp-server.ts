import {
  type CallToolResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import { READ_ONLY } from "../intake/admission.ts";
import { type Problem, PROBLEM_STATUS, ProblemError } from "../problem.ts";
import { sentenceOfRefusal } from "./advice.ts";
import { outlineChanges } from "./changes-tool.ts";
import { PROMPTS } from "./prompts.ts";
import { IS_DATA, outlineRead, outlineToday, readOutline } from "./read-tools.ts";
import { outlineSearch } from "./search-tool.ts";
import type { Tool, ToolAnswer, ToolCall } from "./tool.ts";
import { outlineAdd, outlineEdit } from "./write-tools.ts";

const TOOLS: readonly Tool[] = [
  outlineSearch,
  outlineRead,
  outlineToday,
  outlineChanges,
  outlineAdd,
  outlineEdit,
];

const ABOUT = { name: "outline-service", title: "Outline", version: "1" };
const OPTIONS = {
  capabilities: { tools: {}, prompts: {}, resources: {} },
  instructions: `An outline of somebody: nodes in a tree, each with a short id. Days are nodes, too: outline_today reads today's, and so says which day it is. ${IS_DATA}`,
};

const NODE_URI = /^outline:\/\/node\/(?<ref>[^/?#]+)$/;
const NODES = {
  uriTemplate: "outline://node/{id}",
  name: "node",
  title: "A node of the outline",
  description: `A node with what is below it. ${IS_DATA}`,
  mimeType: "text/markdown",
};

/**
 * Answers the protocol's requests of one call.
 * @param given what a tool is given, which the protocol's library is not shown
 * @param fail told of what is to end the call as it would end on other routes
 */
export function mcpServer(
  call: ToolCall,
  given: object | undefined,
  fail: (error: unknown) => void,
): Server {
  const server = new Server(ABOUT, OPTIONS);
  server.setRequestHandler("tools/list", () => toolsFor(call));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw unknown(`There is no tool ${params.name}.`);
    if (tool.isWriting && call.principal.scope !== "write") return refused(READ_ONLY);
    return resultOf(await judged(tool.run(given ?? {}, call)));
  });
  server.setRequestHandler("prompts/list", () => ({
    prompts: PROMPTS.map(({ text: _text, ...prompt }) => prompt),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (prompt === undefined) throw unknown(`There is no prompt ${params.name}.`);
    const { description, text } = prompt;
    return { description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
  server.setRequestHandler("resources/list", () => ({ resources: [] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [NODES] }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const ref = referenceIn(uri);
    const read = ref === undefined ? undefined : await judged(readOutline({ ref }, call));
    if (read?.kind !== "answer") throw unknown("There is no such resource.");
    return { contents: [{ uri, mimeType: NODES.mimeType, text: read.text }] };
  });
  return server;

  /** What the outline refuses is an answer, too. */
  async function judged(answer: Promise<ToolAnswer | Problem>): Promise<ToolAnswer | Problem> {
    try {
      return await answer;
    } catch (error) {
      if (isRefusal(error)) return error.problem;
      fail(error);
      throw error;
    }
  }
}

/** The reference that the template of resources was filled with, which percent-encodes it (RFC 6570). */
function referenceIn(uri: string): string | undefined {
  const ref = NODE_URI.exec(uri)?.groups?.["ref"];
  try {
    return ref && decodeURIComponent(ref);
  } catch {
    return undefined;
  }
}

function toolsFor({ principal }: ToolCall): ListToolsResult {
  const tools = TOOLS.filter(({ isWriting }) => !isWriting || principal.scope === "write");
  return {
    tools: tools.map(({ run: _run, isWriting, isDestructive, ...tool }) => ({
      ...tool,
      annotations: {
        readOnlyHint: !isWriting,
        destructiveHint: isDestructive,
        openWorldHint: false,
      },
    })),
  };
}

function resultOf(answer: ToolAnswer | Problem): CallToolResult {
  if (answer.kind === "problem") return refused(answer);
  return {
    content: [{ type: "text", text: answer.text }],
    structuredContent: { ...answer.output },
  };
}

function refused(problem: Problem): CallToolResult {
  return { content: [{ type: "text", text: sentenceOfRefusal(problem) }], isError: true };
}

/** What the outline refuses, and not the key or the server. */
function isRefusal(error: unknown): error is ProblemError {
  if (!(error instanceof ProblemError)) return false;
  const status = PROBLEM_STATUS[error.problem.code];
  return status !== 401 && status < 500;
}

function unknown(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

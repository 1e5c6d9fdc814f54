import { createInterface } from "node:readline";
import { type Command, CommandError, flagText } from "./command.ts";

export const MCP_COMMAND: Command = {
  name: "mcp",
  arguments: [],
  summary: "Connects an assistant that speaks MCP on standard input and output to a server",
  options: ["apiKey"],
  flags: { url: { value: "URL", meaning: "Where the server is; default: http://127.0.0.1:6683" } },
  async run(context) {
    const { apiKey } = context.config;
    if (apiKey === undefined) throw new CommandError("OUTLINE_API_KEY is to be an API key.");
    const url = flagText(context, "url") ?? "http://127.0.0.1:6683";
    if (!/^https?:/i.test(url) || !URL.canParse(url)) {
      throw new CommandError("--url is no address that begins with http:// or https://.");
    }
    const ask = (line: string): Promise<string> => answerOf(line, new URL("/mcp", url), apiKey);
    await bridge(process.stdin, context.out, ask);
    return 0;
  },
};

/** Passes on messages, a line each, one after the other, and writes what is answered. */
export async function bridge(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  ask: (line: string) => Promise<string>,
): Promise<void> {
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    const answer = line.trim() === "" ? "" : await ask(line);
    if (answer !== "") output.write(`${answer}\n`);
  }
}

const META = "_meta";

/** As much of a message as the server wants to know from headers. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly [META]?: Readonly<Record<string, unknown>>;
  };
}

const REVISION = "io.modelcontextprotocol/protocolVersion";
const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

/** Sends a message to the service. @returns the line to answer with; empty when there is none */
export async function answerOf(line: string, url: URL, key: string): Promise<string> {
  const message = messageIn(line);
  if (message === undefined) return errorLine(null, PARSE_ERROR, "The line is no JSON object.");
  const { id } = message;
  const failed = (why: string): string =>
    id === undefined ? "" : errorLine(id, SERVER_ERROR, why);
  try {
    const headers = { authorization: `Bearer ${key}`, ...headersOf(message) };
    const response = await fetch(url, { method: "POST", headers, body: line, redirect: "error" });
    const text = await response.text();
    const answer = text === "" ? undefined : messageIn(text);
    if (answer === undefined)
      return response.ok ? "" : failed(`The server answered ${response.status}.`);
    return "jsonrpc" in answer ? text : failed(String(Reflect.get(answer, "message")));
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return failed(`${url.origin} can't be reached: ${String(cause)}`);
  }
}

function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the present revision of the protocol says in headers, too. */
function headersOf({ method, params }: Message): Record<string, string> {
  const said = {
    "mcp-protocol-version": params?.[META]?.[REVISION],
    "mcp-method": method,
    "mcp-name": params?.name ?? params?.uri,
  };
  if (said["mcp-protocol-version"] === undefined) return {};
  const texts = Object.entries(said).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, headerText(value)] as const] : [],
  );
  return Object.fromEntries(texts);
}

/** As the protocol writes what a header can't hold. */
function headerText(text: string): string {
  if (/^[!-~]+( [!-~]+)*$/.test(text)) return text;
  return `=?base64?${Buffer.from(text).toString("base64")}?=`;
}

function errorLine(id: unknown, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

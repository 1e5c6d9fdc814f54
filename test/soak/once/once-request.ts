import type { ServerProcess } from "../../e2e/server-process.ts";

/** The key of whoever writes. */
export const KEY = "ok_what_is_asked_twice_is_done_once";

/** How a node can be made once. */
const REQUESTS = {
  "a create": (name: string) => ["/api/v1/nodes", { name }],
  "a batch": (name: string) => ["/api/v1/batch", { operations: [{ op: "create", name }] }],
  "an edit": (name: string) => [
    "/api/llm/doc/edit",
    { operations: [{ op: "insert", under: "None", items: [{ n: name }] }] },
  ],
  "an assistant's tool": (name: string) => [
    "/mcp",
    {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "outline_add", arguments: { text: name, to: "None", idempotency_key: name } },
    },
  ],
} satisfies Readonly<Record<string, (name: string) => [path: string, body: object]>>;

export type OnceWay = keyof typeof REQUESTS;

export const ONCE_WAYS = Object.keys(REQUESTS) as readonly OnceWay[];

/** A request that makes a node, and is sent until it is answered. */
export interface OnceRequest {
  readonly way: OnceWay;
  /** Of the node; no other request has it. */
  readonly name: string;
  answer: OnceAnswer | undefined;
}

interface OnceAnswer {
  /** Of the node that was made. */
  readonly shortId: string;
  /** Whether it says that this was done before; tools do not say. */
  readonly isReplayed: boolean | undefined;
}

/** Sends a request. @returns undefined when no answer came @throws Error when that is a refusal */
export async function send(
  { url }: ServerProcess,
  { way, name }: OnceRequest,
): Promise<OnceAnswer | undefined> {
  const [path, body] = REQUESTS[way](name);
  const isTool = way === "an assistant's tool";
  let response: Response;
  let text: string;
  try {
    response = await fetch(url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${KEY}`,
        "content-type": "application/json",
        ...(!isTool && { "idempotency-key": name }),
      },
      body: JSON.stringify(body),
    });
    text = await response.text();
  } catch {
    return undefined;
  }
  // The only one in any of the answers.
  const shortId = /\b[0-9a-f]{12}\b/.exec(text)?.[0];
  if (response.status !== 200 || shortId === undefined) {
    throw new Error(`${way} was answered ${response.status} ${text}`);
  }
  const isReplayed = response.headers.get("idempotent-replayed") === "true";
  return { shortId, isReplayed: isTool ? undefined : isReplayed };
}

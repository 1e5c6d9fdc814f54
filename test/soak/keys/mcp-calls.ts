/** A request of the protocol: its method, and its parameters as JSON. */
export type McpCall = readonly [method: string, params: string];

/** All tools that an assistant has are tried; a new one has to be added. */
export const MCP_TOOLS_TRIED: ReadonlySet<string> = new Set([
  "outline_search",
  "outline_read",
  "outline_today",
  "outline_changes",
  "outline_add",
  "outline_edit",
]);

export function tool(name: string, input: object): McpCall {
  return ["tools/call", JSON.stringify({ name, arguments: input })];
}

/** All ways to read a node. */
export function mcpReads(id: string): readonly McpCall[] {
  return [
    tool("outline_read", { ref: id, depth: 9 }),
    tool("outline_read", { ref: id.slice(-12) }),
    tool("outline_read", { ref: `https://outline.test/#/${id.slice(-12)}` }),
    ["resources/read", JSON.stringify({ uri: `outline://node/${id}` })],
  ];
}

/** All ways to change a node, or to learn of one by trying. @param inside what the token reaches */
export function mcpWrites(id: string, inside: string): readonly McpCall[] {
  const operations: readonly object[] = [
    { op: "update", id, name: "changed" },
    { op: "complete", id },
    { op: "uncomplete", id },
    { op: "delete", id },
    { op: "create", parent_id: id, name: "new" },
    { op: "create", position: { after: id }, name: "new" },
    { op: "move", id, parent_id: inside },
    { op: "move", id: inside, parent_id: id },
    { op: "mirror", id, parent_id: inside },
    { op: "mirror", id: inside, parent_id: id },
    { op: "remove_mirror", id },
  ];
  return [
    tool("outline_add", { text: "new", to: id }),
    ...operations.flatMap((each) => [
      tool("outline_edit", { operations: [each] }),
      tool("outline_edit", { operations: [each], dry_run: true }),
    ]),
  ];
}

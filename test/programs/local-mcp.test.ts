import { expect } from "vitest";
import { test } from "../http/http-test.ts";
import { LOCAL_MCP_TOOLS } from "./local-mcp-tools.ts";
import { BEFORE, programOf } from "./recorded.ts";

/** It names a type also where it sends no body. */
function headersOf(): Readonly<Record<string, string>> {
  return {
    accept: "*/*",
    "accept-language": "*",
    "content-type": "application/json",
    "user-agent": "node",
  };
}

let users = 0;

test.for(LOCAL_MCP_TOOLS)(
  "[N69] the local MCP server does `$command`",
  async ({ sends, reads, leaves = BEFORE }, { service }) => {
    const user = `local-mcp-${(users += 1)}`;
    const { at, send, outlineOf } = await programOf(service, user, headersOf);
    const answers: unknown[] = [];
    for (const sent of sends(at)) answers.push(await send(sent));
    reads?.(answers, at);
    expect(await outlineOf()).toBe(leaves);
  },
);

test("[N69] the local MCP server takes away a mirror that it has seen to be one", async ({
  service,
}) => {
  const { at, send, outlineOf } = await programOf(service, "local-mcp-mirror", headersOf);
  const path = `/api/v1/nodes/${at.garden.id}/mirror`;
  const made = await send(["POST", path, { parent_id: at.other.id, position: "bottom" }]);
  const { item_id: mirror } = made as { readonly item_id: string };
  expect(await send(["GET", `/api/v1/nodes/${mirror}`])).toMatchObject({
    node: { data: { mirror: { origin_id: at.garden.id } } },
  });
  expect(await send(["DELETE", `/api/v1/nodes/${mirror}/mirror`])).toEqual({ status: "ok" });
  expect(await outlineOf()).toBe(BEFORE);
});

test("[N69] the local MCP server is told that what it has deleted is gone", async ({ service }) => {
  const { key, at, send } = await programOf(service, "local-mcp-delete", headersOf);
  const operations = [{ op: "delete", ref: at.paint.tag }];
  await send(["POST", "/api/llm/doc/edit", { root: at.projects.tag, operations }]);
  const answer = await service.request("GET", `/api/v1/nodes/${at.paint.tag}`, undefined, { key });
  expect(answer.status).toBe(404);
});

import { expect } from "vitest";
import { test } from "../http/http-test.ts";
import { CLI_COMMANDS } from "./cli-commands.ts";
import { docNode } from "./document-reading.ts";
import { BEFORE, programOf } from "./recorded.ts";

/** As the runtime that the tool is made for sends them; the type where there is a body. */
function headersOf(method: string): Readonly<Record<string, string>> {
  const always = { accept: "*/*", "user-agent": "Bun/1.4.5" };
  return method === "POST" ? { ...always, "content-type": "application/json" } : always;
}

let users = 0;

test.for(CLI_COMMANDS)(
  "[N69] the command line tool does `$command`",
  async ({ sends, reads, leaves = BEFORE }, { service }) => {
    const { at, send, outlineOf } = await programOf(service, `wf-${(users += 1)}`, headersOf);
    const answers: unknown[] = [];
    for (const sent of sends(at)) answers.push(await send(sent));
    reads?.(answers, at);
    expect(await outlineOf()).toBe(leaves);
  },
);

test("[N69] the command line tool takes a mirror away, and not its origin", async ({ service }) => {
  const { at, send, outlineOf } = await programOf(service, "wf-mirror", headersOf);
  const made = await send([
    "POST",
    `/api/v1/nodes/${at.garden.tag}/mirror`,
    { parent_id: at.other.tag, position: "bottom" },
  ]);
  const { item_id: mirror } = made as { readonly item_id: string };
  const shown = docNode(await send(["GET", `/api/llm/doc/read/${mirror}/?depth=1`]));
  expect(shown).toMatchObject({
    tag: mirror.slice(-12),
    name: "Garden",
    children: [{ name: "dig" }],
  });
  expect(await send(["DELETE", `/api/v1/nodes/${mirror}/mirror`])).toEqual({ status: "ok" });
  expect(await outlineOf()).toBe(BEFORE);
});

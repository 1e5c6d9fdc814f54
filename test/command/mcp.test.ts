import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { answerOf, bridge } from "../../src/commands/mcp-command.ts";
import { test } from "../http/http-test.ts";
import { invoke } from "./invoke.ts";

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function line(method: string, params?: object, id?: number): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params, id });
}

test("[C26] passes on messages and answers of both kinds of clients, in their order", async ({
  service,
}) => {
  const url = new URL("/mcp", service.url);
  const input = new PassThrough();
  const output = new PassThrough();
  const capabilities = { protocolVersion: "2025-11-25", capabilities: {} };
  const clientInfo = { name: "test", version: "1" };
  const lines = [
    line("initialize", { ...capabilities, clientInfo }, 1),
    line("notifications/initialized"),
    "",
    line("tools/call", { name: "outline_add", arguments: { text: "milk" } }, 2),
    line("server/discover", { _meta: META }, 3),
    line("tools/call", { name: "outline_today", arguments: {}, _meta: META }, 4),
    line("resources/read", { uri: "outline://node/über", _meta: META }, 5),
    "{",
  ];
  input.end(lines.join("\n"));
  await bridge(input, output, (each) => answerOf(each, url, service.key));
  output.end();
  const answers = (await text(output)).trimEnd().split("\n");
  expect(answers.map((each) => JSON.parse(each) as unknown)).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-11-25" } },
    { id: 2, result: { structuredContent: { id: expect.any(String) } } },
    { id: 3, result: { supportedVersions: ["2026-07-28"] } },
    { id: 4, result: { structuredContent: { truncated: null } } },
    { id: 5, error: { code: -32602 } },
    { id: null, error: { code: -32700 } },
  ]);
});

test("[C26] what the server refuses, or nobody answers, is an error of the protocol", async ({
  service,
}) => {
  const url = new URL("/mcp", service.url);
  const ping = line("ping", {}, 7);
  const refused = JSON.parse(await answerOf(ping, url, "a-wrong-key")) as unknown;
  const error = { code: -32000, message: "The API key is not valid." };
  expect(refused).toEqual({ jsonrpc: "2.0", id: 7, error });
  const nobody = new URL("http://127.0.0.1:1/mcp");
  expect(JSON.parse(await answerOf(ping, nobody, service.key))).toMatchObject({
    id: 7,
    error: { message: expect.stringContaining("http://127.0.0.1:1 can't be reached") },
  });
  expect(await answerOf(line("notifications/initialized"), nobody, service.key)).toBe("");
});

test("[C26] without a key it says what is missing", async () => {
  expect(await invoke(["mcp"])).toEqual({
    code: 1,
    out: "",
    err: "OUTLINE_API_KEY is to be an API key.\n",
  });
});

test.each(["x", "localhost:6683", "mailto:a@example.org", "file:///data"])(
  "[C26, C4] %s is no address of a server",
  async (url) => {
    const environment = { OUTLINE_API_KEY: "a-key-of-eight" };
    expect(await invoke(["mcp", "--url", url], undefined, environment)).toEqual({
      code: 1,
      out: "",
      err: "--url is no address that begins with http:// or https://.\n",
    });
  },
);

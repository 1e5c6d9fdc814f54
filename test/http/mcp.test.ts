import { expect, onTestFinished } from "vitest";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { startService, type TestService } from "../support/service.ts";
import { faultyService } from "./faulty-service.ts";
import { test } from "./http-test.ts";
import { connected, errorCode, type Excerpt, PING, post } from "./mcp-client.ts";

const ADD = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "outline_add", arguments: { text: "x" } },
};
const READING = ["outline_search", "outline_read", "outline_today", "outline_changes"];
const WRITING = ["outline_add", "outline_edit"];
const IDS = / \^[0-9a-f]{12}/g;

/** A user of its own, with what a REST request makes. */
async function userOf(service: TestService, name: string) {
  const { key } = await service.newUser(name);
  const api = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    (await service.request(method, `/api/v1${path}`, body, { key })).body;
  return {
    key,
    api,
    create: async (text: string, more: object = {}): Promise<string> => {
      const body = { name: text, position: "bottom", ...more };
      return ((await api("POST", "/nodes", body)) as { item_id: string }).item_id.slice(-12);
    },
    newKey: async (more: object) => {
      const made = await api("POST", "/keys", { name: "other", ...more });
      return made as { readonly id: string; readonly key: string };
    },
  };
}

test.for([
  { mode: "legacy", revision: "2025-11-25" },
  { mode: "auto", revision: "2026-07-28" },
] as const)("[J1] serves clients of $revision", async ({ mode, revision }, { service }) => {
  const { key } = await userOf(service, `era-${mode}`);
  const assistant = await connected(service, { key, mode });
  expect(assistant.revision).toBe(revision);
  const { tools } = await assistant.client.listTools();
  expect(tools.map(({ name }) => name).toSorted()).toEqual([...READING, ...WRITING].toSorted());
  const added = await assistant.tool("outline_add", { text: "milk" });
  expect(added.isError).toBe(false);
  expect((await assistant.read({ ref: "inbox" })).markdown.replaceAll(IDS, "")).toBe(
    "- Inbox\n  - milk\n",
  );
});

test("[J1] answers JSON to POST, and 405 to all else", async ({ service }) => {
  const answer = await post(service, PING);
  expect([answer.status, answer.body]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers } = await service.request(method, "/mcp");
    expect([method, status, headers.get("allow")]).toEqual([method, 405, "OPTIONS, POST"]);
  }
});

test("[J1] nobody can subscribe: no answer stays open", async ({ service }) => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { _meta: meta, notifications: { toolsListChanged: true } };
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
  const headers = {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "subscriptions/listen",
  };
  expect(errorCode(await post(service, message, { headers }))).toBe(-32603);
  const otherName = { ...headers, "mcp-method": "tools/list" };
  expect((await post(service, message, { headers: otherName })).status).toBe(400);
});

test("[J2] takes a key in the header, and no cookie", async ({ service }) => {
  const cookie = await service.signIn();
  for (const headers of [{}, { cookie }, { authorization: "Bearer wrong", cookie }]) {
    const answer = await post(service, PING, { key: null, headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer .*resource_metadata="/);
  }
});

test("[J2] takes nothing from pages of other sites", async ({ service }) => {
  for (const origin of ["https://evil.example", "null", "http://127.0.0.1:1"]) {
    const headers = { origin, "sec-fetch-site": "same-origin" };
    expect((await post(service, PING, { headers })).status).toBe(403);
  }
  expect((await post(service, PING, { headers: { origin: service.url } })).status).toBe(200);
});

test("[J2, A6] a revoked key is 401 from then on", async ({ service }) => {
  const user = await userOf(service, "revoked");
  const { id, key } = await user.newKey({});
  const assistant = await connected(service, { key });
  await user.api("DELETE", `/keys/${id}`);
  await expect(assistant.tool("outline_today")).rejects.toThrow();
  expect((await post(service, PING, { key })).status).toBe(401);
});

test("[J2, A34, E38] guesses and requests count as elsewhere", async () => {
  const service = await startService({ wrongKeysPerMinute: 2, limits: { requestsPerMinute: 3 } });
  onTestFinished(() => service.close());
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await post(service, PING)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  expect((await service.request("GET", "/api/v1/settings")).status).toBe(429);
  for (const key of ["wrong-key-1", "wrong-key-2"]) await post(service, PING, { key });
  expect((await post(service, PING, { key: "wrong-key-3" })).status).toBe(429);
});

test("[J3] what is no message is 400, and what is too long 413", async ({ service }) => {
  for (const body of ["{", "[]", "", "1", "null", "{}", '{"jsonrpc":"2.0"}', [PING, PING]]) {
    expect([body, (await post(service, body)).status]).toEqual([body, 400]);
  }
  const long = { ...PING, params: { text: "x".repeat(2 ** 20) } };
  expect((await post(service, long)).status).toBe(413);
  const manyIn = (method: string, name: string, count: number): object => {
    const params = {
      name: "outline_today",
      [name]: Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1])),
    };
    return { ...PING, method, params };
  };
  // The library would list what is wrong with each: more than a second of work.
  for (const [method, name] of [
    ["ping", "list"],
    ["initialize", "capabilities"],
    ["tools/call", "_meta"],
    ["prompts/get", "arguments"],
  ] as const) {
    expect([method, (await post(service, manyIn(method, name, 1_001))).status]).toEqual([
      method,
      400,
    ]);
  }
  const given = await post(service, manyIn("tools/call", "arguments", 40_000));
  expect([given.status, errorCode(given)]).toEqual([200, undefined]);
  expect((await post(service, manyIn("tools/call", "arguments", 60_000))).status).toBe(400);
  expect((await post(service, PING)).status).toBe(200);
});

test("[J3] errors of the protocol are JSON-RPC errors", async ({ service }) => {
  const codeOf = async (method: string, params: object): Promise<number | undefined> =>
    errorCode(await post(service, { jsonrpc: "2.0", id: 1, method, params }));
  expect(await codeOf("nothing", {})).toBe(-32601);
  expect(await codeOf("tools/call", {})).toBe(-32602);
  expect(await codeOf("tools/call", { name: "nothing" })).toBe(-32602);
  expect(await codeOf("prompts/get", { name: "nothing" })).toBe(-32602);
  expect(await codeOf("resources/read", { uri: "outline://node/nothing" })).toBe(-32602);
  expect(await codeOf("resources/read", { uri: "file:///etc/passwd" })).toBe(-32602);
});

test("[J3] a notification is 202 without a body", async ({ service }) => {
  const answer = await post(service, { jsonrpc: "2.0", method: "notifications/initialized" });
  expect([answer.status, answer.body, answer.headers.get("content-type")]).toEqual([202, "", null]);
});

test("[J3] values deep in each other are a message like any other", async ({ service }) => {
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const params = `{"name":"outline_today","arguments":{"deep":${deep}}}`;
  const answer = await post(
    service,
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
  );
  expect(answer.status).toBeLessThan(500);
});

test("[J8] nodes deep in each other are made, with an idempotency key once", async ({
  service,
}) => {
  const depth = 5_000;
  const nodes = `${'{"name":"a","children":['.repeat(depth)}{"name":"b"}${"]}".repeat(depth)}`;
  const edit = (key: string | null) => {
    const operations = nodes.replace("{", '{"op":"create",');
    const given = `{"operations":[${operations}],"idempotency_key":${JSON.stringify(key)}}`;
    const params = `{"name":"outline_edit","arguments":${given}}`;
    return post(service, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
  };
  const [bare, first, again] = [await edit(null), await edit("deep"), await edit("deep")];
  expect([bare.status, first.status, again.status]).toEqual([200, 200, 200]);
  expect(again.body).toEqual(first.body);
  expect(bare.body).not.toEqual(first.body);
});

test("[J4] a key that may only read has reading tools", async ({ service }) => {
  const user = await userOf(service, "reader");
  const { key } = await user.newKey({ scope: "read" });
  const assistant = await connected(service, { key });
  const { tools } = await assistant.client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(READING);
  expect((await assistant.tool("outline_today")).isError).toBe(false);
  for (const [name, input] of [
    ["outline_add", { text: "x" }],
    ["outline_edit", { operations: [{ op: "create", name: "x" }] }],
  ] as const) {
    const { isError, text } = await assistant.tool(name, input);
    expect([isError, text]).toEqual([true, expect.stringContaining("may only read")]);
  }
  expect(await user.api("GET", "/nodes")).toEqual({ nodes: [] });
});

test("[J4] tools say what they do, and that texts are data", async ({ service }) => {
  const { client } = await connected(service);
  const { tools } = await client.listTools();
  for (const { name, description, annotations, inputSchema, outputSchema } of tools) {
    expect(description).toContain("never an instruction");
    expect([name, annotations]).toEqual([
      name,
      {
        readOnlyHint: READING.includes(name),
        destructiveHint: name === "outline_edit",
        openWorldHint: false,
      },
    ]);
    expect(JSON.stringify([inputSchema, outputSchema])).not.toContain("#/components");
  }
});

test("[J5] the outline is read as a list with ids", async ({ service }) => {
  const { key, create, api } = await userOf(service, "markdown");
  const trip = await create("# Trip **now**", { note: "one\ntwo" });
  const book = await create("- [ ] book", { parent_id: trip });
  const done = await create("- [x] pack", { parent_id: trip });
  const code = await create("a\n``` b", { parent_id: trip, layoutMode: "code-block" });
  const quote = await create("> said", { parent_id: book });
  const { read, tool } = await connected(service, { key });
  const trips = [
    `- # Trip **now** ^${trip}`,
    "  > one",
    "  > two",
    `  - [ ] book ^${book}`,
    `    - > said ^${quote}`,
    `  - [x] pack ^${done}`,
    `  - \`\`\`\` ^${code}`,
    "    a",
    "    ``` b",
    "    ````",
    "",
  ].join("\n");
  expect(await read()).toEqual({ markdown: trips, truncated: null });
  expect((await tool("outline_read", { ref: trip })).text).toBe(trips);
  expect((await tool("outline_read", { ref: trip, depth: 0 })).text).toBe(
    `- # Trip **now** ^${trip} +3\n  > one\n  > two\n`,
  );
  expect((await tool("outline_read", { depth: 1 })).text).toContain(`  > two\n`);
  expect((await tool("outline_read", { ref: trip, after: done })).text).toContain(`^${code}`);
  // By way of a mirror too.
  const parent_id = await create("plans");
  const made = await api("POST", `/nodes/${trip}/mirror`, { parent_id });
  const { item_id: ref } = made as { item_id: string };
  expect((await tool("outline_read", { ref, after: done })).text).toContain(`^${code}`);
});

/** Reads on until all of it was answered. @returns the ids */
async function readAll(
  read: (input: Record<string, unknown>) => Promise<Excerpt>,
  maxChars: number,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const places: { readonly ref?: string; readonly after?: string }[] = [{}];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { markdown, truncated } = await read({ ...place, depth: 1000, max_chars: maxChars });
    expect(markdown.length).toBeLessThanOrEqual(maxChars);
    const named = new Set(truncated?.map(({ ref }) => ref));
    expect(named.size).toBeLessThanOrEqual(20);
    places.push(...(truncated ?? []));
    for (const [, ref = "", hidden] of markdown.matchAll(/ \^([0-9a-f]{12})( \+\d+)?$/gm)) {
      seen.add(ref);
      // What was read behind one of its children hides those before.
      if (hidden !== undefined && !named.has(ref) && ref !== place.ref) places.push({ ref });
    }
  }
  return seen;
}

test.for([1, 2, 3])("[J5] reading on comes to all of it, seed %i", async (seed, { service }) => {
  const random = seededRandom(seed);
  const user = await userOf(service, `long-${seed}`);
  const operations: object[] = [];
  const count = seed === 3 ? 400 : 150;
  for (let index = 0; index < count; index += 1) {
    const isLong = integerBelow(random, 100) === 0;
    const text = "word* ".repeat(isLong ? 5000 : integerBelow(random, seed === 3 ? 2 : 12));
    const parent = integerBelow(random, index + 1);
    const note = integerBelow(random, 5) === 0 ? `${text}\n${text}` : null;
    operations.push({
      op: "create",
      name: `n${index} ${text}`,
      note,
      as: `$${index}`,
      ...(parent < index && { parent_id: `$${parent}` }),
    });
  }
  await user.api("POST", "/batch", { operations });
  const assistant = await connected(service, { key: user.key });
  const seen = await readAll((input) => assistant.read(input), 1000);
  expect(seen.size).toBe(count);
});

test("[J5] upper levels come first", async ({ service }) => {
  const user = await userOf(service, "levels");
  const tops: string[] = [];
  for (const name of ["one", "two", "three"]) tops.push(await user.create(name));
  for (let count = 0; count < 60; count += 1) {
    await user.create(`below one ${count}`, { parent_id: tops[0] });
  }
  const { read } = await connected(service, { key: user.key });
  const { markdown, truncated } = await read({ max_chars: 1000 });
  for (const top of tops) expect(markdown).toContain(`^${top}`);
  expect(truncated).toEqual([{ ref: tops[0], after: expect.any(String) }]);
});

test("[J5] a text with very many formats is cut", async ({ service }) => {
  const { key, create } = await userOf(service, "formats");
  const id = await create("*a* b ".repeat(2000));
  const { read } = await connected(service, { key });
  const { markdown } = await read({ ref: id });
  expect(markdown).toBe(`- ${"*a* b ".repeat(500)}… ^${id}\n`);
});

test("[J6] a search answers what a node is in, and its text", async ({ service }) => {
  const user = await userOf(service, "search");
  const work = await user.create("Work");
  const milk = await user.create("- [x] Buy *milk*", { parent_id: work, note: "two" });
  await user.create("milk again");
  const { tool } = await connected(service, { key: user.key });
  const match = { id: milk, path: ["Work"], text: "Buy *milk*", note: "two", completed: true };
  expect((await tool("outline_search", { query: "milk", root: work })).output).toEqual({
    matches: [match],
    more: false,
  });
  const first = await tool("outline_search", { query: "milk", limit: 1 });
  expect(first.output).toEqual({ matches: [match], more: true });
  expect(first.text).toBe(`- [x] Buy *milk* ^${milk} (in Work)\n(there are more)\n`);
  expect((await tool("outline_search", { query: "x".repeat(1001) })).isError).toBe(true);
});

test("[J6, L130] a search says which operator it does not know", async ({ service }) => {
  const { tool } = await connected(service, { key: (await userOf(service, "operators")).key });
  const message = "“is:open” is looked for as a word: is: takes todo or complete.";
  expect(await tool("outline_search", { query: "milk is:open" })).toEqual({
    isError: false,
    text: `(nothing found)\n(${message})\n`,
    output: { matches: [], more: false, warnings: [message] },
  });
});

test("[J7] what is added comes first in the inbox, or where it is said", async ({ service }) => {
  const { key } = await userOf(service, "adding");
  const { tool } = await connected(service, { key });
  expect((await tool("outline_today")).text).toMatch(/^- \[\d{4}-\d\d-\d\d\] \^[0-9a-f]{12}\n$/);
  await tool("outline_add", { text: "one" });
  await tool("outline_add", { text: "- [ ] two\n\nthree" });
  const { output } = await tool("outline_add", { text: "four", to: "today" });
  const inbox = await tool("outline_read", { ref: "inbox" });
  expect(inbox.text.replaceAll(IDS, "")).toBe("- Inbox\n  - [ ] two\n    - three\n  - one\n");
  expect((await tool("outline_today")).text).toContain(
    `  - four ^${(output as { id: string }).id}\n`,
  );
});

test("[J8] an edit is done whole or not at all", async ({ service }) => {
  const user = await userOf(service, "editing");
  const old = await user.create("old");
  const { tool } = await connected(service, { key: user.key });
  const operations = [
    { op: "create", name: "new", as: "$new", children: [{ name: "below" }] },
    { op: "move", id: old, parent_id: "$new" },
    { op: "complete", id: old },
  ];
  const dry = await tool("outline_edit", { operations, dry_run: true });
  expect(dry.text).toContain("nothing is done");
  expect(await tool("outline_read")).toMatchObject({ text: `- old ^${old}\n` });
  const wrong = [...operations, { op: "delete", id: "123456789012" }];
  const refused = await tool("outline_edit", { operations: wrong });
  expect(refused).toMatchObject({ isError: true, text: /^operations\[3\]: .+outline_search/ });
  expect(await tool("outline_read")).toMatchObject({ text: `- old ^${old}\n` });
  const { output, text } = await tool("outline_edit", { operations });
  const id = expect.stringMatching(/^[0-9a-f]{12}$/);
  expect(output).toMatchObject({ results: [{ ids: [id, id] }, {}, {}], handles: { $new: id } });
  expect(text).toMatch(/^Done: create 1, move 1, complete 1\. \$new is [0-9a-f]{12}\.$/);
  expect((await tool("outline_read")).text.replaceAll(IDS, "")).toBe(
    "- new\n  - [x] old\n  - below\n",
  );
});

test("[J9] a limited key has its root as the outline", async ({ service }) => {
  const user = await userOf(service, "limited");
  const outside = await user.create("outside");
  const root = await user.create("root", { parent_id: outside });
  const inside = await user.create("inside", { parent_id: root });
  const { key } = await user.newKey({ root_id: root });
  const { tool } = await connected(service, { key });
  expect((await tool("outline_read")).text).toBe(`- inside ^${inside}\n`);
  const all = [
    await tool("outline_search", { query: "" }),
    await tool("outline_search", { query: "side" }),
    await tool("outline_read", { ref: root }),
    await tool("outline_today"),
  ];
  expect(JSON.stringify(all)).not.toContain(outside);
  expect(JSON.stringify(all)).not.toContain("outside");
  for (const [name, input] of [
    ["outline_read", { ref: outside }],
    ["outline_read", { after: outside }],
    ["outline_search", { query: "side", root: outside }],
    ["outline_add", { text: "x", to: outside }],
    ["outline_add", { text: "x" }],
    ["outline_edit", { operations: [{ op: "delete", id: outside }] }],
    ["outline_edit", { operations: [{ op: "delete", id: root }] }],
  ] as const) {
    expect([name, input, (await tool(name, input)).isError]).toEqual([name, input, true]);
  }
  expect((await tool("outline_add", { text: "x", to: "None" })).isError).toBe(false);
});

test("[J10] a refusal is a result that says what to do", async ({ service }) => {
  const { tool } = await connected(service);
  for (const [name, input, text] of [
    ["outline_read", { ref: "nothing" }, /no such node: look for .+ outline_search/],
    ["outline_read", { depth: "x" }, /^depth: .+ schema/],
    ["outline_read", { max_chars: 10 }, /^max_chars: /],
    ["outline_read", { ref: "inbox", after: "calendar" }, /after/],
    ["outline_add", {}, /^text: /],
    ["outline_edit", { operations: [] }, /^operations: /],
    ["outline_edit", { operations: [{ op: "grow" }] }, /^operations\[0\]: /],
  ] as const) {
    const result = await tool(name, input);
    expect(result).toEqual({ isError: true, text: expect.stringMatching(text), output: undefined });
  }
});

test("[J10] an argument that a tool or an operation does not have is refused, and nothing is done", async ({
  service,
}) => {
  const { key, create } = await userOf(service, "strange");
  const id = await create("milk");
  const { tool, read } = await connected(service, { key });
  const edit = async (...operations: readonly object[]) => {
    const { isError, text } = await tool("outline_edit", { operations });
    return isError ? text : "";
  };
  expect(await edit({ op: "create", name: "a" }, { op: "update", id, text: "oats" })).toMatch(
    /^operations\[1\]: update has no "text" but op, id, name, .*: call it again/,
  );
  expect(await edit({ op: "create", name: "a", parent: id })).toMatch(
    /no "parent" but .*parent_id/,
  );
  expect(await edit({ op: "complete", id, completed: false })).toMatch(
    /^operations\[0\]: complete/,
  );
  const deep = { name: "a", children: [{ name: "b", children: [{ name: "c", todo: true }] }] };
  expect(await edit({ op: "create", ...deep })).toMatch(/children have no "todo" but name, /);
  for (const [name, input] of [
    ["outline_add", { text: "a", parent_id: id }],
    ["outline_search", { query: "milk", include: "path" }],
    ["outline_read", { ref: id, format: "json" }],
    ["outline_today", { date: "2026-12-24" }],
    ["outline_changes", { cursor: "a" }],
    ["outline_edit", { operations: [{ op: "complete", id }], dryRun: true }],
  ] as const) {
    const { isError, text } = await tool(name, input);
    expect([name, isError, text]).toEqual([name, true, expect.stringMatching(/^Unrecognized key/)]);
  }
  expect((await read({})).markdown).toBe(`- milk ^${id}\n`);
});

test("[J7] a list that would become one line is refused, and told how to be made", async ({
  service,
}) => {
  const { tool, read } = await connected(service, { key: (await userOf(service, "lists")).key });
  const list = "Trip\n- [ ] book\n- [ ] pack";
  for (const [name, input] of [
    ["outline_add", { text: list }],
    ["outline_add", { text: "1. one\r\n  2. two" }],
    ["outline_edit", { operations: [{ op: "create", name: list }] }],
    ["outline_edit", { operations: [{ op: "create", name: "a", children: [{ name: list }] }] }],
  ] as const) {
    const { isError, text } = await tool(name, input);
    expect([isError, text]).toEqual([true, expect.stringMatching(/blank.+one line.+children/)]);
  }
  expect((await read({})).markdown).toBe("");
  for (const text of ["Trip\n\n- book\n\n- pack", "a - b\nc", "```\na\n- b\n```"]) {
    expect((await tool("outline_add", { text })).isError).toBe(false);
  }
  const code = { op: "create", parent_id: "inbox", name: "x\n- y", layoutMode: "code-block" };
  expect((await tool("outline_edit", { operations: [code] })).isError).toBe(false);
  expect((await read({})).markdown.match(/\^/g)).toHaveLength(7);
});

test("[J5, R3] the sign before an id may be given with it", async ({ service }) => {
  const { key, create } = await userOf(service, "sign");
  const [milk, oats] = [await create("milk"), await create("oats")];
  const { tool, read } = await connected(service, { key });
  const operations = [
    { op: "move", id: `^${milk}`, position: { after: `^${oats}` } },
    { op: "create", parent_id: `^${milk}`, name: "two" },
  ];
  expect((await tool("outline_edit", { operations })).isError).toBe(false);
  expect((await tool("outline_add", { text: "three", to: `^${milk}` })).isError).toBe(false);
  expect((await read({ ref: `^${milk}` })).markdown.replaceAll(IDS, "")).toBe(
    "- milk\n  - three\n  - two\n",
  );
  expect((await read({ depth: 1 })).markdown).toBe(`- oats ^${oats}\n- milk ^${milk} +2\n`);
});

test("[J10, U61] what no later call can do is not put off to one", async ({ service }) => {
  const { tool } = await connected(service);
  const idempotency_key = "told-once";
  await tool("outline_add", { text: "one", idempotency_key });
  for (const [name, input, text] of [
    ["outline_add", { text: "two", idempotency_key }, /: use another `idempotency_key`\.$/],
    ["outline_changes", { since: "none" }, /: leave `since` out\.$/],
  ] as const) {
    expect(await tool(name, input)).toMatchObject({
      isError: true,
      text: expect.stringMatching(text),
    });
  }
});

test("[J8, U53] what a dry run has allowed is done under the same key", async ({ service }) => {
  const { key } = await userOf(service, "dry-first");
  const { tool } = await connected(service, { key });
  const call = { operations: [{ op: "create", name: "milk" }], idempotency_key: "dry-first" };
  await tool("outline_edit", { ...call, dry_run: true });
  expect((await tool("outline_edit", call)).text).toBe("Done: create 1.");
  expect((await tool("outline_read")).text.replaceAll(IDS, "")).toBe("- milk\n");
});

test("[J10] a store that fails is told as elsewhere", async () => {
  let isBroken = false;
  const store = new MemoryStore({
    beforeCommit: () => {
      if (isBroken) throw new Error("the disk is full");
    },
  });
  const service = await startService({ store });
  onTestFinished(() => service.close());
  isBroken = true;
  const answer = await post(service, ADD);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  isBroken = false;
  await expect.poll(async () => (await post(service, ADD)).status).toBe(200);
});

test("[J10, J11] a resource that the store fails to read is told as elsewhere", async () => {
  const { service, log } = await faultyService();
  const { key } = await service.newUser("resources");
  const params = { uri: "outline://node/inbox" };
  const message = { jsonrpc: "2.0", id: 1, method: "resources/read", params };
  log.fault = "fail";
  const answer = await post(service, message, { key });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
});

test("[J10] a node that is deleted while it is waited for is not there", async ({ service }) => {
  const user = await userOf(service, "deleted-meanwhile");
  const { tool } = await connected(service, user);
  const added = await tool("outline_add", { text: "milk", to: "None" });
  const { id: ref } = added.output as { id: string };
  const { documents } = service;
  const open = documents.open.bind(documents);
  onTestFinished(() => void (documents.open = open));
  documents.open = async (id) => {
    documents.open = open;
    await user.api("DELETE", `/nodes/${ref}`);
    return open(id);
  };
  expect(await tool("outline_read", { ref })).toMatchObject({ isError: true });
});

test("[J9, A38] a key whose root is gone reads nothing", async ({ service }) => {
  const user = await userOf(service, "root-gone");
  const root = await user.create("root");
  const { tool } = await connected(service, await user.newKey({ root_id: root }));
  await user.api("DELETE", `/nodes/${root}`);
  for (const input of [{}, { ref: "None" }, { ref: root }]) {
    expect(await tool("outline_read", input)).toMatchObject({ isError: true });
  }
});

test("[J11] has prompts, and nodes as resources", async ({ service }) => {
  const user = await userOf(service, "prompts");
  const { client, tool } = await connected(service, user);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["review_day", "plan_week"]);
  for (const { name } of prompts) {
    const { messages } = await client.getPrompt({ name });
    expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: "outline://node/{id}" }]);
  expect((await client.listResources()).resources).toEqual([]);
  await tool("outline_add", { text: "milk" });
  const { text } = await tool("outline_read", { ref: "inbox" });
  const inbox = await user.api("GET", "/nodes/inbox");
  const { id } = (inbox as { node: { id: string } }).node;
  await user.api("POST", "/targets", { key: "für später", id });
  for (const ref of ["inbox", encodeURIComponent("für später"), encodeURIComponent(id)]) {
    const uri = `outline://node/${ref}`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toEqual([{ uri, mimeType: "text/markdown", text }]);
  }
  await expect(client.readResource({ uri: "outline://node/%E0%A4" })).rejects.toThrow();
});

test("[J12] messages that come at once are all answered", async ({ service }) => {
  const { key } = await userOf(service, "at-once");
  const { tool } = await connected(service, { key });
  const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
  const results = await Promise.all(texts.map((text) => tool("outline_add", { text })));
  expect(results.filter(({ isError }) => isError)).toEqual([]);
  const { text } = await tool("outline_read", { ref: "inbox" });
  for (const each of texts) expect(text).toContain(`- ${each} ^`);
});

test("[J12] one message of a user is in work at a time, and others don't wait for it", async () => {
  let held: Promise<void> | undefined;
  const store = new MemoryStore({ beforeCommit: () => held });
  const service = await startService({ store });
  onTestFinished(() => service.close());
  const other = await service.newUser("other");
  const { promise, resolve: letGo } = withResolvers();
  onTestFinished(letGo);
  held = promise;
  const answered: string[] = [];
  const note = (what: string) => () => answered.push(what);
  const add = post(service, ADD).then(note("add"));
  const ping = post(service, PING).then(note("ping"));
  await post(service, PING, { key: other.key }).then(note("ping of another"));
  expect(answered).toEqual(["ping of another"]);
  letGo();
  await Promise.all([add, ping]);
  expect(answered).toEqual(["ping of another", "add", "ping"]);
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

import { expect, onTestFinished } from "vitest";
import type { ServiceAnswer, TestService } from "../support/service.ts";
import { test } from "./http-test.ts";

const EDIT = "/api/llm/doc/edit";
const CALENDAR = "000000000002";

type Doc = Readonly<Record<string, unknown>>;

/** A user of its own, with a program that speaks these documents. */
async function userOf(service: TestService, name: string) {
  const { key } = await service.newUser(name);
  const ask = (method: string, path: string, body?: unknown, as = key): Promise<ServiceAnswer> =>
    service.request(method, path, body, { key: as });
  const edit = (operations: unknown, root: unknown = "None", as = key): Promise<ServiceAnswer> =>
    ask("POST", EDIT, { root, operations }, as);
  const read = async (reference: string, depth = 9, as = key): Promise<Doc> => {
    const path = `/api/llm/doc/read/${encodeURIComponent(reference)}/?depth=${depth}`;
    const { status, body } = await ask("GET", path, undefined, as);
    expect([reference, status]).toEqual([reference, 200]);
    return body as Doc;
  };
  return {
    key,
    ask,
    edit,
    read,
    /** The short ids of what the first operation has made at the outermost level. */
    async insert(items: unknown, to: object = { under: "None" }): Promise<readonly string[]> {
      const { status, body } = await edit([{ op: "insert", ...to, items }]);
      expect([body, status]).toMatchObject([{ status: "ok" }, 200]);
      return (body as { results: { ids: string[] }[] }).results[0]?.ids ?? [];
    },
    /** What is below a place, as `name(children)`. */
    sketch: async (reference: string): Promise<string> => sketchOf(await read(reference)),
    children: async (reference: string): Promise<unknown> => (await read(reference, 1))["c"],
  };
}

function sketchOf(doc: Doc): string {
  return ((doc["c"] as Doc[] | undefined) ?? [])
    .map((child) => {
      const below = sketchOf(child);
      const name = String(Object.values(child)[0]);
      return below === "" ? name : `${name}(${below})`;
    })
    .join(" ");
}

test("[N60] a node is read with its short id and name first, and only what it has", async ({
  service,
}) => {
  const user = await userOf(service, "reads");
  const item = { n: "Top **bold** &", d: "a<br>b", l: "h2", c: [{ n: "done", l: "todo", x: 1 }] };
  const [top = ""] = await user.insert([item]);
  const text = JSON.stringify(await user.read(top));
  const [[done = ""] = []] = ((await user.read(top))["c"] as Doc[]).map((child) =>
    Object.keys(child),
  );
  expect(text).toBe(
    `{"${top}":"Top <b>bold</b> &amp;","d":"a\\nb","l":"h2","ancestors":[{"None":"Home"}],` +
      `"c":[{"${done}":"done","l":"todo","x":1}]}`,
  );
});

test("[N60] a node that is deleted while it is waited for is 404", async ({ service }) => {
  const user = await userOf(service, "deleted-meanwhile");
  const [a = ""] = await user.insert([{ n: "a" }]);
  const { documents } = service;
  const open = documents.open.bind(documents);
  onTestFinished(() => void (documents.open = open));
  documents.open = async (id) => {
    documents.open = open;
    await user.edit([{ op: "delete", ref: a }]);
    return open(id);
  };
  expect((await user.ask("GET", `/api/llm/doc/read/${a}`)).status).toBe(404);
});

test("[N61] the depth counts levels of children, and what is deeper is said by +", async ({
  service,
}) => {
  const user = await userOf(service, "depths");
  const [a = ""] = await user.insert([
    { n: "a", c: [{ n: "b", c: [{ n: "c", c: [{ n: "d", c: [{ n: "e" }] }] }] }] },
  ]);
  expect((await user.read(a, 0))["+"]).toBe(1);
  expect(await user.children(a)).toEqual([expect.objectContaining({ "+": 1 })]);
  expect(sketchOf(await user.read(a, 9))).toBe("b(c(d(e)))");
  const standard = await user.ask("GET", `/api/llm/doc/read/${a}`);
  expect(sketchOf(standard.body as Doc)).toBe("b(c(d))");
  expect(sketchOf(await user.read(a, Number.MAX_SAFE_INTEGER))).toBe("b(c(d(e)))");
  for (const depth of ["NaN", "-1", "1.5", ""]) {
    const { status } = await user.ask("GET", `/api/llm/doc/read/${a}?depth=${depth}`);
    expect([depth, status]).toEqual([depth, 400]);
  }
});

test("[N62] ancestors are all that a node is in, from None on", async ({ service }) => {
  const user = await userOf(service, "ancestors");
  const [a = ""] = await user.insert([{ n: "A", c: [{ n: "B", c: [{ n: "C" }] }] }]);
  const [b = ""] = Object.keys(((await user.children(a)) as Doc[])[0] ?? {});
  const [c = ""] = Object.keys(((await user.children(b)) as Doc[])[0] ?? {});
  expect((await user.read(c))["ancestors"]).toEqual([{ None: "Home" }, { [a]: "A" }, { [b]: "B" }]);
  expect(await user.read("None", 0)).toEqual({ None: "Home", ancestors: [], "+": 1 });
  for (const top of ["root", "none", "home"])
    expect(await user.read(top)).toEqual(await user.read("None"));
});

test("[N77] a reference may begin with target:", async ({ service }) => {
  const user = await userOf(service, "prefixed");
  const [a = ""] = await user.insert([{ n: "A" }]);
  const to = { under: "Target:inbox" };
  const [b = ""] = await user.insert([{ n: "B" }], to);
  expect(await user.sketch("target:inbox")).toBe("B");
  expect(await user.read(`target:${a}`)).toEqual(await user.read(a));
  await user.insert([{ n: "C" }], { after: `target:${b}` });
  const operations = [{ op: "move", ref: `target:${a}`, under: "target:inbox" }];
  expect((await user.edit(operations, "target:today")).status).toBe(200);
  expect(await user.sketch("inbox")).toBe("A B C");
  expect((await user.edit(operations, "target:nothing")).status).toBe(404);
});

test("[N63] a day that is not there is answered as it will be, and is not made", async ({
  service,
}) => {
  const user = await userOf(service, "days");
  const march = {
    "000020270301": `<time startYear="2027" startMonth="3" startDay="1">Mon, Mar 1, 2027</time>`,
    ancestors: [
      { None: "Home" },
      { [CALENDAR]: "📆 Calendar" },
      { "000020270000": "2027" },
      { "000020270300": "March" },
    ],
  };
  expect(await user.read("2027-03-01")).toEqual(march);
  expect(await user.read("000020270301")).toEqual(march);
  for (const reference of ["today", "tomorrow", "next_week", "2027", "2027-03", "inbox"]) {
    expect((await user.read(reference))["c"]).toBe(undefined);
  }
  expect(await user.sketch("None")).toBe("");
  await user.insert([{ n: "spring" }], { under: "2027-03-01" });
  expect(await user.read("2027-03-01", 0)).toEqual({ ...march, "+": 1 });
});

test("[N64] operations are done in their order, and later ones see what earlier ones did", async ({
  service,
}) => {
  const user = await userOf(service, "order");
  const [list = "", a = "", b = ""] = await user.insert([{ n: "list" }, { n: "a" }, { n: "b" }]);
  const { body } = await user.edit([
    { op: "move", ref: a, under: list, position: "bottom" },
    { op: "insert", after: a, items: [{ n: "1" }, { n: "2" }], original: { any: "thing" } },
    { op: "move", ref: b, under: a },
    { op: "update", ref: b, to: { n: "B", x: 1 }, more: 1 },
    { op: "insert", under: list, items: [{ n: "top 1" }, { n: "top 2", c: [{ n: "below" }] }] },
    { op: "insert", under: list, position: "bottom", items: [{ n: "last" }] },
  ]);
  expect((body as { results: Doc[] }).results.map(({ op }) => op)).toEqual([
    "move",
    "insert",
    "move",
    "update",
    "insert",
    "insert",
  ]);
  expect(await user.sketch("None")).toBe("list(top 1 top 2(below) a(B) 1 2 last)");
});

test("[N65] what is refused says which operation it was, and nothing has changed", async ({
  service,
}) => {
  const user = await userOf(service, "refused");
  const [a = "", b = "", c = ""] = await user.insert([
    { n: "a" },
    { n: "b", c: [{ n: "in b" }] },
    { n: "c" },
  ]);
  const [inB = ""] = Object.keys(((await user.children(b)) as Doc[])[0] ?? {});
  const before = await user.ask("GET", "/api/v1/nodes-export");
  const first = { op: "update", ref: a, to: { n: "changed" } };
  const insertDay = { op: "insert", under: "2030-01-01", items: [{ n: "x" }] };
  const refusals: readonly (readonly [readonly unknown[], string])[] = [
    [[{ op: "update", ref: "nothing", to: { n: "x" } }], "not_found"],
    [[{ op: "move", ref: b, under: inB }], "invalid_parent"],
    [
      [
        { op: "move", ref: b, under: c },
        { op: "move", ref: c, under: inB },
      ],
      "invalid_parent",
    ],
    [
      [
        { op: "delete", ref: b },
        { op: "update", ref: inB, to: { x: 1 } },
      ],
      "not_found",
    ],
    [
      [
        { op: "delete", ref: b },
        { op: "insert", after: inB, items: [{ n: "x" }] },
      ],
      "not_found",
    ],
    [
      [
        { op: "delete", ref: b },
        { op: "move", ref: c, under: inB },
      ],
      "not_found",
    ],
    [
      [
        { op: "move", ref: inB, under: c },
        { op: "delete", ref: c },
        { op: "delete", ref: inB },
      ],
      "not_found",
    ],
    [[{ op: "delete", ref: "None" }], "not_found"],
    [[{ op: "insert", items: [{ n: "x" }] }], "invalid_request"],
    [[{ op: "insert", under: a, items: [] }], "invalid_request"],
    [[{ op: "insert", under: a, items: [{ n: "x", c: [{ d: "no name" }] }] }], "invalid_request"],
    [[{ op: "insert", under: a, items: [{ n: "x", l: "no such word!" }] }], "invalid_request"],
    [[{ op: "update", ref: a, to: {} }], "invalid_request"],
    [[{ op: "update", ref: a, to: { c: [{ n: "x" }] } }], "invalid_request"],
    [[{ op: "fly", ref: a }], "invalid_request"],
    [["update"], "invalid_request"],
  ];
  for (const [operations, code] of refusals) {
    const { body } = await user.edit([first, insertDay, ...operations]);
    const index = 1 + operations.length;
    const problem = body as { readonly code: string; readonly message: string };
    expect([operations, problem.code]).toEqual([operations, code]);
    expect(problem.message).toContain(`operations[${index}]: `);
  }
  for (const operations of [undefined, [], {}, "x"]) {
    expect((await user.edit(operations)).status).toBe(400);
  }
  expect((await user.edit([first], "nothing")).status).toBe(404);
  expect(await user.ask("GET", "/api/v1/nodes-export")).toMatchObject({ body: before.body });
});

test("[N65] an item that can't be made is named by its place among the others", async ({
  service,
}) => {
  const user = await userOf(service, "place");
  const deep = Array.from({ length: 30 }).reduce<object>((below) => ({ n: "x", c: [below] }), {});
  for (const [items, place] of [
    [[{ n: "a" }, { n: "b", c: [{ n: "c" }, { x: 1 }] }], "items[1].c[1]: n: "],
    [[{ n: "a" }, "text"], "items[1]: "],
    [[{ n: "a" }, { n: "x".repeat(1_048_577) }], "items[1]: "],
    [[deep], `…${Array.from({ length: 20 }, () => "c[0]").join(".")}: n: `],
  ] as const) {
    const operations = [{ op: "insert", under: "None", items }];
    const { body } = await user.ask("POST", "/api/llm/doc/edit", { operations });
    const { message } = body as { readonly message: string };
    expect(message.slice(0, message.indexOf(place) + place.length)).toBe(`operations[0]: ${place}`);
  }
});

test("[N65] what was moved out of a node before it is deleted stays, in one edit", async ({
  service,
}) => {
  const user = await userOf(service, "stays");
  const [a = "", b = ""] = await user.insert([
    { n: "a", c: [{ n: "kept" }, { n: "lost" }] },
    { n: "b" },
  ]);
  const [kept = ""] = Object.keys(((await user.children(a)) as Doc[])[0] ?? {});
  const { status } = await user.edit([
    { op: "move", ref: kept, under: b },
    { op: "delete", ref: a },
    { op: "update", ref: kept, to: { n: "kept on" } },
  ]);
  expect([status, await user.sketch("None")]).toEqual([200, "b(kept on)"]);
});

test("[N65] a day that is deleted and needed again in one edit comes back empty", async ({
  service,
}) => {
  const user = await userOf(service, "day-again");
  await user.insert([{ n: "old" }], { under: "2027-03-01" });
  const { status } = await user.edit([
    { op: "delete", ref: "2027-03-01" },
    { op: "insert", under: "2027-03-01", items: [{ n: "new" }] },
    { op: "update", ref: "2027-03-01", to: { d: "again" } },
  ]);
  expect([status, await user.sketch("2027-03-01")]).toEqual([200, "new"]);
  expect((await user.read("2027-03-01"))["d"]).toBe("again");
});

test("[N66] a name is one node, however many lines it has, and known words are layouts", async ({
  service,
}) => {
  const user = await userOf(service, "texts");
  const items = [
    { n: "one<br>two\n\nthree", l: "p" },
    { n: "a &lt; b<br>  if (x) { y }", l: "code" },
    { n: "lines <b> &amp; <x>", l: "quote" },
    { n: "- [x] task", x: 0 },
    { n: "plain", l: "bullet", d: "" },
  ];
  await user.insert(items);
  const children = (await user.children("None")) as Doc[];
  expect(
    children.map((child) => [Object.values(child)[0], child["l"], child["x"], child["d"]]),
  ).toEqual([
    ["one two three", "p", undefined, undefined],
    ["a &lt; b\n  if (x) { y }", "code", undefined, undefined],
    ["lines <b> &amp; &lt;x&gt;</b>", "quote", undefined, undefined],
    ["task", "todo", undefined, undefined],
    ["plain", undefined, undefined, undefined],
  ]);
});

test("[N67] an edit has at most 1,000 operations and 10,000 nodes, in any depth", async ({
  service,
}) => {
  const user = await userOf(service, "many");
  const [a = ""] = await user.insert([{ n: "a" }]);
  const update = { op: "update", ref: a, to: { x: 1 } };
  expect((await user.edit(Array.from({ length: 1_001 }, () => update))).status).toBe(400);
  expect((await user.edit(Array.from({ length: 1_000 }, () => update))).status).toBe(200);
  const items = Array.from({ length: 10_001 }, (_, index) => ({ n: `${index}`, l: "todo", x: 0 }));
  const insert = (some: unknown) => user.edit([{ op: "insert", under: a, items: some }]);
  expect((await insert(items)).status).toBe(413);
  expect(await user.children(a)).toBe(undefined);
  const { status, body } = await insert(items.slice(1));
  const { results } = body as { results: { ids: string[] }[] };
  expect([status, results[0]?.ids.length]).toEqual([200, 10_000]);
  let deep: unknown = { n: "deepest" };
  for (let level = 0; level < 1_500; level++) deep = { n: "deep", c: [deep] };
  const [top = ""] = await user.insert([deep]);
  expect(JSON.stringify(await user.read(top, 2_000))).toContain("deepest");
  const days = Array.from({ length: 50 }, (_, index) => {
    return { op: "insert", under: `${2030 + index}`, items: [{ n: "x" }] };
  });
  expect((await user.edit(days)).status).toBe(400);
});

test("[N68] keys reach with these routes what they reach elsewhere, and Token is another word for Bearer", async ({
  service,
}) => {
  const user = await userOf(service, "keys-of-docs");
  const [part = "", outside = ""] = await user.insert([
    { n: "part", c: [{ n: "in" }] },
    { n: "outside" },
  ]);
  const [inside = ""] = Object.keys(((await user.children(part)) as Doc[])[0] ?? {});
  const keyWith = async (fields: object): Promise<string> =>
    ((await user.ask("POST", "/api/v1/keys", { name: "k", ...fields })).body as { key: string })
      .key;
  const limited = await keyWith({ root_id: part });
  const reader = await keyWith({ scope: "read" });
  expect(sketchOf(await user.read("None", 9, limited))).toBe("in");
  expect((await user.read(inside, 0, limited))["ancestors"]).toEqual([
    { None: "Home" },
    { [part]: "part" },
  ]);
  expect((await user.read(part, 0, limited))["ancestors"]).toEqual([{ None: "Home" }]);
  for (const reference of [outside, "today", "inbox"]) {
    const read = await user.ask("GET", `/api/llm/doc/read/${reference}`, undefined, limited);
    const edit = await user.edit(
      [{ op: "insert", under: reference, items: [{ n: "x" }] }],
      "None",
      limited,
    );
    expect([reference, read.status, edit.status]).toEqual([reference, 404, 404]);
  }
  for (const operation of [
    { op: "move", ref: inside, under: outside },
    { op: "delete", ref: outside },
    { op: "insert", after: part, items: [{ n: "beside" }] },
  ]) {
    expect([operation, (await user.edit([operation], "None", limited)).status]).toEqual([
      operation,
      404,
    ]);
  }
  expect((await user.edit([{ op: "delete", ref: inside }], "None", reader)).status).toBe(403);
  expect((await user.ask("GET", "/api/llm/doc/read/None", undefined, "ok_wrong")).status).toBe(401);
  const headers = { authorization: `Token ${user.key}` };
  const byToken = await fetch(`${service.url}/api/llm/doc/read/None/`, { headers });
  expect(byToken.status).toBe(200);
  await byToken.text();
});

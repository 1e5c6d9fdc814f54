import { expect, onTestFinished } from "vitest";
import { isUserId } from "../../src/accounts/account-store.ts";
import { type NodeKey, nodeIdOf, ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { parseQuery } from "../../src/core/search/parse-query.ts";
import { SearchIndex } from "../../src/core/search/search-index.ts";
import { searchOutline } from "../../src/core/search/search-outline.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import { type ServiceAnswer, startService, type TestService } from "../support/service.ts";
import { slowClock } from "../support/slow-clock.ts";
import { test } from "./http-test.ts";
import { WatchedReads } from "./watched-reads.ts";

interface MatchJson {
  readonly node: { readonly id: string; readonly name: string; readonly modifiedAt: number };
  readonly path?: readonly { readonly id: string; readonly name: string }[];
  readonly spans?: { readonly name: readonly [number, number][]; readonly note: unknown };
}

interface Page {
  readonly matches: readonly MatchJson[];
  readonly cursor: string | null;
  readonly count?: number | null;
}

type Fields = Readonly<Record<string, string | number>>;

function pathOf(fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  return `/api/v1/search?${new URLSearchParams(pairs).toString()}`;
}

/** A user of its own, whose outline nobody else searches. */
async function userOf(service: TestService, name: string) {
  const { key, user } = await service.newUser(name);
  const ask = (fields: Fields, as = key): Promise<ServiceAnswer> =>
    service.request("GET", pathOf(fields), undefined, { key: as });
  return {
    key,
    ask,
    async create(text: string, parent?: string, note?: string): Promise<string> {
      const body = { name: text, parent_id: parent ?? null, position: "bottom", note };
      const made = await service.request("POST", "/api/v1/nodes", body, { key });
      return (made.body as { item_id: string }).item_id;
    },
    async page(fields: Fields, as = key): Promise<Page> {
      const { status, body } = await ask(fields, as);
      expect([fields, status]).toEqual([fields, 200]);
      return body as Page;
    },
    async names(fields: Fields, as = key): Promise<readonly string[]> {
      return (await this.page(fields, as)).matches.map(({ node }) => node.name);
    },
    /** The outcome of a search: its status and code. */
    async outcome(fields: Fields, as = key): Promise<string> {
      const { status, body } = await ask(fields, as);
      return `${status} ${(body as { code?: string }).code ?? ""}`.trim();
    },
    async outline<T>(look: (outline: Outline) => T): Promise<T> {
      const known = isUserId(user) ? await service.accounts.user(user) : undefined;
      if (known === undefined) throw new Error(`no user ${user}`);
      return service.documents.use(known.outline, (document) => document.write(look));
    },
  };
}

const WORDS = [
  "milk",
  "Bread",
  "Zürich",
  "#home",
  "#home/garden",
  "@ann",
  "two",
  "twofold",
  "ΟΔΟΣ",
];
const TERMS = [
  ...WORDS,
  "zurich",
  '"milk bread"',
  "-two",
  "OR",
  "is:todo",
  "is:complete",
  "-is:complete",
  "has:note",
  "in:note",
  "changed:1d",
  "created:2001",
  "due:today",
  "has:link",
  ">",
  "t",
  '"',
  "-",
];

/** Some hundred nodes at random places, with notes, layouts and completions. */
function plant(outline: Outline, count: number): void {
  const random = seededRandom(3);
  const text = () => Array.from({ length: 4 }, () => oneOf(random, WORDS)).join(" ");
  const keys = [ROOT];
  for (let made = 0; made < count; made++) {
    const key = outline.createPlain({
      parent: oneOf(random, keys),
      position: "bottom",
      name: [{ insert: text() }],
      ...(random() < 0.3 && { note: [{ insert: text() }] }),
      ...(random() < 0.3 && { layout: "todo" }),
    });
    keys.push(key);
    if (random() < 0.2) outline.update(key, { completed: true });
  }
}

test("[U1] a search by the API finds what the app finds", async ({ service }) => {
  const user = await userOf(service, "as-app");
  await user.outline((outline) => plant(outline, 150));
  const random = seededRandom(5);
  const queries = ["", ...TERMS];
  for (let more = 0; more < 150; more++) {
    const terms = Array.from({ length: 1 + integerBelow(random, 4) }, () => oneOf(random, TERMS));
    queries.push(terms.join(" "));
  }
  const counts = new Set<number>();
  for (const q of queries) {
    const wanted = await user.outline((outline) => {
      const context = { nowMs: outline.now(), timezone: outline.settings().timezone };
      const { matches } = searchOutline(outline, parseQuery(q, context), ROOT);
      return matches.map(({ key }) => key);
    });
    const { matches, cursor } = await user.page({ q, limit: 500 });
    expect([q, cursor, matches.map(({ node }) => node.id.slice(-12))]).toEqual([
      q,
      null,
      await user.outline((outline) => wanted.map((key) => idEndOf(outline, key))),
    ]);
    counts.add(matches.length);
  }
  expect(counts.size).toBeGreaterThan(20);
});

test("[U2] all pages together are the one long page", async ({ service }) => {
  const user = await userOf(service, "pages");
  await user.outline((outline) => plant(outline, 50));
  for (const sort of ["document", "modified"]) {
    for (const q of ["milk", "", "#home -two", "nothing"]) {
      const whole = await user.page({ q, sort, limit: 500 });
      for (const limit of [1, 7, 40]) {
        const pages: MatchJson[] = [];
        let cursor: string | null | undefined;
        for (let asked = 0; asked < 150 && cursor !== null; asked++) {
          const page = await user.page({ q, sort, limit, ...(cursor && { cursor }) });
          expect(page.matches.length).toBeLessThanOrEqual(limit);
          pages.push(...page.matches);
          cursor = page.cursor;
        }
        expect(pages).toEqual(whole.matches);
      }
    }
  }
});

test("[U1, U4] root means the node and what is below it, and a limited key has a top of its own", async ({
  service,
}) => {
  const user = await userOf(service, "rooted");
  const outside = await user.create("a outside");
  const above = await user.create("a above");
  const root = await user.create("a root", above);
  const inside = await user.create("a inside", root);
  await user.create("a deep", inside);
  await user.create("a behind");
  expect(await user.names({ q: "a", root })).toEqual(["a root", "a inside", "a deep"]);
  expect(await user.names({ q: "a", root, limit: 2 })).toEqual(["a root", "a inside"]);
  expect(await user.outcome({ q: "a", root: "nowhere" })).toBe("404 not_found");
  const made = await service.request(
    "POST",
    "/api/v1/keys",
    { name: "limited", root_id: root },
    { key: user.key },
  );
  const { key } = made.body as { key: string };
  expect(await user.names({ q: "a" }, key)).toEqual(["a root", "a inside", "a deep"]);
  expect(await user.outcome({ q: "a", root: outside }, key)).toBe("404 not_found");
  expect(await user.outcome({ q: "a", root: above }, key)).toBe("404 not_found");
  const pathsFor = async (q: string, as?: string) =>
    (await user.page({ q, include: "path" }, as)).matches[0]?.path?.map(({ name }) => name);
  expect(await pathsFor("deep")).toEqual(["a above", "a root", "a inside"]);
  expect(await pathsFor("deep", key)).toEqual(["a inside"]);
  expect(await pathsFor("root")).toEqual(["a above"]);
  expect(await pathsFor("root", key)).toEqual([]);
  const { cursor } = await user.page({ q: "a", limit: 1 });
  expect(await user.outcome({ q: "a", cursor: cursor ?? "" }, key)).toBe("400 invalid_cursor");
});

test("[U2] a page goes on where its last node was deleted, and not where nobody knows any more", async ({
  service,
}) => {
  const user = await userOf(service, "deleted");
  const parent = await user.create("x parent");
  const first = await user.create("x first", parent);
  const second = await user.create("x second", parent);
  await user.create("x below", second);
  await user.create("x third", parent);
  await user.create("x last");
  const remove = (id: string) =>
    service.request("DELETE", `/api/v1/nodes/${id}`, undefined, { key: user.key });
  const behindSecond = (await user.page({ q: "x", limit: 3 })).cursor ?? "";
  const behindBelow = (await user.page({ q: "x", limit: 4 })).cursor ?? "";
  await remove(second);
  expect(await user.names({ q: "x", cursor: behindSecond })).toEqual(["x third", "x last"]);
  expect(await user.names({ q: "x", cursor: behindBelow })).toEqual(["x third", "x last"]);
  const rooted = await user.page({ q: "x", root: parent, limit: 2 });
  const below = (await user.page({ q: "x", limit: 2 })).cursor ?? "";
  await service.request(
    "POST",
    `/api/v1/nodes/${first}/move`,
    { parent_id: null, position: "top" },
    { key: user.key },
  );
  expect(await user.names({ q: "x", cursor: below })).toEqual(["x parent", "x third", "x last"]);
  expect(await user.outcome({ q: "x", root: parent, cursor: rooted.cursor ?? "" })).toBe(
    "410 cursor_expired",
  );
  await user.outline((outline) => {
    outline.remove(outline.childKeys(ROOT)[1] ?? ROOT);
  });
  expect(await user.names({ q: "x", cursor: behindSecond })).toEqual(["x last"]);
});

test("[U3] the latest come first", async ({ service }) => {
  const user = await userOf(service, "latest");
  await user.outline((outline) => plant(outline, 1200));
  const all = await user.page({ q: "", sort: "modified", limit: 5, include: "count" });
  expect(all.count).toBe(1200);
  let found = 0;
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await user.page({
      q: "",
      sort: "modified",
      limit: 500,
      ...(cursor && { cursor }),
    });
    found += page.matches.length;
    cursor = page.cursor;
  }
  expect(found).toBe(1000);
});

test("[U3] what was changed since comes before what was not", async ({ service }) => {
  const user = await userOf(service, "changed");
  await user.outline((outline) => {
    for (const [name, seconds] of [
      ["b", 1_700_000_002],
      ["c", 1_700_000_001],
      ["a", 1_700_000_003],
    ] as const) {
      const times = { createdAt: seconds, modifiedAt: seconds };
      outline.createPlain({ parent: ROOT, position: "bottom", name: [{ insert: name }], ...times });
    }
  });
  expect(await user.names({ q: "", sort: "modified" })).toEqual(["a", "b", "c"]);
  expect(await user.names({ q: "" })).toEqual(["b", "c", "a"]);
});

test("[U4] a path has names as plain text and not too long, and of deep ones the nearest", async ({
  service,
}) => {
  const user = await userOf(service, "paths");
  const top = await user.create(`**bold** ${"𝒳".repeat(300)}`);
  await user.create("here", top);
  const { matches } = await user.page({ q: "here", include: "path,count" });
  expect(matches[0]?.path).toEqual([{ id: top, name: `bold ${"𝒳".repeat(195)}` }]);
  await user.outline((outline) => {
    let parent = ROOT;
    for (let depth = 0; depth < 120; depth++) {
      const name = [{ insert: `level ${depth}` }];
      parent = outline.createPlain({ parent, position: "bottom", name });
    }
  });
  const deep = await user.page({ q: '"level 119"', include: "path" });
  expect(deep.matches[0]?.path).toHaveLength(100);
  expect(deep.matches[0]?.path?.[99]?.name).toBe("level 118");
});

test("[U4, Q40] the names above are read one at a time", async () => {
  const service = await startService({ elapsed: slowClock(1) });
  onTestFinished(() => service.close());
  const user = await userOf(service, "long-paths");
  await user.outline((outline) => {
    let parent = ROOT;
    for (let depth = 0; depth < 60; depth++) {
      const name = [{ insert: depth === 59 ? "here" : `level ${depth}` }];
      parent = outline.createPlain({ parent, position: "bottom", name });
    }
  });
  const watch = new WatchedReads(service);
  const readsOf = async (fields: Fields): Promise<number> => {
    const before = watch.reads;
    await user.page({ q: "here", ...fields });
    return watch.reads - before;
  };
  await readsOf({});
  const without = await readsOf({});
  expect(await readsOf({ include: "path" })).toBeGreaterThan(without + 15);
});

test("[U5] ranges say where the words stand in the plain text", async ({ service }) => {
  const user = await userOf(service, "spans");
  await user.create("a **milk** shake, MILK", undefined, "no milk #home");
  const spansFor = async (q: string) =>
    (await user.page({ q, include: "spans" })).matches[0]?.spans;
  expect(await spansFor("milk -tea")).toEqual({
    name: [
      [2, 6],
      [14, 18],
    ],
    note: [[3, 7]],
  });
  expect(await spansFor("in:note milk")).toEqual({ name: [], note: [[3, 7]] });
  expect(await spansFor("#home OR tea")).toEqual({ name: [], note: [[8, 13]] });
});

test("[U6, U7] what can't be answered is refused", async ({ service }) => {
  const user = await userOf(service, "refused");
  await user.create("x one");
  await user.create("x two");
  expect(await user.outcome({})).toBe("400 invalid_request");
  expect(await user.outcome({ q: "a".repeat(1000) })).toBe("200");
  expect(await user.outcome({ q: "a".repeat(1001) })).toBe("400 invalid_query");
  expect(await user.outcome({ q: "a ".repeat(50) })).toBe("200");
  expect(await user.outcome({ q: "a ".repeat(51) })).toBe("400 invalid_query");
  expect(await user.outcome({ q: "a", limit: 501 })).toBe("200");
  for (const wrong of [
    { limit: 0 },
    { limit: -1 },
    { limit: "1.5" },
    { sort: "x" },
    { include: "x" },
  ]) {
    expect([wrong, await user.outcome({ q: "a", ...wrong })]).toEqual([
      wrong,
      "400 invalid_request",
    ]);
  }
  const { cursor } = await user.page({ q: "x", limit: 1 });
  expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
  expect(await user.outcome({ q: "x", cursor: cursor ?? "" })).toBe("200");
  for (const [q, wrong] of [
    ["x t", cursor],
    ["x", "x"],
    ["x", ""],
    ["x", "a".repeat(201)],
    ["x", Buffer.from("[1]").toString("base64url")],
    ["x", Buffer.from("{}").toString("base64url")],
  ] as const) {
    expect([q, wrong, await user.outcome({ q, cursor: wrong ?? "" })]).toEqual([
      q,
      wrong,
      "400 invalid_cursor",
    ]);
  }
  expect(await user.outcome({ q: "x", sort: "modified", cursor: cursor ?? "" })).toBe(
    "400 invalid_cursor",
  );
});

test("[U8] only texts that have changed are folded again", async ({ service }) => {
  const user = await userOf(service, "kept");
  const first = await user.create("one x");
  await user.create("two x");
  expect(await user.names({ q: "x" })).toEqual(["one x", "two x"]);
  const kept = () =>
    user.outline((outline) =>
      outline.childKeys(ROOT).map((key) => {
        const row = outline.tree.rowAt(key);
        return row === undefined ? undefined : SearchIndex.of(outline).nodeOf(row).length;
      }),
    );
  expect(await kept()).toEqual([5, 5]);
  await service.request("POST", `/api/v1/nodes/${first}`, { name: "one y" }, { key: user.key });
  expect(await kept()).toEqual([undefined, 5]);
  expect(await user.names({ q: "x" })).toEqual(["two x"]);
  expect(await user.names({ q: "y" })).toEqual(["one y"]);
});

function idEndOf(outline: Outline, key: string): string {
  return nodeIdOf(outline.id, key as NodeKey).slice(-12);
}

test("[U10, L130] include=warnings tells which operators a query does not have, and nothing else does", async ({
  service,
}) => {
  const user = await userOf(service, "warned");
  await user.create("due:thursday");
  const warned = (await user.ask({ q: "due:thursday", include: "warnings,count" })).body;
  expect(warned).toMatchObject({
    matches: [{ node: { name: "due:thursday" } }],
    count: 1,
    warnings: [{ term: "due:thursday", message: expect.stringMatching(/due: takes today/) }],
  });
  expect((await user.ask({ q: "due:today", include: "warnings" })).body).toEqual({
    matches: [],
    cursor: null,
    warnings: [],
  });
  expect(Object.keys((await user.ask({ q: "due:x" })).body as object)).toEqual([
    "matches",
    "cursor",
  ]);
});

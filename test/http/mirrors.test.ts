import { expect } from "vitest";
import type { ServiceAnswer, TestService } from "../support/service.ts";
import { test } from "./http-test.ts";
import { connected } from "./mcp-client.ts";

type Node = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly data: { readonly mirror?: unknown };
};

/** A user of its own, with what programs do with mirrors. */
async function userOf(service: TestService, name: string) {
  const { key } = await service.newUser(name);
  const ask = (method: string, path: string, body?: unknown, as = key): Promise<ServiceAnswer> =>
    service.request(method, path.startsWith("/api") ? path : `/api/v1${path}`, body, { key: as });
  const create = async (text: string, parent_id: string | null = null): Promise<string> => {
    const made = await ask("POST", "/nodes", { name: text, parent_id, position: "bottom" });
    return (made.body as { item_id: string }).item_id;
  };
  return {
    ask,
    create,
    mirror: async (id: string, parent_id: string): Promise<string> => {
      const { body, status } = await ask("POST", `/nodes/${id}/mirror`, { parent_id });
      expect([status, body]).toMatchObject([200, { item_id: expect.any(String) }]);
      return (body as { item_id: string }).item_id;
    },
    node: async (id: string, as = key): Promise<Node> => {
      const { body } = await ask("GET", `/nodes/${id}`, undefined, as);
      return (body as { node: Node }).node;
    },
    list: async (id: string, as = key): Promise<readonly Node[]> => {
      const { body } = await ask("GET", `/nodes?parent_id=${id}`, undefined, as);
      return (body as { nodes: Node[] }).nodes;
    },
    outcome: async (method: string, path: string, body?: unknown, as = key): Promise<string> => {
      const { status, body: answer } = await ask(method, path, body, as);
      return status === 200 ? "200" : `${status} ${(answer as { code: string }).code}`;
    },
  };
}

const tagOf = (id: string): string => id.slice(-12);

test("[N70, N71] a mirror is made in a node, of the true origin, and answered with what that holds", async ({
  service,
}) => {
  const { ask, create, mirror, node, list } = await userOf(service, "mirrors");
  const [origin, other] = [await create("line"), await create("other")];
  const child = await create("child", origin);
  const made = await mirror(origin, other);
  const again = await ask("POST", `/nodes/${tagOf(made)}/mirror`, {
    parent_id: other,
    position: "bottom",
  });
  expect(again.body).toEqual({ item_id: expect.any(String), origin_id: origin });
  const second = (again.body as { item_id: string }).item_id;
  await ask("POST", `/nodes/${made}`, { name: "renamed", note: "said", layoutMode: "todo" });
  await ask("POST", `/nodes/${second}/complete`);
  const of = await node(origin);
  expect(of).toMatchObject({ name: "renamed", note: "said", completed: true });
  expect(of.data.mirror).toEqual({ mirror_ids: [made, second].toSorted(byTag) });
  expect(await node(made)).toEqual({
    ...of,
    id: made,
    parent_id: other,
    priority: 100,
    createdAt: expect.any(Number),
    data: { layoutMode: "todo", mirror: { origin_id: origin } },
  });
  expect((await list(other)).map(({ id }) => id)).toEqual([made, second]);
  expect(await list(made)).toEqual(await list(origin));
  const inside = await create("inside", made);
  expect((await list(origin)).map(({ id, parent_id }) => [id, parent_id])).toEqual([
    [child, origin],
    [inside, origin],
  ]);
  expect((await node(other)).data).toEqual({ layoutMode: "bullets" });
});

function byTag(one: string, other: string): number {
  return tagOf(one) < tagOf(other) ? -1 : 1;
}

test("[N70] where no mirror can be, none is made", async ({ service }) => {
  const { create, mirror, outcome } = await userOf(service, "refused");
  const [origin, other] = [await create("line"), await create("other")];
  const child = await create("child", origin);
  const made = await mirror(origin, other);
  const path = `/nodes/${origin}/mirror`;
  for (const parent_id of [origin, child, made]) {
    expect(await outcome("POST", path, { parent_id })).toBe("400 invalid_parent");
  }
  for (const parent_id of ["None", "today", "inbox", "2026-01-02", "ffffffffffff"]) {
    expect(await outcome("POST", path, { parent_id })).toBe("404 not_found");
  }
  expect(await outcome("POST", path, {})).toBe("400 invalid_request");
  expect(await outcome("POST", "/nodes/None/mirror", { parent_id: other })).toBe("404 not_found");
});

test("[N72] a mirror is removed alone, and nothing else is", async ({ service }) => {
  const { create, mirror, node, outcome } = await userOf(service, "removed");
  const [origin, other] = [await create("line"), await create("other")];
  const [one, two] = [await mirror(origin, other), await mirror(origin, other)];
  expect(await outcome("DELETE", `/nodes/${origin}/mirror`)).toBe("400 invalid_request");
  expect(await outcome("DELETE", `/nodes/${one}/mirror`)).toBe("200");
  expect(await outcome("GET", `/nodes/${one}`)).toBe("404 not_found");
  expect(await outcome("DELETE", `/nodes/${two}`)).toBe("200");
  expect((await node(origin)).data).toEqual({ layoutMode: "bullets" });
  const third = await mirror(origin, other);
  expect(await outcome("DELETE", `/nodes/${origin}`)).toBe("200");
  expect(await outcome("GET", `/nodes/${third}`)).toBe("404 not_found");
});

test("[N73] an export and a search have what a mirror shows once", async ({ service }) => {
  const { ask, create, mirror } = await userOf(service, "once");
  const [origin, other] = [await create("unusual"), await create("other")];
  const child = await create("child", origin);
  const made = await mirror(origin, other);
  const all = (await ask("GET", "/nodes-export")).body as { nodes: Node[] };
  expect(all.nodes.map(({ id }) => id)).toEqual([origin, child, other, made]);
  const found = (await ask("GET", "/search?q=unusual")).body as { matches: { node: Node }[] };
  expect(found.matches.map((match) => match.node.id)).toEqual([origin]);
});

test("[N74] what is read in levels shows an origin's children in place, and none in itself", async ({
  service,
}) => {
  const { ask, create, mirror } = await userOf(service, "levels");
  const [origin, other] = [await create("line"), await create("other")];
  const [child, friend] = [await create("child", origin), await create("friend", other)];
  const made = await mirror(origin, other);
  const back = await mirror(other, child);
  const doc = (await ask("GET", `/api/llm/doc/read/${other}/?depth=9`)).body as Node;
  expect(doc["c"]).toEqual([
    {
      [tagOf(made)]: "line",
      m: tagOf(origin),
      c: [{ [tagOf(child)]: "child", c: [{ [tagOf(back)]: "other", m: tagOf(other), "+": 1 }] }],
    },
    { [tagOf(friend)]: "friend" },
  ]);
  const tree = (await ask("GET", `/nodes/${made}/tree?depth=all&fields=name`)).body as Node;
  expect(tree["children"]).toEqual([
    {
      id: child,
      name: "child",
      children: [
        {
          id: back,
          name: "other",
          children: [
            { id: made, name: "line", truncated: 1, children: [] },
            { id: friend, name: "friend", children: [] },
          ],
        },
      ],
    },
  ]);
  const edited = await ask("POST", "/api/llm/doc/edit", {
    root: made,
    operations: [
      { op: "update", ref: tagOf(made), to: { n: "by its tag" } },
      { op: "insert", under: tagOf(made), items: [{ n: "below" }] },
    ],
  });
  expect(edited.status).toBe(200);
  const read = (await ask("GET", `/api/llm/doc/read/${origin}/?depth=1`)).body as Node;
  expect(read).toMatchObject({ [tagOf(origin)]: "by its tag" });
  expect((read["c"] as Node[]).map((node) => Object.values(node)[0])).toEqual(["below", "child"]);
});

test("[N74, Q91] mirrors of what has mirrors make no answer endless", async ({ service }) => {
  const { ask, create, mirror } = await userOf(service, "doubled");
  let below = await create("last");
  for (let level = 0; level < 20; level++) {
    const above = await create(`level ${level}`);
    for (let twice = 0; twice < 2; twice++) await mirror(below, above);
    below = above;
  }
  const { body } = await ask("GET", `/nodes/${below}/tree?depth=all&fields=name`);
  const count = JSON.stringify(body).split('"name"').length;
  expect(count).toBeGreaterThan(10_000);
  expect(count).toBeLessThan(10_100);
}, 60_000);

test("[N74, Q91] what has too many children for one answer shows none of them below a mirror", async ({
  service,
}) => {
  const { ask, create, list, mirror } = await userOf(service, "many");
  const [origin, other] = [await create("line"), await create("other")];
  const children = Array.from({ length: 3_500 }, (_, index) => ({ name: `${index}` }));
  const added = { op: "create", parent_id: origin, name: "child", children };
  expect((await ask("POST", "/batch", { operations: [added] })).status).toBe(200);
  const [child] = await list(origin);
  for (let times = 0; times < 3; times++) await mirror(child?.id ?? "", other);
  const tree = (await ask("GET", `/nodes/${other}/tree?depth=all&fields=name`)).body as {
    readonly children: readonly { readonly children: readonly unknown[]; truncated?: number }[];
  };
  expect(tree.children.map((each) => [each.children.length, each.truncated])).toEqual([
    [3_500, undefined],
    [3_500, undefined],
    [0, 3_500],
  ]);
}, 60_000);

test("[U50, U53] a batch makes mirrors, works through them and takes them away", async ({
  service,
}) => {
  const { ask, create, list, mirror, node } = await userOf(service, "batched");
  const [origin, other] = [await create("line"), await create("other")];
  const child = await create("child", origin);
  const old = await mirror(origin, other);
  const operations = [
    { op: "create", parent_id: other, name: "made", as: "$made" },
    { op: "mirror", id: "$made", parent_id: origin, as: "$first" },
    { op: "mirror", id: "$first", position: { after: child } },
    { op: "create", parent_id: "$first", name: "inside" },
    { op: "update", id: "$first", name: "renamed" },
    { op: "mirror", id: old, parent_id: "$made", position: "bottom", as: "$second" },
    { op: "move", id: "$second", parent_id: "$first", position: "top" },
    { op: "remove_mirror", id: old },
  ];
  const dry = await ask("POST", "/batch", { operations, dry_run: true });
  expect(dry.body).toMatchObject({
    results: [
      { id: null },
      { id: null, origin_id: null },
      {},
      {},
      {},
      { origin_id: origin },
      {},
      {},
    ],
    handles: { $made: null, $first: null, $second: null },
  });
  const { status, body } = await ask("POST", "/batch", { operations });
  const { results, handles } = body as {
    readonly results: readonly { readonly id: string; readonly origin_id?: string }[];
    readonly handles: Readonly<Record<string, string>>;
  };
  const made = handles["$made"] ?? "";
  expect([status, results[1]]).toEqual([
    200,
    { op: "mirror", id: handles["$first"], origin_id: made },
  ]);
  expect(results[2]).toMatchObject({ op: "mirror", origin_id: made });
  expect(results[5]).toMatchObject({ op: "mirror", id: handles["$second"], origin_id: origin });
  expect((await list(origin)).map(({ id, name }) => [id, name])).toEqual([
    [handles["$first"], "renamed"],
    [child, "child"],
    [results[2]?.id, "renamed"],
  ]);
  expect((await list(made)).map((each) => each["name"])).toEqual(["line", "inside"]);
  expect((await node(origin)).data.mirror).toEqual({ mirror_ids: [handles["$second"]] });
});

test("[U51, N70, N72] a batch refuses mirrors as their routes do, and then does nothing", async ({
  service,
}) => {
  const { ask, create, list, mirror, outcome } = await userOf(service, "batch-refused");
  const [origin, other] = [await create("line"), await create("other")];
  const child = await create("child", origin);
  const old = await mirror(origin, other);
  const first = { op: "create", parent_id: other, name: "made", as: "$made" };
  const refused: [string, ...object[]][] = [
    ["400 invalid_parent", { op: "mirror", id: origin, parent_id: child }],
    ["400 invalid_parent", { op: "mirror", id: origin, parent_id: old }],
    [
      "400 invalid_parent",
      { op: "move", id: "$made", parent_id: child },
      { op: "mirror", id: origin, parent_id: "$made" },
    ],
    ["404 not_found", { op: "mirror", id: origin, parent_id: "None" }],
    ["404 not_found", { op: "mirror", id: origin, parent_id: "2031-01-02" }],
    ["404 not_found", { op: "mirror", id: "None", parent_id: other }],
    ["400 invalid_request", { op: "mirror", id: origin }],
    ["400 invalid_request", { op: "remove_mirror", id: origin }],
    ["400 invalid_request", { op: "remove_mirror", id: "$made" }],
    // What is a mirror of what an operation before has deleted is there no more.
    ["404 not_found", { op: "delete", id: origin }, { op: "update", id: old, name: "late" }],
    [
      "404 not_found",
      { op: "mirror", id: origin, parent_id: other, as: "$new" },
      { op: "delete", id: origin },
      { op: "move", id: "$new", parent_id: "inbox" },
    ],
  ];
  for (const [wanted, ...operations] of refused) {
    const body = { operations: [first, ...operations] };
    expect([operations, await outcome("POST", "/batch", body)]).toEqual([operations, wanted]);
    const { operation } = (await ask("POST", "/batch", body)).body as { operation: number };
    expect(operation).toBe(operations.length);
  }
  expect((await list(other)).map(({ id }) => id)).toEqual([old]);
});

test("[N76, N51] links to a mirror follow the name that it has", async ({ service }) => {
  const { ask, create, mirror, node } = await userOf(service, "linked");
  const [origin, other] = [await create("line"), await create("other")];
  const made = await mirror(origin, other);
  const source = await create(`see <a href="#/${tagOf(made)}">line</a>`);
  for (const id of [origin, made]) {
    await ask("POST", `/nodes/${id}`, { name: `new ${tagOf(id)}` });
    expect((await node(source))["name"]).toBe(
      `see <a href="#/${tagOf(made)}">new ${tagOf(id)}</a>`,
    );
  }
});

test("[N75] a limited key sees that a mirror is there, and nothing through it", async ({
  service,
}) => {
  const { ask, create, mirror, node, list, outcome } = await userOf(service, "limited");
  const [root, secret] = [await create("root"), await create("secret words")];
  const inner = await create("inner", root);
  await create("below secret", secret);
  await ask("POST", `/nodes/${secret}`, { note: "secret note" });
  const made = await mirror(secret, inner);
  const away = await mirror(inner, secret);
  const { body } = await ask("POST", "/keys", { name: "limited", root_id: root });
  const { key } = body as { key: string };
  expect(await node(made, key)).toMatchObject({
    name: "",
    note: null,
    data: { layoutMode: "bullets", mirror: { origin_id: null } },
  });
  expect((await node(inner, key)).data).toEqual({ layoutMode: "bullets" });
  expect(await list(inner, key)).toHaveLength(1);
  const reads = [
    "/nodes-export",
    `/nodes/${root}/tree?depth=all`,
    `/api/llm/doc/read/${root}/?depth=9`,
    `/api/llm/doc/read/${made}/?depth=9`,
    "/search?q=-nothing&include=path",
    "/targets",
  ];
  await ask("POST", "/targets", { key: "shown", id: made });
  for (const path of reads) {
    const answer = JSON.stringify((await ask("GET", path, undefined, key)).body);
    expect([path, answer.includes("secret"), answer.includes(away)]).toEqual([path, false, false]);
  }
  const assistant = await connected(service, { key });
  for (const ref of [root, made, "None"]) {
    const { markdown } = await assistant.read({ ref, depth: 9 });
    expect([ref, markdown.includes("secret"), markdown.includes(away)]).toEqual([
      ref,
      false,
      false,
    ]);
  }
  const writes: [string, string, unknown][] = [
    ["POST", `/nodes/${made}`, { name: "changed" }],
    ["POST", `/nodes/${made}/complete`, undefined],
    ["POST", `/nodes/${made}/mirror`, { parent_id: root }],
    ["POST", `/nodes/${inner}/mirror`, { parent_id: made }],
    ["POST", "/nodes", { name: "new", parent_id: made }],
    ["POST", `/nodes/${inner}/move`, { parent_id: made }],
    ["POST", "/batch", { operations: [{ op: "update", id: made, name: "changed" }] }],
    ["POST", "/batch", { operations: [{ op: "complete", id: made }] }],
    ["POST", "/batch", { operations: [{ op: "create", parent_id: made, name: "new" }] }],
  ];
  for (const [method, path, what] of writes) {
    expect([path, await outcome(method, path, what, key)]).toEqual([path, "404 not_found"]);
  }
  const guess = {
    operations: [{ op: "move", id: made, parent_id: root, expect: { name: "secret words" } }],
  };
  expect(await outcome("POST", "/batch", guess, key)).toBe("409 conflict");
  expect((await node(secret))["name"]).toBe("secret words");
  expect(await outcome("POST", `/nodes/${made}/move`, { parent_id: root }, key)).toBe("200");
  expect(await outcome("DELETE", `/nodes/${made}/mirror`, undefined, key)).toBe("200");
  expect(await outcome("GET", `/nodes/${secret}`)).toBe("200");
});

test("[N75, U85] a limited key is not told when what is mirrored outside changes", async ({
  service,
}) => {
  const { ask, create, mirror } = await userOf(service, "not-told");
  const [root, folder] = [await create("root"), await create("folder")];
  const origin = await create("origin", folder);
  const made = await mirror(origin, root);
  const { body } = await ask("POST", "/keys", { name: "limited", root_id: root });
  const { key } = body as { key: string };
  let cursor = "";
  const told = async (as: string): Promise<readonly string[]> => {
    const { body } = await ask("GET", `/changes?fields=ids&since=${cursor}`, undefined, as);
    return (body as { changed: string[] }).changed;
  };
  const change = async (path: string, change: object, as: string): Promise<void> => {
    const { body } = await ask("GET", "/changes", undefined, as);
    ({ cursor } = body as { cursor: string });
    await ask("POST", path, change);
  };
  await change(`/nodes/${origin}`, { name: "renamed" }, key);
  expect(await told(key)).toEqual([]);
  // What it comes to see of the origin, and does not see any more, is a change.
  await change(`/nodes/${folder}/move`, { parent_id: root }, key);
  expect(await told(key)).toContain(made);
  await change(`/nodes/${origin}`, { name: "again" }, key);
  expect(await told(key)).toEqual(expect.arrayContaining([origin, made]));
  await change(`/nodes/${folder}/move`, {}, key);
  expect(await told(key)).toEqual([made]);
});

test("[N75] a key that is limited to a mirror reaches its origin", async ({ service }) => {
  const { ask, create, mirror, list } = await userOf(service, "at-mirror");
  const [origin, other] = [await create("line"), await create("other")];
  const child = await create("child", origin);
  const made = await mirror(origin, other);
  const { body } = await ask("POST", "/keys", { name: "limited", root_id: made });
  const { key } = body as { key: string };
  expect((await list("None", key)).map(({ id }) => id)).toEqual([child]);
});

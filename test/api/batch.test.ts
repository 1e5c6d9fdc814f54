import { describe, expect } from "vitest";
import { runs } from "../support/runs.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";
import type { Answer, Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

interface BatchAnswer {
  readonly results: readonly {
    readonly op: string;
    readonly id: string | null;
    readonly ids?: readonly string[];
  }[];
  readonly handles: Readonly<Record<string, string | null>>;
}

async function batch(api: Api, operations: readonly unknown[], more = {}): Promise<BatchAnswer> {
  return (await api.done("POST", "/batch", { operations, ...more })) as BatchAnswer;
}

function refusal(api: Api, operations: readonly unknown[]): Promise<Answer> {
  return api.request("POST", "/batch", { json: { operations } });
}

describe("batch", () => {
  test("[U50] operations are done in order, and later ones name what earlier ones made", async ({
    api,
  }) => {
    const { results, handles } = await batch(api, [
      {
        op: "create",
        name: "# Trip",
        position: "bottom",
        as: "$trip",
        children: [
          { name: "- [x] pack", children: [{ name: "socks", note: "warm", as: "$socks" }] },
          { name: "book", layoutMode: "todo" },
        ],
      },
      { op: "create", name: "go", position: { after: "$socks" }, as: "$go" },
      { op: "move", id: "$go", parent_id: "$trip", position: "bottom" },
      { op: "complete", id: "$socks" },
      { op: "update", id: "$trip", name: "Journey" },
      { op: "create", parent_id: "inbox", name: "mail" },
    ]);
    const nodes = await api.export();
    expect(sketchOf(nodes)).toBe("Journey(pack(socks) book go) Inbox(mail)");
    const named = (name: string) => nodes.find((node) => node.name === name);
    expect(handles).toEqual({
      $trip: named("Journey")?.id,
      $socks: named("socks")?.id,
      $go: named("go")?.id,
    });
    expect(results[0]).toEqual({
      op: "create",
      id: named("Journey")?.id,
      ids: ["Journey", "pack", "socks", "book"].map((name) => named(name)?.id),
    });
    expect(results.slice(1).map(({ op, id }) => [op, id])).toEqual([
      ["create", named("go")?.id],
      ["move", named("go")?.id],
      ["complete", named("socks")?.id],
      ["update", named("Journey")?.id],
      ["create", named("mail")?.id],
    ]);
    expect([
      named("Journey")?.data.layoutMode,
      named("pack")?.completed,
      named("socks"),
    ]).toMatchObject(["h1", true, { note: "warm", completed: true }]);
  });

  test("[U50] a name of several parts makes children of its own", async ({ api }) => {
    const { results } = await batch(api, [
      { op: "create", name: "a\n\n- [ ] b\n\n- [x] c" },
      { op: "create", name: "d" },
    ]);
    expect(sketchOf(await api.export())).toBe("d a(b c)");
    expect(results[0]?.ids?.length).toBe(3);
    expect(
      await api.outcome("POST", "/batch", {
        operations: [{ op: "create", name: "a\n\nb", children: [{ name: "c" }] }],
      }),
    ).toBe("400 invalid_request");
  });

  test("[U51] a child that can't be made is named by its place among the others", async ({
    api,
  }) => {
    const children = [{ name: "b" }, { name: "c", children: [{ name: "d" }, { note: "no name" }] }];
    const operations = [{ op: "create", name: "a", children }];
    const { body } = await api.request("POST", "/batch", { json: { operations } });
    expect((body as { message: string }).message).toMatch(
      /^operations\[0\]: children\[1\]\.children\[1\]: name: /,
    );
  });

  test("[U51] a refusal says which operation it is, and nothing has changed", async ({
    api,
    clock,
  }) => {
    const id = await plant(api, "a(b(c)) d");
    const before = await api.state();
    clock.advance(5);
    const first = [
      { op: "update", id: id("a"), name: "changed" },
      { op: "create", parent_id: "2031-05-05", name: "x", as: "$x" },
    ];
    for (const [operations, expected] of [
      [[{ op: "delete", id: "nothing" }], "404 not_found"],
      [[{ op: "move", id: id("a"), parent_id: id("c") }], "400 invalid_parent"],
      [[{ op: "move", id: "$x", parent_id: "$x" }], "400 invalid_parent"],
      [
        [
          { op: "delete", id: "$x" },
          { op: "complete", id: "$x" },
        ],
        "404 not_found",
      ],
      [
        [
          { op: "delete", id: id("b") },
          { op: "create", parent_id: id("c"), name: "y" },
        ],
        "404 not_found",
      ],
      [[{ op: "create", parent_id: "$later", name: "y" }], "404 not_found"],
      [[{ op: "create", name: "y", as: "$x" }], "400 invalid_request"],
      [[{ op: "create", name: "y", as: "x" }], "400 invalid_request"],
      [[{ op: "create", name: 7 }], "400 invalid_request"],
      [[{ op: "create", name: "y", children: [{ note: "no name" }] }], "400 invalid_request"],
      [
        [{ op: "create", name: "y", parent_id: id("d"), position: { after: id("b") } }],
        "400 invalid_request",
      ],
      [[{ op: "create", name: "y", position: { before: "nothing" } }], "404 not_found"],
      [[{ op: "update", id: id("d"), base_name: "d" }], "400 invalid_request"],
      [[{ op: "update", id: id("d"), name: "e", expect: { name: "other" } }], "409 conflict"],
      [[{ op: "delete", id: id("d"), expect: { parent_id: id("a") } }], "409 conflict"],
      [[{ op: "move", id: id("d"), expect: { modifiedAt: 1 } }], "409 conflict"],
      [[{ op: "update", id: id("a"), note: "x", expect: { name: "a" } }], "400 invalid_request"],
      [[{ op: "fly" }], "400 invalid_request"],
      [["create"], "400 invalid_request"],
    ] as const) {
      const { status, body } = await refusal(api, [...first, ...operations]);
      const { code, message, operation } = body as {
        code: string;
        message: string;
        operation: number;
      };
      expect([operations, `${status} ${code}`, operation]).toEqual([
        operations,
        expected,
        first.length + operations.length - 1,
      ]);
      expect(message.startsWith(`operations[${operation}]: `)).toBe(true);
    }
    for (const json of [
      {},
      { operations: [] },
      { operations: {} },
      { operations: Array.from({ length: 10_001 }, () => 1) },
    ]) {
      expect(await api.outcome("POST", "/batch", json)).toBe("400 invalid_request");
    }
    expect(await api.state()).toEqual(before);
  });

  test("[U52] an expectation that holds lets the operation be done", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    const b = await api.node(id("b"));
    const expect_ = { modifiedAt: b.modifiedAt, name: "b", note: null, parent_id: id("a") };
    await batch(api, [{ op: "move", id: id("b"), parent_id: id("c"), expect: expect_ }]);
    await batch(api, [{ op: "delete", id: id("a"), expect: { note: "", parent_id: null } }]);
    expect(sketchOf(await api.export())).toBe("c(b)");
  });

  test("[U52, A68] a limited key expects its root at the top level, as it is answered", async ({
    api,
  }) => {
    const id = await plant(api, "outside(a(b))");
    const limited = await api.keyed({ name: "part", root_id: id("a") });
    const { parent_id: answered } = await limited.node(id("a"));
    for (const parent_id of [answered, "None"]) {
      const operations = [{ op: "complete", id: id("a"), expect: { parent_id } }];
      await batch(limited, operations);
    }
    const wrong = { op: "complete", id: id("a"), expect: { parent_id: id("b") } };
    expect((await refusal(limited, [wrong])).status).toBe(409);
  });

  test("[U53] a dry run judges all of it and changes nothing", async ({ api }) => {
    const id = await plant(api, "a b");
    const before = await api.state();
    const operations = [
      { op: "delete", id: id("a") },
      { op: "create", parent_id: "today", name: "x", as: "$x" },
      { op: "move", id: id("b"), parent_id: "$x" },
    ];
    expect(await batch(api, operations, { dry_run: true })).toEqual({
      results: [
        { op: "delete", id: id("a") },
        { op: "create", id: null, ids: [] },
        { op: "move", id: id("b") },
      ],
      handles: { $x: null },
    });
    expect(
      await api.outcome("POST", "/batch", {
        operations: [...operations, { op: "complete", id: id("a") }],
        dry_run: true,
      }),
    ).toBe("404 not_found");
    expect(await api.state()).toEqual(before);
    await batch(api, operations);
    expect((await api.node(id("b"))).parent_id).not.toBe(null);
  });

  test("[U53] a dry run answers no id of what it does not make", async ({ api }) => {
    const id = await plant(api, "a b");
    const operations = [
      { op: "create", parent_id: "2033-03-03", name: "x", as: "$x" },
      { op: "update", id: "$x", name: "y" },
      { op: "complete", id: "2033-03-03" },
      { op: "mirror", id: "$x", parent_id: id("a"), as: "$m" },
      { op: "remove_mirror", id: "$m" },
      { op: "mirror", id: id("b"), parent_id: id("a") },
      { op: "delete", id: id("b") },
    ];
    const { results } = await batch(api, operations, { dry_run: true });
    expect(results).toEqual([
      { op: "create", id: null, ids: [] },
      { op: "update", id: null },
      { op: "complete", id: null },
      { op: "mirror", id: null, origin_id: null },
      { op: "remove_mirror", id: null },
      { op: "mirror", id: null, origin_id: id("b") },
      { op: "delete", id: id("b") },
    ]);
    const { results: done, handles } = await batch(api, operations);
    expect(done[1]?.id).toBe(handles["$x"]);
    // What a mirror was made of, whatever has become of that since.
    expect(done[5]).toMatchObject({ origin_id: id("b") });
  });

  test("[U54] create and move take a place beside a sibling", async ({ api }) => {
    const id = await plant(api, "a(b c d) e");
    await api.create({ name: "x", position: { after: id("b") } });
    await api.create({ name: "y", parent_id: id("a"), position: { before: id("b") } });
    await api.move(id("d"), { position: { before: id("e") } });
    await api.move(id("c"), { parent_id: id("a"), position: { before: id("b") } });
    await api.move(id("b"), { position: { after: id("b") } });
    expect(sketchOf(await api.export())).toBe("a(y c b x) d e");
    for (const [path, json, expected] of [
      [
        "/nodes",
        { name: "z", parent_id: id("e"), position: { after: id("b") } },
        "400 invalid_request",
      ],
      ["/nodes", { name: "z", position: { after: "nothing" } }, "404 not_found"],
      [
        "/nodes",
        { name: "z", parent_id: "nothing", position: { after: id("b") } },
        "404 not_found",
      ],
      [
        "/nodes",
        { name: "z", position: { after: id("b"), before: id("b") } },
        "400 invalid_request",
      ],
      ["/nodes", { name: "z", position: "beside" }, "400 invalid_request"],
      [`/nodes/${id("a")}/move`, { position: { after: id("b") } }, "400 invalid_parent"],
    ] as const) {
      expect([json, await api.outcome("POST", path, json)]).toEqual([json, expected]);
    }
  });

  test("[U55] a limited key reaches nothing beside its root", async ({ api }) => {
    const id = await plant(api, "a(b) c");
    const limited = await api.keyed({ name: "part", root_id: id("a") });
    for (const operation of [
      { op: "create", name: "x", position: { after: id("a") } },
      { op: "create", name: "x", parent_id: id("c") },
      { op: "delete", id: id("c") },
      { op: "move", id: id("b"), position: { before: id("c") } },
    ]) {
      expect([
        operation,
        await limited.outcome("POST", "/batch", { operations: [operation] }),
      ]).toEqual([operation, "404 not_found"]);
    }
    await batch(limited, [
      { op: "create", name: "in", as: "$in" },
      { op: "move", id: id("b"), parent_id: "$in" },
    ]);
    expect(sketchOf(await api.export())).toBe("a(in(b)) c");
  });

  test("[U56] a batch has at most 10,000 operations", async ({ api, other }) => {
    const operations = Array.from({ length: 10_000 }, (_, index) => ({
      op: "create",
      name: `n${index}`,
      position: "bottom",
      as: `$${index}`,
      ...(index % 10 > 0 && { parent_id: `$${index - (index % 10)}` }),
    }));
    const { results } = await batch(api, operations);
    expect([results.length, (await api.children()).length]).toEqual([10_000, 1_000]);
    expect(
      await other.outcome("POST", "/batch", { operations: [...operations, operations[0]] }),
    ).toBe("400 invalid_request");
  });

  test("[U56] a batch comes to what its operations come to one by one", async ({ api, other }) => {
    const some = runs(25, 400);
    for (let seed = 1; seed <= some; seed++) {
      const random = seededRandom(seed);
      const [one, two] = await Promise.all([
        plant(api, `s${seed}(a(b c) d e)`),
        plant(other, `s${seed}(a(b c) d e)`),
      ]);
      const letters = ["a", "b", "c", "d", "e"];
      const steps = Array.from({ length: 4 }, () => ({
        what: integerBelow(random, 5),
        node: oneOf(random, letters),
        to: oneOf(random, letters),
        position: oneOf(random, ["top", "bottom"]),
      }));
      const all = steps.map((step) => operationOf(step, one));
      const { status, body } = await refusal(api, all);
      const singles: string[] = [];
      for (const step of steps) {
        const outcome = await single(other, step, two);
        singles.push(outcome);
        if (outcome !== "200") break;
      }
      const failed = singles.findIndex((outcome) => outcome !== "200");
      expect([seed, status === 200 ? -1 : (body as { operation: number }).operation]).toEqual([
        seed,
        failed,
      ]);
      if (failed === -1)
        expect([seed, await below(api, one(`s${seed}`))]).toEqual([
          seed,
          await below(other, two(`s${seed}`)),
        ]);
    }
  });
});

interface Step {
  readonly what: number;
  readonly node: string;
  readonly to: string;
  readonly position: string;
}

function operationOf({ what, node, to, position }: Step, id: (name: string) => string): object {
  return (
    [
      { op: "create", parent_id: id(to), name: `- new **${node}**`, position },
      { op: "update", id: id(node), name: `[x] ${to}`, note: "n" },
      { op: "move", id: id(node), parent_id: id(to), position },
      { op: "complete", id: id(node) },
      { op: "delete", id: id(node) },
    ][what] ?? {}
  );
}

function single(
  api: Api,
  { what, node, to, position }: Step,
  id: (name: string) => string,
): Promise<string> {
  switch (what) {
    case 0:
      return api.outcome("POST", "/nodes", {
        parent_id: id(to),
        name: `- new **${node}**`,
        position,
      });
    case 1:
      return api.outcome("POST", `/nodes/${id(node)}`, { name: `[x] ${to}`, note: "n" });
    case 2:
      return api.outcome("POST", `/nodes/${id(node)}/move`, { parent_id: id(to), position });
    case 3:
      return api.outcome("POST", `/nodes/${id(node)}/complete`);
    default:
      return api.outcome("DELETE", `/nodes/${id(node)}`);
  }
}

/** What is below a node, without ids and times. */
async function below(api: Api, reference: string): Promise<unknown> {
  const children = await api.children(reference);
  return Promise.all(
    children.map(async ({ id, name, note, completed, data }) => [
      name,
      note,
      completed,
      data.layoutMode,
      await below(api, id),
    ]),
  );
}

import { describe, expect } from "vitest";
import { startService } from "../support/service.ts";
import { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";
import type { ApiNode } from "./support/strict-answers.ts";

interface Tree {
  readonly root: ApiNode | null;
  readonly children: readonly (ApiNode & Tree)[];
  readonly truncated?: number;
}

async function treeOf(api: Api, reference: string, query = ""): Promise<Tree> {
  return (await api.done("GET", `/nodes/${reference}/tree${query}`)) as Tree;
}

/** The nodes of a tree in document order, as an export has them. */
function flat({ root, children }: Tree): readonly unknown[] {
  const below = children.flatMap((child): readonly unknown[] => {
    const { children: _children, truncated: _truncated, ...node } = child;
    return [node, ...flat({ ...child, root: null })];
  });
  return root === null ? below : [root, ...below];
}

describe("trees", () => {
  test("[U40] a tree has what the export has, each node in its parent", async ({ api }) => {
    const id = await plant(api, "a(b(c d(e)) f) g");
    const nodes = await api.export();
    expect(flat(await treeOf(api, "None", "?depth=all"))).toEqual(nodes);
    expect(flat(await treeOf(api, "None", `?depth=${Number.MAX_SAFE_INTEGER}`))).toEqual(nodes);
    const ofB = await treeOf(api, id("b"));
    expect(ofB.root?.id).toBe(id("b"));
    expect(flat(ofB)).toEqual(nodes.filter(({ name }) => "bcde".includes(name)));
  });

  test("[U40] what is too deep is counted", async ({ api }) => {
    const id = await plant(api, "a(b(c(d(e f))) g)");
    const none = await treeOf(api, id("a"), "?depth=0");
    expect([none.children, none.truncated]).toEqual([[], 2]);
    const [b, g] = (await treeOf(api, id("a"), "?depth=1")).children;
    expect([b?.truncated, b?.children, g?.truncated, g?.children]).toEqual([1, [], undefined, []]);
    const standard = await treeOf(api, id("a"));
    expect(standard.children[0]?.children[0]?.children[0]).toMatchObject({
      name: "d",
      truncated: 2,
    });
    for (const depth of ["-1", "x", "1.5", ""]) {
      expect(await api.outcome("GET", `/nodes/${id("a")}/tree?depth=${depth}`)).toBe(
        "400 invalid_request",
      );
    }
    expect(await api.outcome("GET", "/nodes/nothing/tree")).toBe("404 not_found");
    expect(await api.outcome("GET", "/nodes/tomorrow/tree")).toBe("404 not_found");
  });

  test("[U41] only the fields that are asked for are there", async ({ api }) => {
    const id = await plant(api, "a(b)");
    expect(await treeOf(api, id("a"), "?fields=name,parent_id")).toEqual({
      root: { id: id("a"), name: "a", parent_id: null },
      children: [{ id: id("b"), name: "b", parent_id: id("a"), children: [] }],
    });
    expect(await api.outcome("GET", `/nodes/${id("a")}/tree?fields=nothing`)).toBe(
      "400 invalid_request",
    );
  });

  test("[U40] a deep chain is read, and a name of a megabyte", async ({ api }) => {
    const long = "long ".repeat(200_000);
    let deep: object = { name: long };
    for (let level = 0; level < 200; level++) deep = { name: `${level}`, children: [deep] };
    const { results } = (await api.done("POST", "/batch", {
      operations: [{ op: "create", ...deep }],
    })) as {
      results: { ids: string[] }[];
    };
    const key = api.key ?? "";
    expect(key).not.toBe("");
    let { children } = await treeOf(api, results[0]?.ids[0] ?? "", "?depth=all&fields=name");
    let levels = 0;
    for (; children[0] !== undefined; levels++) {
      if (levels === 199) expect(children[0].name).toBe(long.trim());
      children = children[0].children;
    }
    expect(levels).toBe(200);
  });

  test("[U42] a part is exported, and a limited key has its root as the top", async ({ api }) => {
    const id = await plant(api, "a(b(c) d) e");
    const exported = async (as: Api, root: string) =>
      sketchOf(
        ((await as.done("GET", `/nodes-export?root=${root}`)) as { nodes: ApiNode[] }).nodes,
      );
    expect(await exported(api, id("b"))).toBe("b(c)");
    expect(await exported(api, "None")).toBe("a(b(c) d) e");
    expect(await api.outcome("GET", "/nodes-export?root=nothing")).toBe("404 not_found");
    const limited = await api.keyed({ name: "part", root_id: id("b") });
    expect(await exported(limited, id("c"))).toBe("c");
    expect(await limited.outcome("GET", `/nodes-export?root=${id("a")}`)).toBe("404 not_found");
    expect(await limited.outcome("GET", `/nodes/${id("d")}/tree`)).toBe("404 not_found");
    expect((await treeOf(limited, "None")).children.map(({ name }) => name)).toEqual(["c"]);
  });

  test("[U42] only all of it is limited to once a minute", async ({ clock, onTestFinished }) => {
    const service = await startService({ now: clock.now, exportLimitMs: 60_000 });
    onTestFinished(() => service.close());
    const api = new Api(service.url, service.key);
    const id = await plant(api, "a(b)");
    const outcomes: string[] = [];
    for (const query of ["", `?root=${id("a")}`, `?root=${id("a")}`, "?root=None", ""]) {
      outcomes.push(await api.outcome("GET", `/nodes-export${query}`));
    }
    expect(outcomes).toEqual(["200", "200", "200", "429 rate_limited", "429 rate_limited"]);
  });
});

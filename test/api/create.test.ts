import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("create", () => {
  test("[N10] answers exactly the id", async ({ api }) => {
    const { status, body } = await api.request("POST", "/nodes", { json: { name: "x" } });
    const [node] = await api.children();
    expect({ status, body }).toEqual({ status: 200, body: { item_id: node?.id } });
  });

  test("[N11] puts a node first, or last when told to", async ({ api }) => {
    const id = await plant(api, "list(m)");
    for (const [name, position] of [
      ["l", undefined],
      ["k", "top"],
      ["n", "bottom"],
      ["o", "last"],
      ["j", null],
    ] as const) {
      await api.create({ parent_id: id("list"), name, position });
    }
    expect(sketchOf(await api.export())).toBe("list(j k l m n o)");
  });

  test("[N12] takes an empty name", async ({ api }) => {
    const id = await api.create({ name: "" });
    expect((await api.node(id)).name).toBe("");
  });

  test("[N12] makes nothing without a name", async ({ api }) => {
    for (const body of [
      undefined,
      {},
      { note: "x" },
      ...[null, 5, ["x"], { text: "x" }, true].map((name) => ({ name })),
    ]) {
      const outcome = await api.outcome("POST", "/nodes", body);
      expect([body, outcome]).toEqual([body, "400 invalid_request"]);
    }
    expect(await api.export()).toEqual([]);
  });

  test("[X25] the explicit layout counts, without the prefix", async ({ api }) => {
    const id = await api.create({ name: "- [x] x", layoutMode: "h1" });
    const { name, data, completed } = await api.node(id);
    expect([name, data.layoutMode, completed]).toEqual(["x", "h1", true]);
  });

  test.for([
    [{ name: "x", completed: true }, "bullets", true],
    [{ name: "x", completed: false }, "bullets", false],
    [{ name: "x", layoutMode: "h2", completed: true }, "h2", true],
    [{ name: "- [ ] x", completed: true }, "todo", true],
    [{ name: "- [x] x", completed: false }, "todo", false],
  ] as const)("[N13] %o: completed as asked", async ([body, layout, completed], { api, clock }) => {
    const node = await api.node(await api.create(body));
    expect([node.data.layoutMode, node.completedAt]).toEqual([
      layout,
      completed ? clock.seconds : null,
    ]);
  });

  test("[N14] null counts as not given", async ({ api, clock }) => {
    await api.create({ name: "y" });
    const nulls = { layoutMode: null, position: null, completed: null, note: null };
    const id = await api.create({ name: "- [x] x", ...nulls });
    const { priority, data, completedAt, note } = await api.node(id);
    expect({ priority, data, completedAt, note }).toEqual({
      priority: 100,
      data: { layoutMode: "todo" },
      completedAt: clock.seconds,
      note: null,
    });
  });
});

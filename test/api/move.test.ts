import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("move", () => {
  test.for([
    ["a(b c) d(e f)", "b", { parent_id: "d" }, "a(c) d(b e f)"],
    ["a(b c) d(e f)", "b", { parent_id: "d", position: "top" }, "a(c) d(b e f)"],
    ["a(b c) d(e f)", "b", { parent_id: "d", position: "bottom" }, "a(c) d(e f b)"],
    ["a(b c) d(e f)", "b", { parent_id: "d", position: "last" }, "a(c) d(e f b)"],
    ["a(b(x y(z)) c) d", "b", { parent_id: "d" }, "a(c) d(b(x y(z)))"],
    ["a(b(c))", "c", { parent_id: "a", position: "bottom" }, "a(b c)"],
    ["a b(c)", "c", {}, "c a b"],
    ["a b(c)", "c", { position: "bottom" }, "a b c"],
  ] as const)("[N27] %s: %s to %o gives %s", async ([before, node, to, after], { api }) => {
    const id = await plant(api, before);
    const json = "parent_id" in to ? { ...to, parent_id: id(to.parent_id) } : to;
    const { status, body } = await api.request("POST", `/nodes/${id(node)}/move`, { json });
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
    expect(sketchOf(await api.export())).toBe(after);
    const parent = "parent_id" in to ? id(to.parent_id) : null;
    expect((await api.node(id(node))).parent_id).toBe(parent);
  });

  test.for([
    ["a(b c d)", "d", "top", "a(d b c)"],
    ["a(b c d)", "b", "bottom", "a(c d b)"],
    ["a(b c d)", "c", "top", "a(c b d)"],
    ["a(b c d)", "c", "bottom", "a(b d c)"],
  ] as const)(
    "[N28] %s: %s to the %s gives %s",
    async ([before, node, position, after], { api }) => {
      const id = await plant(api, before);
      await api.move(id(node), { parent_id: id("a"), position });
      expect(sketchOf(await api.export())).toBe(after);
    },
  );

  test("[N28] reorders the top level", async ({ api }) => {
    const id = await plant(api, "a b c");
    await api.move(id("a"), { parent_id: null, position: "bottom" });
    expect(sketchOf(await api.export())).toBe("b c a");
  });

  test.for(["a", "b", "c", "d"])(
    "[N29] of a below %s changes nothing",
    async (target, { api, clock }) => {
      const id = await plant(api, "x a(b(c(d)))");
      const before = await api.state();
      clock.advance(10);
      const to = { parent_id: id(target), position: "bottom" };
      expect(await api.outcome("POST", `/nodes/${id("a")}/move`, to)).toBe("400 invalid_parent");
      expect(await api.state()).toEqual(before);
    },
  );

  test("[N30] null for the position counts as not given", async ({ api }) => {
    const id = await plant(api, "a(b c)");
    await api.move(id("c"), { parent_id: id("a"), position: null });
    expect(sketchOf(await api.export())).toBe("a(c b)");
  });

  test.for([
    ["b", "top"],
    ["d", "bottom"],
  ] as const)("[N31] of %s to the %s, where it is", async ([node, position], { api, clock }) => {
    const id = await plant(api, "a(b c d)");
    const before = await api.export();
    clock.advance(10);
    await api.move(id(node), { parent_id: id("a"), position });
    expect(await api.export()).toEqual(before);
  });

  test("[N27] there and back a hundred times keeps the order", async ({ api }) => {
    const id = await plant(api, "a(b c d) e");
    for (let round = 0; round < 50; round += 1) {
      await api.move(id("b"), { parent_id: id("e") });
      await api.move(id("b"), { parent_id: id("a") });
    }
    expect(sketchOf(await api.export())).toBe("a(b c d) e");
  });
});

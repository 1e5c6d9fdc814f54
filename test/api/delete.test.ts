import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("delete", () => {
  test("[N25] takes the whole subtree", async ({ api }) => {
    const id = await plant(api, "a(b(c d(e)) f) g");
    const { status, body } = await api.request("DELETE", `/nodes/${id("b")}`);
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
    expect(sketchOf(await api.export())).toBe("a(f) g");
    expect((await api.children(id("a"))).map((node) => node.name)).toEqual(["f"]);
    for (const name of ["b", "c", "d", "e"]) {
      const node = `/nodes/${id(name)}`;
      const routes = [
        ["GET", node],
        ["POST", node],
        ["DELETE", node],
        ["POST", `${node}/move`],
        ["POST", `${node}/complete`],
        ["POST", `${node}/uncomplete`],
        ["GET", `/nodes?parent_id=${id(name)}`],
      ] as const;
      for (const [method, path] of routes) {
        expect([method, path, await api.outcome(method, path)]).toEqual([
          method,
          path,
          "404 not_found",
        ]);
      }
      const parent = { name: "x", parent_id: id(name) };
      expect(await api.outcome("POST", "/nodes", parent)).toBe("404 not_found");
      expect(await api.outcome("POST", `/nodes/${id("g")}/move`, parent)).toBe("404 not_found");
    }
    expect(sketchOf(await api.export())).toBe("a(f) g");
  });

  test("[N25] takes what was moved into the subtree and spares what was moved out", async ({
    api,
  }) => {
    const id = await plant(api, "a(b(c)) d(e)");
    await api.move(id("c"), { parent_id: id("d") });
    await api.move(id("e"), { parent_id: id("b") });
    await api.remove(id("a"));
    expect(sketchOf(await api.export())).toBe("d(c)");
    expect(await api.outcome("GET", `/nodes/${id("e")}`)).toBe("404 not_found");
  });

  test("[N26] a second time is 404", async ({ api }) => {
    const id = await api.create({ name: "x" });
    await api.remove(id);
    expect(await api.outcome("DELETE", `/nodes/${id}`)).toBe("404 not_found");
  });
});

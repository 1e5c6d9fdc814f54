import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("requests at the same time", () => {
  test("[N41, N29] moves that together would make rings lose nothing", async ({ api }) => {
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const id = await plant(api, names.join(" "));
    for (let round = 0; round < 12; round += 1) {
      const outcomes = await Promise.all(
        names.map((name, index) =>
          api.outcome("POST", `/nodes/${id(name)}/move`, {
            parent_id: id(names[(index + 1 + (round % 7)) % names.length] ?? ""),
            position: round % 2 === 0 ? "top" : "bottom",
          }),
        ),
      );
      expect(new Set(["200", "400 invalid_parent", ...outcomes]).size).toBe(2);
      // All eight were to move into a ring: the last of them could not.
      expect(outcomes).toContain("400 invalid_parent");
      const exported = await api.export();
      expect(exported.map((node) => node.name).toSorted()).toEqual(names);
    }
  });

  test("[N26, N41] of many deletes of one node one is answered with success", async ({ api }) => {
    const id = await plant(api, "a(b c) d");
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => api.outcome("DELETE", `/nodes/${id("a")}`)),
    );
    expect(outcomes.filter((outcome) => outcome === "200").length).toBe(1);
    expect(outcomes.filter((outcome) => outcome === "404 not_found").length).toBe(9);
    expect(sketchOf(await api.export())).toBe("d");
  });

  test("[N8, N41] creates at both ends of one list keep their ends", async ({ api }) => {
    const parent = await api.create({ name: "list" });
    await api.create({ parent_id: parent, name: "middle" });
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => {
        const position = index % 2 === 0 ? "top" : "bottom";
        return api.create({ parent_id: parent, name: position, position });
      }),
    );
    const list = (await api.children(parent)).map((node) => node.name);
    const side = (name: string) => Array.from({ length: 30 }, () => name);
    expect(list).toEqual([...side("top"), "middle", ...side("bottom")]);
  });

  test("[N41] changes of one node's fields do not undo each other", async ({ api }) => {
    const elsewhere = await api.create({ name: "elsewhere" });
    for (let round = 0; round < 10; round += 1) {
      const id = await api.create({ name: "x" });
      await Promise.all([
        api.update(id, { name: `name ${round}` }),
        api.update(id, { note: `note ${round}` }),
        api.update(id, { layoutMode: "h1" }),
        api.complete(id),
        api.move(id, { parent_id: elsewhere }),
      ]);
      const { name, note, data, completed, parent_id: parent } = await api.node(id);
      expect({ name, note, data, completed, parent }).toEqual({
        name: `name ${round}`,
        note: `note ${round}`,
        data: { layoutMode: "h1" },
        completed: true,
        parent: elsewhere,
      });
    }
  });

  test("[N18, N41] an export while everything moves is a whole tree", async ({ api }) => {
    const id = await plant(api, "a(b(c d) e) f(g(h) i) j");
    const names = "a b c d e f g h i j".split(" ");
    const watch = { isOver: false };
    const movers = names.map(async (name, index) => {
      for (let round = 1; !watch.isOver; round += 1) {
        const parent = names[(index * 3 + round * 7) % names.length] ?? "";
        await api.outcome("POST", `/nodes/${id(name)}/move`, { parent_id: id(parent) });
      }
    });
    for (let round = 0; round < 30; round += 1) {
      expect((await api.export()).map((node) => node.name).toSorted()).toEqual(names);
    }
    watch.isOver = true;
    await Promise.all(movers);
  });
});

import { describe, expect } from "vitest";

import { shortIdOf } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { plant, sketchOf } from "./support/sketch.ts";

describe("the node as answered", () => {
  test("[N1, N2] a node of nothing but a name, whole, in retrieve, list and export", async ({
    api,
    clock,
  }) => {
    const id = await api.create({ name: "Milk" });
    const node = {
      id,
      parent_id: null,
      name: "Milk",
      note: null,
      priority: 100,
      completed: false,
      data: { layoutMode: "bullets" },
      createdAt: clock.seconds,
      modifiedAt: clock.seconds,
      completedAt: null,
    };
    expect(await api.node(id)).toEqual(node);
    expect(await api.children()).toEqual([node]);
    expect(await api.export()).toEqual([node]);
  });

  test("[N1, N5, N6] a node with everything, whole, in retrieve, list and export", async ({
    api,
    clock,
  }) => {
    const parent = await api.create({ name: "Shopping" });
    const createdAt = clock.seconds;
    await api.create({ parent_id: parent, name: "Eggs" });
    const id = await api.create({
      parent_id: parent,
      name: "**Milk**",
      note: "two\nlitres",
      layoutMode: "todo",
      position: "bottom",
    });
    clock.advance(60);
    await api.complete(id);
    const node = {
      id,
      parent_id: parent,
      name: "<b>Milk</b>",
      note: "two\nlitres",
      priority: 200,
      completed: true,
      data: { layoutMode: "todo" },
      createdAt,
      modifiedAt: clock.seconds,
      completedAt: clock.seconds,
    };
    expect(await api.node(id)).toEqual(node);
    expect((await api.children(parent))[1]).toEqual(node);
    expect((await api.export())[2]).toEqual(node);
  });

  test("[N3] an id has 8-4-4-4-12 lower-case digits and outlives every change", async ({ api }) => {
    const parent = await api.create({ name: "elsewhere" });
    const id = await api.create({ name: "here" });
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    await api.update(id, { name: "there", note: "moved", layoutMode: "h1" });
    await api.move(id, { parent_id: parent });
    await api.complete(id);
    expect((await api.children(parent)).map((node) => node.id)).toEqual([id]);
    expect((await api.node(id)).id).toBe(id);
  });

  test("[N4] the last 12 digits of an id are unique in the outline and mean the node", async ({
    api,
  }) => {
    const id = await plant(api, "a(b c(d e)) f g");
    const shortIds = (await api.export()).map((node) => shortIdOf(node.id));
    expect(new Set(shortIds).size).toBe(7);
    expect((await api.node(shortIdOf(id("d")))).id).toBe(id("d"));
  });

  test("[N7] times are whole seconds, rounded down", async ({ api, clock }) => {
    clock.set("2026-11-20T12:00:59.999Z");
    const id = await api.create({ name: "late in its minute", completed: true });
    const second = Date.parse("2026-11-20T12:00:59Z") / 1000;
    const { createdAt, modifiedAt, completedAt } = await api.node(id);
    expect({ createdAt, modifiedAt, completedAt }).toEqual({
      createdAt: second,
      modifiedAt: second,
      completedAt: second,
    });
  });

  test("[N9] every layoutMode is kept", async ({ api }) => {
    for (const layoutMode of ["bullets", "todo", "h1", "h2", "h3", "code-block", "quote-block"]) {
      const id = await api.create({ name: "x", layoutMode });
      expect((await api.node(id)).data).toEqual({ layoutMode });
      const other = await api.create({ name: "y" });
      await api.update(other, { layoutMode });
      expect((await api.node(other)).data).toEqual({ layoutMode });
    }
  });
});

describe("layouts outside the list", () => {
  test.for(["p", "H1", "constructor", "x-1".padEnd(32, "9")])(
    "[N43] %s is kept and answered as it was written",
    async (layoutMode, { api }) => {
      const parent = await api.create({ name: "# x", layoutMode });
      const id = await api.create({ name: "y", parent_id: parent });
      await api.update(id, { layoutMode });
      await api.update(id, { name: "*z*", completed: true });
      const { name, data } = await api.node(id);
      expect([name, data]).toEqual(["<i>z</i>", { layoutMode }]);
      const all = [
        await api.node(parent),
        ...(await api.children(parent)),
        ...(await api.export()),
      ];
      expect(all.map((node) => node.data)).toEqual(all.map(() => ({ layoutMode })));
      await api.update(id, { layoutMode: "bullets" });
      expect((await api.node(id)).data).toEqual({ layoutMode: "bullets" });
    },
  );

  test("[N43] default counts as not given", async ({ api }) => {
    const id = await api.create({ name: "# x", layoutMode: "default" });
    expect((await api.node(id)).data).toEqual({ layoutMode: "h1" });
    await api.update(id, { layoutMode: "default", note: "n" });
    expect((await api.node(id)).data).toEqual({ layoutMode: "h1" });
    await api.update(id, { layoutMode: "default", name: "> y" });
    expect((await api.node(id)).data).toEqual({ layoutMode: "quote-block" });
  });
});

describe("priorities", () => {
  test("[N8] are (index + 1) * 100 after creates at both ends", async ({ api }) => {
    await api.create({ name: "b" });
    await api.create({ name: "a", position: "top" });
    await api.create({ name: "c", position: "bottom" });
    const rows = (await api.children()).map(({ name, priority }) => [name, priority]);
    expect(rows).toEqual([
      ["a", 100],
      ["b", 200],
      ["c", 300],
    ]);
  });

  test("[N8] close up behind a deleted and behind a moved node, and are counted anew where it comes", async ({
    api,
  }) => {
    const id = await plant(api, "a b c d(e f)");
    await api.remove(id("b"));
    await api.move(id("a"), { parent_id: id("d"), position: "bottom" });
    const rows = (await api.export()).map(({ name, priority }) => [name, priority]);
    expect(rows).toEqual([
      ["c", 100],
      ["d", 200],
      ["e", 100],
      ["f", 200],
      ["a", 300],
    ]);
    expect((await api.node(id("c"))).priority).toBe(100);
    expect((await api.node(id("a"))).priority).toBe(300);
  });
});

describe("reading", () => {
  test("[N16] retrieve answers exactly the node", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const { status, body } = await api.request("GET", `/nodes/${id}`);
    expect({ status, body }).toEqual({ status: 200, body: { node: await api.node(id) } });
  });

  test("[N17] list answers the children, not theirs, by priority", async ({ api }) => {
    const id = await plant(api, "a(b(c) d) e");
    const names = async (parent?: string) => (await api.children(parent)).map((node) => node.name);
    expect(await names()).toEqual(["a", "e"]);
    expect(await names(id("a"))).toEqual(["b", "d"]);
    expect((await api.children(id("a"))).map((node) => node.parent_id)).toEqual([id("a"), id("a")]);
    expect((await api.request("GET", `/nodes?parent_id=${id("e")}`)).body).toEqual({ nodes: [] });
  });

  test("[N18] export answers every node, depth first, as retrieve answers it", async ({ api }) => {
    await plant(api, "a(b(c d(e)) f) g(h)");
    const nodes = await api.export();
    expect(sketchOf(nodes)).toBe("a(b(c d(e)) f) g(h)");
    for (const node of nodes) expect(await api.node(node.id)).toEqual(node);
  });

  test("[N18] an empty outline is exported as an empty array", async ({ api }) => {
    expect((await api.request("GET", "/nodes-export")).body).toEqual({ nodes: [] });
    expect((await api.request("GET", "/nodes")).body).toEqual({ nodes: [] });
  });
});

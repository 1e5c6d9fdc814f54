import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";

describe("update", () => {
  test("[N19] answers exactly its status", async ({ api }) => {
    const id = await api.create({ name: "x" });
    const { status, body } = await api.request("POST", `/nodes/${id}`, { json: { name: "y" } });
    expect({ status, body }).toEqual({ status: 200, body: { status: "ok" } });
  });

  test.for([
    [{ name: "new" }, { name: "new" }],
    [{ note: "new" }, { note: "new" }],
    [{ layoutMode: "h2" }, { data: { layoutMode: "h2" } }],
    [{ completed: false }, { completed: false, completedAt: null }],
    [{}, {}],
  ] as const)("[N19] %o changes nothing else", async ([fields, changes], { api, clock }) => {
    const parent = await api.create({ name: "parent" });
    const id = await api.create({
      parent_id: parent,
      name: "old",
      note: "old",
      layoutMode: "todo",
      completed: true,
    });
    await api.create({ parent_id: id, name: "child" });
    const before = await api.node(id);
    await api.update(id, fields);
    clock.advance(5);
    expect(await api.node(id)).toEqual({ ...before, ...changes });
    expect((await api.children(id)).map((node) => node.name)).toEqual(["child"]);
  });

  test("[X30] makes no children: lines are joined", async ({ api }) => {
    const id = await api.create({ name: "old", layoutMode: "h1" });
    await api.update(id, { name: "a\n\n# b\nc" });
    expect(await api.node(id)).toMatchObject({ name: "a # b c", data: { layoutMode: "h1" } });
    expect(await api.children(id)).toEqual([]);
  });

  test("[X30] line breaks stay when the update makes a code block", async ({ api }) => {
    const id = await api.create({ name: "old" });
    await api.update(id, { name: "a\n\nb", layoutMode: "code-block" });
    expect((await api.node(id)).name).toBe("a\n\nb");
  });

  test.for([
    [{ name: "> - [x] x" }, "- [x] x"],
    [{ name: "# a\n- [x] b\n\n**c**", layoutMode: "code-block" }, "# a\n- [x] b\n\n**c**"],
    [{ name: "", layoutMode: "h1", completed: true }, ""],
  ] as const)(
    "[N20] %o: its stored name, written back, changes nothing",
    async ([fields, stored], { api, clock }) => {
      const id = await api.create(fields);
      const before = await api.node(id);
      expect(before.name).toBe(stored);
      clock.advance(100);
      await api.update(id, { name: before.name });
      expect(await api.node(id)).toEqual(before);
      expect(await api.children(id)).toEqual([]);
    },
  );

  test.for([
    // layout and completion before, name sent, name, layout and completion after
    ["bullets", false, "- [x] x", "x", "todo", true],
    ["todo", true, "- [ ] x", "x", "todo", false],
    ["todo", true, "- x", "x", "bullets", true],
    ["todo", true, "# x", "x", "h1", true],
    ["h1", true, "```\nx\n```", "x", "code-block", true],
    ["todo", true, "x", "x", "todo", true],
  ] as const)("[N21] %s, completed %s, named %j", async (row, { api }) => {
    const [layoutMode, completed, sent, name, layout, isCompleted] = row;
    const id = await api.create({ name: "old", layoutMode, completed });
    await api.update(id, { name: sent });
    const node = await api.node(id);
    expect([node.name, node.data.layoutMode, node.completed]).toEqual([name, layout, isCompleted]);
  });

  test("[X25] the explicit layout counts, without the prefix", async ({ api }) => {
    const id = await api.create({ name: "old" });
    await api.update(id, { name: "- [x] x", layoutMode: "bullets" });
    const { name, data, completed } = await api.node(id);
    expect([name, data.layoutMode, completed]).toEqual(["x", "bullets", true]);
  });

  test("[N22] completes, keeps the time, and reopens", async ({ api, clock }) => {
    const id = await api.create({ name: "x" });
    await api.update(id, { completed: true });
    const completedAt = clock.seconds;
    expect((await api.node(id)).completedAt).toBe(completedAt);
    clock.advance(60);
    await api.update(id, { completed: true });
    expect((await api.node(id)).completedAt).toBe(completedAt);
    await api.update(id, { completed: false });
    expect((await api.node(id)).completedAt).toBe(null);
  });

  test("[N22] beats the prefix", async ({ api }) => {
    const id = await api.create({ name: "x" });
    await api.update(id, { name: "- [ ] y", completed: true });
    expect((await api.node(id)).completed).toBe(true);
    await api.update(id, { name: "- [x] z", completed: false });
    const { name, data, completed } = await api.node(id);
    expect([name, data.layoutMode, completed]).toEqual(["z", "todo", false]);
  });

  test.for([[""], [null]])("[N23] note %j clears it", async ([note], { api }) => {
    const id = await api.create({ name: "x", note: "y" });
    expect((await api.node(id)).note).toBe("y");
    await api.update(id, { note });
    expect((await api.node(id)).note).toBe(null);
    await api.update(id, { note: "z" });
    expect((await api.node(id)).note).toBe("z");
  });

  test("[N24] null counts as not given", async ({ api }) => {
    const id = await api.create({ name: "x", layoutMode: "h1", completed: true });
    const before = await api.node(id);
    await api.update(id, { name: null, layoutMode: null, completed: null });
    expect(await api.node(id)).toEqual(before);
    await api.update(id, { name: "- [ ] y", layoutMode: null, completed: null });
    const { data, completed } = await api.node(id);
    expect([data.layoutMode, completed]).toEqual(["todo", false]);
  });

  test("[N19, N20] a layout alone leaves a name with its formats, in a code block too", async ({
    api,
    clock,
  }) => {
    const id = await api.create({ name: "**a** & [b](https://b.example) &copy;" });
    const name = '<b>a</b> &amp; <a href="https://b.example">b</a> &copy;';
    for (const layoutMode of ["code-block", "h1", "code-block", "bullets"]) {
      clock.advance(10);
      await api.update(id, { layoutMode });
      const node = await api.node(id);
      expect([node.name, node.data]).toEqual([name, { layoutMode }]);
      clock.advance(10);
      await api.update(id, { name });
      expect(await api.node(id)).toEqual(node);
    }
  });
});

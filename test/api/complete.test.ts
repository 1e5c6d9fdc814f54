import { describe, expect } from "vitest";

import { test } from "./support/api-test.ts";

describe("complete and uncomplete", () => {
  test("[N32] set the time of completion and take it away", async ({ api, clock }) => {
    const id = await api.create({ name: "x", layoutMode: "todo" });
    const before = await api.node(id);
    const completedAt = clock.advance(30);
    const done = await api.request("POST", `/nodes/${id}/complete`);
    expect([done.status, done.body]).toEqual([200, { status: "ok" }]);
    expect(await api.node(id)).toEqual({
      ...before,
      completed: true,
      completedAt,
      modifiedAt: completedAt,
    });
    const reopenedAt = clock.advance(30);
    const open = await api.request("POST", `/nodes/${id}/uncomplete`);
    expect([open.status, open.body]).toEqual([200, { status: "ok" }]);
    expect(await api.node(id)).toEqual({ ...before, modifiedAt: reopenedAt });
  });

  test("[N33] a second completion keeps the first time", async ({ api, clock }) => {
    const id = await api.create({ name: "x" });
    await api.complete(id);
    const before = await api.node(id);
    clock.advance(30);
    await api.complete(id);
    expect(await api.node(id)).toEqual(before);
  });

  test("[N33] to uncomplete an open node changes nothing", async ({ api, clock }) => {
    const id = await api.create({ name: "x" });
    const before = await api.node(id);
    clock.advance(30);
    await api.uncomplete(id);
    expect(await api.node(id)).toEqual(before);
  });

  test("[N33] a completion after a reopening has its own time", async ({ api, clock }) => {
    const id = await api.create({ name: "x", completed: true });
    await api.uncomplete(id);
    clock.advance(30);
    await api.complete(id);
    expect((await api.node(id)).completedAt).toBe(clock.seconds);
  });

  test.for(["bullets", "h1", "code-block"])(
    "[N34] work on a node of layout %s and leave its children",
    async (layoutMode, { api }) => {
      const id = await api.create({ name: "x", layoutMode });
      await api.create({ parent_id: id, name: "child" });
      await api.complete(id);
      const { completed, data } = await api.node(id);
      expect({ completed, data }).toEqual({ completed: true, data: { layoutMode } });
      expect((await api.children(id)).map((node) => node.completed)).toEqual([false]);
      await api.uncomplete(id);
      expect((await api.node(id)).completed).toBe(false);
    },
  );
});

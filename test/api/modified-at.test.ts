import { describe, expect } from "vitest";

import type { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";
import { plant } from "./support/sketch.ts";

type Change = readonly [what: string, change: (api: Api, id: string) => Promise<unknown>];

const CHANGES: readonly Change[] = [
  ["the name", (api, id) => api.update(id, { name: "new" })],
  ["only the format of the name", (api, id) => api.update(id, { name: "**old**" })],
  ["the note", (api, id) => api.update(id, { note: "new" })],
  ["the layout", (api, id) => api.update(id, { layoutMode: "h1" })],
  ["the layout by a prefix", (api, id) => api.update(id, { name: "# old" })],
  ["the completion by an update", (api, id) => api.update(id, { completed: true })],
  ["the completion", (api, id) => api.complete(id)],
  ["the parent", (api, id) => api.move(id, {})],
  ["the place", (api, id) => api.move(id, { parent_id: "shelf", position: "top" })],
];

const NO_CHANGES: readonly Change[] = [
  ["an update of nothing", (api, id) => api.update(id, {})],
  [
    "all of it again",
    (api, id) =>
      api.update(id, { name: "old", note: "note", layoutMode: "todo", completed: false }),
  ],
  ["the same by a prefix", (api, id) => api.update(id, { name: "- [ ] old" })],
  ["uncomplete", (api, id) => api.uncomplete(id)],
  ["a refused update", (api, id) => api.outcome("POST", `/nodes/${id}`, { name: "new", note: 5 })],
  ["a refused move", (api, id) => api.outcome("POST", `/nodes/${id}/move`, { parent_id: id })],
  [
    "being read",
    async (api, id) => [await api.node(id), await api.children(id), await api.export()],
  ],
];

/** A shelf with the node `old`, a todo with a note, between two others. */
async function shelf(api: Api): Promise<(name: string) => string> {
  const id = await plant(api, "shelf(before old(child) after)");
  await api.setShortcut("shelf", id("shelf"));
  await api.update(id("old"), { note: "note", layoutMode: "todo" });
  return id;
}

describe("createdAt and modifiedAt", () => {
  test.for(CHANGES)("[N35, N36] %s changes modifiedAt", async ([, change], { api, clock }) => {
    const id = await shelf(api);
    const { createdAt } = await api.node(id("old"));
    const now = clock.advance(1);
    await change(api, id("old"));
    clock.advance(3600);
    const node = await api.node(id("old"));
    expect([node.createdAt, node.modifiedAt]).toEqual([createdAt, now]);
  });

  test.for(NO_CHANGES)("[N37] %s leaves modifiedAt", async ([, change], { api, clock }) => {
    const id = await shelf(api);
    const before = await api.node(id("old"));
    clock.advance(3600);
    await change(api, id("old"));
    expect(await api.node(id("old"))).toEqual(before);
  });

  test("[N38] stays with the siblings while one is put before, moved and deleted", async ({
    api,
    clock,
  }) => {
    const id = await shelf(api);
    const before = await api.node(id("after"));
    clock.advance(60);
    await api.create({ parent_id: id("shelf"), name: "first" });
    await api.move(id("old"), { parent_id: id("shelf"), position: "top" });
    await api.remove(id("before"));
    expect(await api.node(id("after"))).toEqual(before);
  });

  test("[N38] stays with the parent while its children change", async ({ api, clock }) => {
    const id = await shelf(api);
    const before = await api.node(id("shelf"));
    clock.advance(60);
    await api.create({ parent_id: id("shelf"), name: "new" });
    await api.update(id("old"), { name: "renamed", note: null });
    await api.complete(id("old"));
    await api.move(id("child"), { parent_id: id("shelf") });
    await api.move(id("after"), {});
    await api.remove(id("before"));
    expect({ ...(await api.node(id("shelf"))), priority: before.priority }).toEqual(before);
  });

  test("[N36] what goes along with a moved node is not modified", async ({ api, clock }) => {
    const id = await shelf(api);
    const before = await api.node(id("child"));
    clock.advance(60);
    await api.move(id("old"), {});
    expect(await api.node(id("child"))).toEqual(before);
  });
});

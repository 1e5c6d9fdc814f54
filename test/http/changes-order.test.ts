import { describe, expect } from "vitest";
import { userOf } from "./changes-user.ts";
import { test } from "./http-test.ts";

interface Ordered {
  readonly changed: readonly { readonly id: string }[];
  readonly removed: readonly string[];
  readonly lists?: readonly { readonly parent_id: string | null; readonly ids: string[] | null }[];
  readonly cursor: string;
}

describe("[U91] with order=1", () => {
  test("each list of children that has changed is told, as it is now", async ({ service }) => {
    const { api, page, create } = await userOf(service, "ordered");
    const ask = async (query: string) => (await page(`${query}&order=1`)) as unknown as Ordered;
    const { cursor: since, lists } = await ask("");
    expect(lists).toEqual([]);
    const [folder, a, b] = [await create("folder"), await create("a"), await create("b")];
    const first = await ask(`since=${since}`);
    expect(first.lists).toEqual([{ parent_id: null, ids: [b, a, folder] }]);

    await api("POST", `/nodes/${a}`, { name: "renamed" });
    const renamed = await ask(`since=${first.cursor}`);
    expect([renamed.changed.length, renamed.lists]).toEqual([1, []]);

    await api("POST", `/nodes/${folder}/move`, { parent_id: null, position: "top" });
    const reordered = await ask(`since=${renamed.cursor}`);
    expect(reordered.changed.map(({ id }) => id)).toEqual([folder]);
    expect(reordered.lists).toEqual([{ parent_id: null, ids: [folder, b, a] }]);

    await api("POST", `/nodes/${a}/move`, { parent_id: folder });
    const moved = await ask(`since=${reordered.cursor}`);
    expect(moved.lists).toHaveLength(2);
    expect(moved.lists).toContainEqual({ parent_id: null, ids: [folder, b] });
    expect(moved.lists).toContainEqual({ parent_id: folder, ids: [a] });

    await api("DELETE", `/nodes/${a}`);
    const removed = await ask(`since=${moved.cursor}`);
    expect([removed.removed, removed.lists]).toEqual([[a], [{ parent_id: folder, ids: [] }]]);
  });

  test("the lists come with the last page, and long ones are to be asked for", async ({
    service,
  }) => {
    const { api, page, cursor, create } = await userOf(service, "ordered-long");
    const since = await cursor("order=1");
    const parent = await create("parent");
    const children = Array.from({ length: 1_001 }, (_, index) => ({ name: `${index}` }));
    const operations = children.map((child) => ({ op: "create", parent_id: parent, ...child }));
    await api("POST", "/batch", { operations });
    const first = (await page(`since=${since}&order=1&limit=500`)) as unknown as Ordered;
    expect(first.lists).toEqual([]);
    const last = (await page(`since=${first.cursor}&order=1`)) as unknown as Ordered;
    const rest = (await page(`since=${last.cursor}&order=1`)) as unknown as Ordered;
    const lists = [...(last.lists ?? []), ...(rest.lists ?? [])];
    expect(lists).toContainEqual({ parent_id: null, ids: [parent] });
    expect(lists).toContainEqual({ parent_id: parent, ids: null });
  });

  test("a cursor is good with it or without it", async ({ service }) => {
    const { outcome, cursor } = await userOf(service, "ordered-cursor");
    const [ordered, other] = [await cursor("order=1"), await cursor()];
    expect(await outcome(`since=${ordered}&order=1`)).toBe("200");
    expect(await outcome(`since=${ordered}`)).toBe("400 invalid_cursor");
    expect(await outcome(`since=${other}&order=1`)).toBe("400 invalid_cursor");
    expect(await outcome("order=2")).toBe("400 invalid_request");
  });

  test("a limited key is told of its part alone", async ({ service }) => {
    const { api, page, cursor, create, newKey } = await userOf(service, "ordered-part");
    const [root, outside] = [await create("root"), await create("outside")];
    const moving = await create("moving", outside);
    const { key } = await newKey({ root_id: root, scope: "read" });
    const since = await cursor("order=1", key);
    await api("POST", `/nodes/${moving}/move`, { parent_id: root });
    await api("POST", `/nodes/${root}/move`, { parent_id: outside });
    const { lists } = (await page(`since=${since}&order=1`, key)) as unknown as Ordered;
    expect(lists).toEqual([{ parent_id: root, ids: [moving] }]);
  });
});

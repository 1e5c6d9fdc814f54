import { expect, onTestFinished, vi } from "vitest";
import { isUserId } from "../../src/accounts/account-store.ts";
import { inOneGo } from "../../src/core/in-one-go.ts";
import { type NodeKey, ROOT } from "../../src/core/node-key.ts";
import { PastPlaces } from "../../src/documents/replica/past-places.ts";
import { changedLists, changedNodes, removedNodes } from "../../src/http/changes/changed-nodes.ts";
import { ScopedOutline } from "../../src/http/scoped-outline.ts";
import { userOf } from "./changes-user.ts";
import { test } from "./http-test.ts";

test("[U87] an answer costs what has changed, and not what there is", async ({ service }) => {
  const { user, api, cursor, create } = await userOf(service, "cost");
  const [place, folder] = [await create("place"), await create("folder")];
  const children = Array.from({ length: 200 }, (_, index) => ({ name: `${index}` }));
  for (let count = 0; count < 10; count++) {
    const operations = [{ op: "create", parent_id: folder, name: "part", children }];
    await api("POST", "/batch", { operations });
  }
  await cursor();
  const outline = isUserId(user) ? (await service.accounts.user(user))?.outline : undefined;
  if (outline === undefined) throw new Error("no user");
  const stepsSince = (since: number): Promise<number> =>
    service.documents.use(outline, async (document) => {
      expect(await document.changes.reach(since)).toBe(true);
      const view = new ScopedOutline(document.outline, undefined, service.now);
      return [...changedNodes(view, document.changes, { within: ROOT, since })].length;
    });
  const last = (): Promise<number> => service.documents.use(outline, ({ changes }) => changes.last);
  const before = await last();
  await api("POST", `/nodes/${folder}`, { name: "renamed" });
  await api("POST", `/nodes/${place}/move`, { parent_id: folder });
  expect(await stepsSince(before)).toBe(0);
  await api("POST", `/nodes/${folder}/move`, { parent_id: null });
  expect(await stepsSince(before)).toBe(0);
  expect(await stepsSince(0)).toBeGreaterThan(3);
});

test("[U83, U87] nodes that were moved very often take no long turn", async ({ service }) => {
  const { user, api, create } = await userOf(service, "restless");
  const [left, right, upper] = [await create("left"), await create("right"), await create("upper")];
  const lower = await create("lower", upper);
  await create("child", lower);
  const outline = isUserId(user) ? (await service.accounts.user(user))?.outline : undefined;
  if (outline === undefined) throw new Error("no user");
  const moves = Array.from({ length: 500 }, (_, index) => [
    { op: "move", id: upper, parent_id: index % 2 === 0 ? left : right },
    { op: "move", id: lower, parent_id: index % 2 === 0 ? right : upper },
  ]);
  for (const operations of moves) await api("POST", "/batch", { operations });
  await service.documents.use(outline, async (document) => {
    expect(await document.changes.reach(0)).toBe(true);
    const past = new PastPlaces(document.outline, document.changes, 0, ROOT);
    expect(past.wasOutOfSight(lower.slice(-12) as NodeKey)).toBe(true);
    expect(past.steps).toBeLessThan(50_000);
    const view = new ScopedOutline(document.outline, undefined, service.now);
    const { last } = document.changes;
    expect(past.wasInSight(lower.slice(-12) as NodeKey)).toBe(true);
    const span = { within: ROOT, since: 0 };
    expect([...removedNodes(view, document.changes, span, last)].length).toBeLessThan(20);
  });
});

test("[U87] what is above thousands of changes is not passed for each of them", async ({
  service,
}) => {
  const { user, api, create } = await userOf(service, "deep");
  const top = await create("top");
  const middle = await create("middle", top);
  // Deeper than what the outline looks through for each node.
  let bottom = middle;
  for (let level = 0; level < 150; level++) bottom = await create("level", bottom);
  const outline = isUserId(user) ? (await service.accounts.user(user))?.outline : undefined;
  if (outline === undefined) throw new Error("no user");
  const last = (): Promise<number> => service.documents.use(outline, ({ changes }) => changes.last);
  const since = await last();
  const operations = Array.from({ length: 900 }, (_, index) => {
    const more = index % 30 === 0 ? { children: [{ name: "below" }] } : {};
    return { op: "create", parent_id: bottom, name: "leaf", ...more };
  });
  await api("POST", "/batch", { operations });
  await service.documents.use(outline, async ({ outline: read, changes }) => {
    expect(await changes.reach(since)).toBe(true);
    const row = read.tree.rowAt(middle.slice(-12) as NodeKey);
    if (row === undefined) throw new Error("no row");
    let passed = 0;
    const { parent } = row;
    Object.defineProperty(row, "parent", { configurable: true, get: () => (passed++, parent) });
    const view = new ScopedOutline(read, undefined, service.now);
    const span = { within: top.slice(-12) as NodeKey, since };
    const { changed, upTo } = inOneGo(changedNodes(view, changes, span));
    expect(inOneGo(removedNodes(view, changes, span, upTo))).toEqual([]);
    const lists = inOneGo(changedLists(view, changes, span, changed));
    Object.defineProperty(row, "parent", { value: parent, writable: true });
    expect([changed.length, lists.length]).toEqual([930, 31]);
    expect(passed).toBeLessThan(300);
  });
});

test("[U87] of what changes often its mirrors are told once", async ({ service }) => {
  const { user, api, create } = await userOf(service, "often");
  const origin = await create("origin");
  const other = await create("other");
  for (let count = 0; count < 3; count++) {
    await api("POST", `/nodes/${origin}/mirror`, { parent_id: other });
  }
  const outline = isUserId(user) ? (await service.accounts.user(user))?.outline : undefined;
  if (outline === undefined) throw new Error("no user");
  const since = await service.documents.use(outline, async ({ changes }) => changes.last);
  for (let count = 0; count < 20; count++) {
    await api("POST", `/nodes/${origin}`, { name: `${count}` });
  }
  await service.documents.use(outline, async ({ outline: read, changes }) => {
    expect(await changes.reach(since)).toBe(true);
    const asked = vi.spyOn(read.tree.mirrors, "of");
    onTestFinished(() => asked.mockRestore());
    const view = new ScopedOutline(read, undefined, service.now);
    const { changed } = inOneGo(changedNodes(view, changes, { within: ROOT, since }));
    expect(new Set(changed.map(({ number }) => number)).size).toBe(1);
    expect(changed).toHaveLength(4);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});

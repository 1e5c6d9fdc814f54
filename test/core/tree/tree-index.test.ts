import { expect, test } from "vitest";
import * as Y from "yjs";
import { checkOutline } from "../../../src/core/check-outline.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import { Outline, type Outline as OutlineType } from "../../../src/core/outline.ts";
import { encodeOrderInt } from "../../../src/core/tree/order-key.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { HandClock, soloOutline } from "../../support/lab.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import { seededRandom } from "../../support/seeded-random.ts";

const AT = Date.UTC(2026, 10, 20);

function keyNumber(number: number): NodeKey {
  return `a${number.toString(16).padStart(11, "0")}` as NodeKey;
}

/** Adds nodes by their registers, as updates from elsewhere do. */
function put(
  doc: Y.Doc,
  nodes: Iterable<readonly [key: NodeKey, parent: NodeKey, order: string]>,
): void {
  const map = doc.getMap<Y.Text>("nodes");
  doc.transact(() => {
    for (const [key, parent, order] of nodes) {
      const text = map.get(key) ?? new Y.Text();
      if (!map.has(key)) map.set(key, text);
      text.setAttribute("p", encodePlacement({ parent, createdAt: AT, order }));
    }
  });
}

function expectSound(outline: OutlineType): void {
  expect(checkOutline(outline).filter(({ isError }) => isError)).toEqual([]);
}

test("[I1] many changes in one transaction come out like one after the other", () => {
  const random = seededRandom(11);
  const count = 400;
  const wanted = new Map<NodeKey, readonly [NodeKey, string]>();
  const together = soloOutline();
  const single = soloOutline();
  for (let round = 0; round < 12; round++) {
    const changes: [NodeKey, NodeKey, string][] = [];
    for (let index = 0; index < 120; index++) {
      const key = keyNumber(Math.floor(random() * count));
      if (changes.some(([changed]) => changed === key)) continue;
      const parent = random() < 0.2 ? ROOT : keyNumber(Math.floor(random() * count));
      changes.push([key, parent, `V-0${"VWXYZ".charAt(Math.floor(random() * 5))}`]);
    }
    for (const [key, parent, order] of changes) wanted.set(key, [parent, order]);
    put(together.doc, changes);
    for (const change of changes) put(single.doc, [change]);
    const removed = keyNumber(Math.floor(random() * count));
    for (const { doc } of [together, single]) doc.getMap("nodes").delete(removed);
    expectSound(together);
    expectSound(single);
    expect([...together.keysInOrder()]).toEqual([...single.keysInOrder()]);
  }
  expect(together.tree.fallenRows().size).toBeGreaterThan(0);
});

test("[I1] a single new node that is said to be in itself falls, as in an index built at once", () => {
  const outline = soloOutline();
  put(outline.doc, [[keyNumber(1), keyNumber(1), "V"]]);
  expectSound(outline);
  expect([...outline.keysInOrder()]).toEqual([keyNumber(1)]);
});

test("[I2] an index built in slices is the one that is built in one go", () => {
  const source = soloOutline();
  const ring = [keyNumber(1), keyNumber(2), keyNumber(3)] as const;
  put(
    source.doc,
    Array.from({ length: 20_000 }, (_, index) => [
      keyNumber(index + 10),
      index < 10 ? ROOT : keyNumber(Math.floor(index / 10) + 9),
      "V-0V",
    ]),
  );
  put(source.doc, [
    [ring[0], ring[1], "V"],
    [ring[1], ring[2], "V"],
    [ring[2], ring[0], "V"],
    [keyNumber(4), ring[0], "V"],
    [keyNumber(5), "fffffffffff5" as NodeKey, "V"],
  ]);
  source.remove(keyNumber(30));
  const doc = new Y.Doc();
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(source.doc));
  const clock = new HandClock();
  const work = Outline.attachInSlices(doc, {
    id: source.id,
    now: clock.now,
    random: seededRandom(1),
  });
  let slices = 0;
  let step = work.next();
  for (; step.done !== true; step = work.next()) slices++;
  const built = step.value;
  expect(slices).toBeGreaterThan(8);
  expectSound(built);
  expect([...built.keysInOrder()]).toEqual([...source.keysInOrder()]);
  expect(built.size).toBe(source.size);
  expect([...built.tree.fallenRows()].map(({ key }) => key).toSorted()).toEqual(
    [...source.tree.fallenRows()].map(({ key }) => key).toSorted(),
  );
});

test("[I3] children are in order, ranks are theirs among the visible ones", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a b c d e");
  outline.remove(keyOf(keys, "b"));
  outline.remove(keyOf(keys, "d"));
  expect(outline.children(ROOT).map(({ name, rank }) => [name, rank])).toEqual([
    ["a", 0],
    ["c", 1],
    ["e", 2],
  ]);
  expect(outline.node(keyOf(keys, "e"))?.rank).toBe(2);
  expect(outline.childCount(ROOT)).toBe(3);
  expect(outline.tree.deletedRows().size).toBe(2);
});

test("[I4] depth costs no stack: a chain of 30,000 nodes", () => {
  const outline = soloOutline();
  const depth = 30_000;
  put(
    outline.doc,
    Array.from({ length: depth }, (_, index) => [
      keyNumber(index),
      index === 0 ? ROOT : keyNumber(index - 1),
      "V",
    ]),
  );
  expect(outline.size).toBe(depth);
  let last: NodeKey = ROOT;
  for (const key of outline.keysInOrder()) last = key;
  expect(last).toBe(keyNumber(depth - 1));
  expect(outline.contains(keyNumber(0), last)).toBe(true);
  expect(outline.move(keyNumber(0), { parent: last })).toEqual({ kind: "invalid_parent" });
  expect(outline.create({ parent: last, name: "deeper" }).kind).toBe("created");
  expect(outline.move(keyNumber(depth / 2), { parent: ROOT }).kind).toBe("ok");
  outline.remove(keyNumber(1));
  expect(outline.size).toBe(depth / 2 + 2);
});

test("[I4] a chain of 10,000 nodes that is turned round in one transaction", () => {
  const outline = soloOutline();
  const depth = 10_000;
  const chain = (parentOf: (index: number) => NodeKey | undefined): void =>
    put(
      outline.doc,
      Array.from({ length: depth }, (_, index) => [keyNumber(index), parentOf(index) ?? ROOT, "V"]),
    );
  chain((index) => (index === 0 ? undefined : keyNumber(index - 1)));
  chain((index) => (index === depth - 1 ? undefined : keyNumber(index + 1)));
  expect(outline.childKeys(ROOT)).toEqual([keyNumber(depth - 1)]);
  expect(outline.size).toBe(depth);
  expectSound(outline);
});

test("[I4] a ring of 20,000 nodes is one ring", () => {
  const outline = soloOutline();
  const length = 20_000;
  put(
    outline.doc,
    Array.from({ length }, (_, index) => [keyNumber(index), keyNumber((index + 1) % length), "V"]),
  );
  expect([...outline.tree.fallenRows()].map(({ key }) => key)).toEqual([keyNumber(length - 1)]);
  expect(outline.size).toBe(length);
});

test("[I5] a list of 10,000 siblings: an insertion compares with a few of them", () => {
  const outline = soloOutline();
  const count = 10_000;
  put(
    outline.doc,
    Array.from({ length: count }, (_, index) => [keyNumber(index), ROOT, encodeOrderInt(index)]),
  );
  const middle = keyNumber(count / 2);
  let reads = 0;
  for (const row of outline.tree.rows()) {
    let { order } = row;
    Object.defineProperty(row, "order", {
      get: () => (reads++, order),
      set(value: string) {
        order = value;
      },
    });
  }
  for (let round = 0; round < 10; round++) {
    const made = outline.create({ parent: ROOT, position: { after: middle }, name: "between" });
    if (made.kind !== "created") throw new Error(made.kind);
    expect(outline.node(made.key)?.rank).toBe(count / 2 + 1);
    outline.move(keyNumber(round), { parent: ROOT, position: { before: middle } });
    outline.remove(made.key);
  }
  expect(reads).toBeLessThan(10 * 1_000);
  expect(outline.childCount(ROOT)).toBe(count);
  expectSound(outline);
});

test("[I6] a node that got another text under its key has changed, wherever it stands", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const key = keyOf(plant(outline, "a"), "a");
  const later = clock.nowSec + 9_000;
  expect(outline.node(key)?.modifiedAt).toBe(clock.nowSec);
  const elsewhere = new Y.Doc();
  elsewhere.clientID = 9;
  elsewhere.getArray<number>("clk").push([later]);
  const text = new Y.Text("written elsewhere");
  text.setAttribute("p", outline.doc.getMap<Y.Text>("nodes").get(key)?.getAttribute("p"));
  elsewhere.getMap<Y.Text>("nodes").set(key, text);
  const heard: unknown[] = [];
  outline.onChange(({ nodes, placed }) => heard.push([[...nodes], [...placed]]));
  Y.applyUpdate(outline.doc, Y.encodeStateAsUpdate(elsewhere));
  expect(heard).toEqual([[[key], []]]);
  expect(outline.node(key)).toMatchObject({ name: "written elsewhere", modifiedAt: later });
});

test("[I6] listeners learn which nodes changed, and which of them their place", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b) c");
  const [a, b, c] = [keyOf(keys, "a"), keyOf(keys, "b"), keyOf(keys, "c")];
  const heard: unknown[] = [];
  const stop = outline.onChange(({ nodes, placed }) => heard.push([[...nodes], [...placed]]));
  outline.update(b, { name: "renamed" });
  outline.move(b, { parent: c });
  outline.update(c, { note: "first" });
  outline.update(c, { note: "second" });
  outline.doc.transact(() => {
    outline.remove(c);
    outline.update(a, { layout: "h1" });
  });
  outline.configure({ weekStart: 0 });
  stop();
  outline.update(a, { name: "unheard" });
  expect(heard).toEqual([
    [[b], []],
    [[b], [b]],
    [[c], []],
    [[c], []],
    [[c, a], [c]],
  ]);
});

test("[I7] what is deleted or below what is deleted is not there", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b(c)) d");
  const [a, b, c] = [keyOf(keys, "a"), keyOf(keys, "b"), keyOf(keys, "c")];
  const version = outline.structureVersion;
  outline.trash(a, 0);
  expect(outline.structureVersion).toBeGreaterThan(version);
  for (const key of [a, b, c]) {
    expect([
      outline.has(key),
      outline.node(key),
      outline.children(key),
      outline.childKeys(key),
      outline.childCount(key),
      outline.contains(ROOT, key),
      [...outline.keysInOrder(key)],
    ]).toEqual([false, undefined, [], [], 0, false, []]);
  }
  expect([outline.size, shape(outline)]).toEqual([1, "d"]);
  expect([outline.has(ROOT), outline.contains(ROOT, ROOT), outline.contains(a, a)]).toEqual([
    false,
    true,
    false,
  ]);
});

test("[I8] going through the nodes in order shows the tree of the beginning, edited meanwhile", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b c) d(e)");
  const names: string[] = [];
  for (const { name } of outline.nodesInOrder()) {
    names.push(name);
    if (name !== "a") continue;
    outline.move(keyOf(keys, "d"), { parent: ROOT });
    outline.update(keyOf(keys, "c"), { name: "renamed" });
    outline.create({ parent: ROOT, position: "bottom", name: "new" });
    outline.doc.getMap("nodes").delete(keyOf(keys, "e"));
  }
  expect(names).toEqual(["a", "b", "renamed", "d"]);
});

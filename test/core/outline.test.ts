import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { HandClock, soloOutline } from "../support/lab.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";

/** Fails when something is written. */
function unchanged(outline: Outline, work: () => void): void {
  const before = Y.encodeStateAsUpdate(outline.doc);
  work();
  expect(Y.encodeStateAsUpdate(outline.doc)).toEqual(before);
}

test("[D1, D2] a node is one text with attributes, absent where they say the default", () => {
  const outline = soloOutline();
  const plain = outline.create({ parent: ROOT, name: "plain" });
  const rich = outline.create({
    parent: ROOT,
    name: "# **rich**",
    note: "noted",
    completed: true,
  });
  if (plain.kind !== "created" || rich.kind !== "created") throw new Error("not created");
  const nodes = outline.doc.getMap<Y.Text>("nodes");
  expect([...nodes.keys()].toSorted()).toEqual([plain.key, rich.key].toSorted());
  expect(Object.keys(nodes.get(plain.key)?.getAttributes() ?? {})).toEqual(["p"]);
  expect(nodes.get(plain.key)?.toDelta()).toEqual([{ insert: "plain" }]);
  const attributes = nodes.get(rich.key)?.getAttributes() ?? {};
  expect(Object.keys(attributes).toSorted()).toEqual(["l", "o1", "p", "x"]);
  expect(attributes["o1"]?.toString()).toBe("noted");
  expect(nodes.get(rich.key)?.toDelta()).toEqual([{ insert: "rich", attributes: { b: true } }]);
  expect(outline.doc.getMap("meta").toJSON()).toEqual({ v: 2 });
  expect([...outline.doc.share.keys()].toSorted()).toEqual(["clk", "keys", "meta", "nodes"]);
});

test("[D10] an operation is one transaction, and a refused one writes nothing", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b(c)) d");
  const [a, c, d] = [keyOf(keys, "a"), keyOf(keys, "c"), keyOf(keys, "d")];
  let updates = 0;
  outline.doc.on("update", () => updates++);
  outline.create({ parent: a, name: "# one\n\ntwo\n\n- [x] three" });
  outline.update(a, { name: "*other*", note: "note", layout: "h1", completed: true });
  outline.move(c, { parent: d });
  outline.remove(d);
  expect(updates).toBe(4);
  expect(shape(outline)).toBe("<i>other</i>(one(two three) b)");

  const nowhere = "123456789abc" as NodeKey;
  unchanged(outline, () => {
    const notFound = { kind: "not_found" };
    expect([
      outline.create({ parent: nowhere, name: "x" }),
      outline.create({ parent: d, name: "x" }),
      outline.create({ parent: a, position: { after: c }, name: "x" }),
      outline.create({ parent: ROOT, position: { before: nowhere }, name: "x" }),
      outline.update(nowhere, { name: "x" }),
      outline.update(d, { name: "x" }),
      outline.update(ROOT, { name: "x" }),
      outline.setCompleted(c, true),
      outline.move(c, { parent: ROOT }),
      outline.move(a, { parent: d }),
      outline.move(ROOT, { parent: a }),
      outline.remove(d),
      outline.remove(c),
      outline.remove(ROOT),
      outline.trash(d, 1),
      outline.restore(d),
      outline.restore(a),
      outline.setShortcut("work", d),
      outline.removeShortcut("work"),
    ]).toEqual(Array.from({ length: 19 }, () => notFound));
    expect(outline.move(a, { parent: keyOf(keys, "b") })).toEqual({ kind: "invalid_parent" });
    expect(outline.move(a, { parent: a })).toEqual({ kind: "invalid_parent" });
    expect(outline.setShortcut("inbox", a).kind).toBe("invalid_shortcut");
    expect(outline.configure({ timezone: "Nowhere/Land" }).kind).toBe("invalid_setting");
  });
});

test("[D11] operations of one transaction see each other", () => {
  const outline = soloOutline();
  outline.doc.transact(() => {
    const a = outline.create({ parent: ROOT, name: "a" });
    if (a.kind !== "created") throw new Error(a.kind);
    const b = outline.create({ parent: a.key, name: "b" });
    const c = outline.create({ parent: a.key, position: "bottom", name: "c" });
    if (b.kind !== "created" || c.kind !== "created") throw new Error("not created");
    expect(shape(outline)).toBe("a(b c)");
    expect(outline.move(c.key, { parent: a.key, position: { before: b.key } }).kind).toBe("ok");
    expect(shape(outline)).toBe("a(c b)");
    expect(outline.move(a.key, { parent: b.key }).kind).toBe("invalid_parent");
    expect(outline.remove(b.key).kind).toBe("ok");
    expect(outline.create({ parent: b.key, name: "d" }).kind).toBe("not_found");
  });
  expect(shape(outline)).toBe("a(c)");
});

test("[D20] a node goes to the position it is given, and stays when it is there", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(x) b c d");
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => keyOf(keys, name));
  if (!a || !b || !c || !d) throw new Error("not planted");
  outline.move(d, { parent: ROOT, position: { after: a } });
  expect(shape(outline)).toBe("a(x) d b c");
  outline.move(a, { parent: ROOT, position: { before: c } });
  expect(shape(outline)).toBe("d b a(x) c");
  outline.move(c, { parent: a, position: { before: keyOf(keys, "x") } });
  expect(shape(outline)).toBe("d b a(c x)");
  outline.move(a, { parent: ROOT });
  expect(shape(outline)).toBe("a(c x) d b");
  unchanged(outline, () => {
    outline.move(a, { parent: ROOT });
    outline.move(b, { parent: ROOT, position: "bottom" });
    outline.move(d, { parent: ROOT, position: { after: a } });
    outline.move(d, { parent: ROOT, position: { before: b } });
    outline.move(d, { parent: ROOT, position: { before: d } });
  });
  expect(outline.childKeys(ROOT)).toEqual([a, d, b]);
  expect(outline.children(ROOT).map(({ rank }) => rank)).toEqual([0, 1, 2]);
});

test("[M6] what an update says already changes nothing at all", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const made = outline.create({ parent: ROOT, name: "# **bold** - x", note: "one\ntwo" });
  if (made.kind !== "created") throw new Error(made.kind);
  const node = outline.node(made.key);
  clock.passSeconds(100);
  unchanged(outline, () => {
    outline.update(made.key, {});
    outline.update(made.key, { name: node?.name });
    outline.update(made.key, { note: node?.note, layout: "h1", completed: false });
    outline.update(made.key, { name: "# **bold** - x" });
    outline.setCompleted(made.key, false);
  });
  expect(outline.node(made.key)).toEqual(node);
});

test("[D8] a rename keeps what others wrote since the caller read the name", () => {
  const outline = soloOutline();
  const made = outline.create({ parent: ROOT, name: "Buy milk at the shop" });
  if (made.kind !== "created") throw new Error(made.kind);
  const text = outline.doc.getMap<Y.Text>("nodes").get(made.key);
  text?.insert(4, "2% ");
  const base = "Buy milk at the shop";
  outline.update(made.key, { name: "Buy milk at the big shop", base });
  expect(outline.node(made.key)?.name).toBe("Buy 2% milk at the big shop");
  unchanged(outline, () => outline.update(made.key, { name: base, base }));
  outline.update(made.key, { name: "Buy tea" });
  expect(outline.node(made.key)?.name).toBe("Buy tea");
});

test.each([
  ["without a base", undefined, "one\nTWO", "one\nTWO"],
  ["with what is there", "one\ntwo", "one\nTWO", "one\nTWO"],
  ["with what was there, which both went on from", "one", "one!", "one\ntwo!"],
  ["cleared, with what was there", "one", "", "\ntwo"],
  ["cleared", undefined, null, null],
])("[D8] a note that two began is changed as one: %s", (_, noteBase, note, expected) => {
  const outline = soloOutline();
  const made = outline.create({ parent: ROOT, name: "x" });
  if (made.kind !== "created") throw new Error(made.kind);
  const text = outline.doc.getMap<Y.Text>("nodes").get(made.key);
  text?.setAttribute("o1", new Y.Text("one"));
  text?.setAttribute("o2", new Y.Text("two"));
  expect(outline.node(made.key)?.note).toBe("one\ntwo");
  expect(outline.update(made.key, { note, noteBase })).toEqual({ kind: "ok" });
  expect(outline.node(made.key)?.note).toBe(expected);
});

test("[D12] updates are small", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b c d) e(f)");
  const sizes: number[] = [];
  outline.doc.on("update", (update: Uint8Array) => sizes.push(update.length));
  const name = "A name of forty-five characters, as many have";
  const made = outline.create({ parent: keyOf(keys, "a"), name });
  if (made.kind !== "created") throw new Error(made.kind);
  outline.move(made.key, { parent: keyOf(keys, "e") });
  outline.move(made.key, { parent: keyOf(keys, "e"), position: "bottom" });
  const text = outline.doc.getMap<Y.Text>("nodes").get(made.key);
  text?.insert(10, "x");
  outline.remove(made.key);
  const [create = 0, move = 0, reorder = 0, keystroke = 0, remove = 0] = sizes;
  expect({ create, move, reorder, keystroke, remove }).toEqual({
    create: 105,
    move: 54,
    reorder: 54,
    keystroke: 12,
    remove: 24,
  });
});

test("[D15] a fresh key is one that no node has or had", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a");
  outline.doc.getMap("nodes").delete(keyOf(keys, "a"));
  expect(() =>
    outline.createPlain({ parent: ROOT, key: keyOf(keys, "a"), name: [{ insert: "again" }] }),
  ).toThrow("taken");
  expect(() => outline.createPlain({ parent: keyOf(keys, "a"), name: [] })).toThrow(
    "no such place",
  );
});

test("[D34] what is in the trash can be deleted for good, and nothing else", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b) c");
  const [a, b, c] = [keyOf(keys, "a"), keyOf(keys, "b"), keyOf(keys, "c")];
  outline.trash(a, 7);
  expect([outline.discard(b, 0), outline.discard(c, 0)]).toEqual([
    { kind: "not_found" },
    { kind: "not_found" },
  ]);
  expect(outline.discard(a, 0)).toEqual({ kind: "ok" });
  expect(outline.tree.rowAt(a)?.deletion).toMatch(/^f7\n.{7}$/);
  expect(outline.restore(a)).toEqual({ kind: "not_found" });
});

test("[M3, M8] a text that is written into in place is dated to the minute", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const a = keyOf(plant(outline, "a"), "a");
  const write = (part: "name" | "note", remove: number, insert: string): void => {
    clock.passSeconds(100);
    const written = outline.editText(a, part, (text) => {
      text.delete(0, remove);
      text.insert(0, insert);
    });
    expect(written).toEqual({ kind: "ok" });
    expect(outline.modifiedAt(a)).toBe(clock.nowSec);
  };
  write("name", 0, "12");
  write("note", 0, "34");
  write("name", 1, "");
  expect([outline.richText(a, "name"), outline.richText(a, "note")]).toEqual([
    [{ insert: "2a" }],
    [{ insert: "34" }],
  ]);
  const nowhere = "123456789abc" as NodeKey;
  expect(outline.editText(nowhere, "name", (text) => text.insert(0, "x"))).toEqual({
    kind: "not_found",
  });
  expect(outline.richText(nowhere, "name")).toEqual([]);
});

import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import {
  encodePlacement,
  parsePlacement,
  type Placement,
} from "../../../src/core/tree/placement.ts";
import { nodesOf, notesOf, textOf } from "../../../src/core/schema.ts";
import { Lab, soloOutline } from "../../support/lab.ts";
import { keyOf, shape } from "../../support/outline-notation.ts";

function move(outline: Outline, key: NodeKey, parent: NodeKey): void {
  expect(outline.move(key, { parent, position: "bottom" })).toEqual({ kind: "ok" });
}

/** Exchanges everything without repair, which only a server does. */
function exchange(...docs: readonly Y.Doc[]): void {
  for (const from of docs) {
    for (const to of docs) Y.applyUpdate(to, Y.encodeStateAsUpdate(from, Y.encodeStateVector(to)));
  }
}

function placementOf(outline: Outline, key: NodeKey): Placement | undefined {
  return parsePlacement(outline.tree.rowAt(key)?.register ?? "");
}

test("[D22] of two moves that make a ring the later one did not happen", () => {
  const lab = new Lab("a(x) b(y) c");
  const [first, second] = [lab.device(0), lab.device(1)];
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  move(first.outline, a, b);
  lab.clock.passSeconds(1);
  move(second.outline, b, a);
  move(second.outline, c, b);
  exchange(first.doc, second.doc);
  for (const { outline } of [first, second]) {
    expect(shape(outline)).toBe("b(y a(x) c)");
    expect([...outline.tree.fallenRows()].map(({ key }) => key)).toEqual([b]);
  }
});

test("[D22] three moves in a ring: only the latest gives way", () => {
  const lab = new Lab("a b c", 3);
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  move(lab.device(2).outline, c, a);
  lab.clock.passSeconds(1);
  move(lab.device(0).outline, a, b);
  lab.clock.passSeconds(1);
  move(lab.device(1).outline, b, c);
  exchange(...lab.devices.map(({ doc }) => doc));
  expect(lab.devices.map(({ outline }) => shape(outline))).toEqual(
    Array.from({ length: 3 }, () => "b(a(c))"),
  );
});

test("[D25] a local move writes down what is shown first, so that nothing else jumps", () => {
  const lab = new Lab("a b c d");
  const [first, second] = [lab.device(0), lab.device(1)];
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c || !d) throw new Error("not planted");
  move(first.outline, a, b);
  lab.clock.passSeconds(1);
  move(second.outline, b, a);
  exchange(first.doc, second.doc);
  expect(shape(first.outline)).toBe("b(a) c d");
  move(first.outline, a, c);
  expect(shape(first.outline)).toBe("b c(a) d");
  expect(placementOf(first.outline, b)).toMatchObject({ parent: ROOT });
  exchange(first.doc, second.doc);
  expect(shape(second.outline)).toBe("b c(a) d");
});

test("[D25] the server writes a ring down, and says whose write that stands for", () => {
  const lab = new Lab("a b");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  move(lab.device(0).outline, a, b);
  lab.clock.passSeconds(1);
  move(lab.device(1).outline, b, a);
  lab.meet();
  const { outline } = lab.server;
  expect(shape(outline)).toBe("b(a)");
  expect(outline.tree.fallenRows().size).toBe(0);
  const placement = placementOf(outline, b);
  expect(placement?.move).toBeUndefined();
  expect(placement?.restates).toMatchObject({ client: 11, how: "displaced" });
});

test("[D23] a node whose parent has not come yet is shown last, and goes there when it comes", () => {
  const lab = new Lab("a b");
  const [first, second] = [lab.device(0), lab.device(1)];
  const parent = first.outline.create({ parent: keyOf(lab.keys, "a"), name: "parent" });
  if (parent.kind !== "created") throw new Error(parent.kind);
  exchange(first.doc, second.doc);
  second.unsent.length = 0;
  const child = second.outline.create({ parent: parent.key, name: "child" });
  move(second.outline, keyOf(lab.keys, "b"), parent.key);
  if (child.kind !== "created") throw new Error(child.kind);
  // The second device's own updates come first: b is where it was, the child is last.
  lab.push(second);
  expect(shape(lab.server.outline)).toBe("a b child");
  lab.push(first);
  expect(shape(lab.server.outline)).toBe("a(parent(child b))");
});

test("[D23] a late child of a node that was removed for good is written down at the top level", () => {
  const lab = new Lab("a(x) b");
  const a = keyOf(lab.keys, "a");
  const device = lab.device(0);
  device.outline.create({ parent: a, name: "late" });
  lab.server.doc.transact(() => {
    for (const key of [keyOf(lab.keys, "x"), a]) lab.server.doc.getMap("nodes").delete(key);
  });
  lab.push(device);
  const { outline } = lab.server;
  expect(shape(outline)).toBe("b late");
  expect(outline.tree.fallenRows().size).toBe(0);
});

test("[D24] rows without a place fall back one after the other, and into no ring", () => {
  const outline = soloOutline();
  const nodes = outline.doc.getMap<Y.Text>("nodes");
  const gone = "ffffffffffff" as NodeKey;
  const keys = ["a", "b", "c"].map((digit) => digit.repeat(12) as NodeKey);
  const [a, b, c] = keys;
  if (!a || !b || !c) throw new Error("no keys");
  const at = Date.UTC(2026, 10, 20);
  const put = (key: NodeKey, from: NodeKey): void => {
    const text = new Y.Text(key.charAt(0));
    nodes.set(key, text);
    const move = { at, from: { parent: from, order: "V" } };
    text.setAttribute("p", encodePlacement({ parent: gone, createdAt: at, order: "k", move }));
  };
  // Each was in the next one before: the first two are taken at their word, the third can't be.
  outline.doc.transact(() => {
    put(a, b);
    put(b, c);
    put(c, a);
  });
  expect(shape(outline)).toBe("c(b(a))");
});

test("[D21] of two moves of one node the later wins, whatever the client ids are", () => {
  const lab = new Lab("a b c x");
  const [a, b, c, x] = ["a", "b", "c", "x"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c || !x) throw new Error("not planted");
  move(lab.device(1).outline, x, a);
  lab.clock.passSeconds(1);
  move(lab.device(0).outline, x, b);
  lab.meet();
  expect(shape(lab.server.outline)).toBe("a b(x) c");
  // The other way round Yjs alone is right.
  move(lab.device(0).outline, x, c);
  lab.clock.passSeconds(1);
  move(lab.device(1).outline, x, a);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe("a(x) b c");
});

test("[D21, D22] three conflicting moves end the same in whatever order they come", () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  for (const order of orders) {
    const lab = new Lab("a b c d", 3);
    const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
    if (!a || !b || !c) throw new Error("not planted");
    move(lab.device(2).outline, b, c);
    lab.clock.passSeconds(1);
    move(lab.device(0).outline, a, b);
    lab.clock.passSeconds(1);
    move(lab.device(1).outline, b, a);
    for (const index of order) lab.push(lab.device(index));
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe("b(a) c d");
  }
});

test("[D14, M13] a clock that is far ahead does not push everybody's clock", () => {
  const lab = new Lab("a b c");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  const now = lab.clock.nowMs;
  lab.clock.nowMs = Date.UTC(2060, 0, 1);
  move(lab.device(0).outline, a, b);
  lab.clock.nowMs = now;
  lab.meet();
  move(lab.server.outline, keyOf(lab.keys, "c"), b);
  expect(placementOf(lab.server.outline, keyOf(lab.keys, "c"))?.move?.at).toBe(now + 1);
});

test("[D14] a move is later than every move seen, even from a clock that is ahead", () => {
  const lab = new Lab("a b c");
  const now = lab.clock.nowMs;
  lab.clock.passSeconds(50);
  move(lab.device(0).outline, keyOf(lab.keys, "a"), keyOf(lab.keys, "b"));
  lab.clock.nowMs = now;
  lab.meet();
  move(lab.server.outline, keyOf(lab.keys, "c"), keyOf(lab.keys, "b"));
  const at = placementOf(lab.server.outline, keyOf(lab.keys, "c"))?.move?.at;
  expect(at).toBe(now + 50_001);
});

test("[D6] of first notes that say the same one is shown, and left by the next edit", () => {
  const lab = new Lab("a", 3);
  const a = keyOf(lab.keys, "a");
  for (const device of lab.devices) device.outline.update(a, { note: "the same" });
  lab.server.outline.update(a, { note: "<b>the</b> same" });
  lab.meet();
  const note = "the same\n<b>the</b> same";
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.note?.split("\n").toSorted()).toEqual(note.split("\n").toSorted());
  }
  const shown = lab.server.outline.node(a)?.note ?? "";
  lab.device(0).outline.update(a, { note: `${shown}, and more` });
  lab.meet();
  for (const { outline, doc } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.note).toBe(`${shown}, and more`);
    const text = textOf(nodesOf(doc), a);
    expect(text && notesOf(text).filter(({ length }) => length > 0).length).toBe(1);
  }
});

test("[D6] the first notes of two devices both stay, and the next edit makes one of them", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  lab.device(0).outline.update(a, { note: "from one" });
  lab.device(1).outline.update(a, { note: "from two" });
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.note).toBe("from one\nfrom two");
  }
  lab.device(0).outline.update(a, { note: "from one\nfrom two\nand more" });
  lab.meet();
  expect(lab.server.outline.node(a)?.note).toBe("from one\nfrom two\nand more");
  lab.device(1).outline.update(a, { note: "" });
  lab.meet();
  expect(lab.server.outline.node(a)?.note).toBeNull();
});

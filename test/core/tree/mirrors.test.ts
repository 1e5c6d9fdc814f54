import { expect, test } from "vitest";
import * as Y from "yjs";
import { MAX_MIRRORS } from "../../../src/core/tree/mirror-rows.ts";
import { dayKey, INBOX, ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import { purge } from "../../../src/core/purge.ts";
import { parseQuery } from "../../../src/core/search/parse-query.ts";
import { searchOutline } from "../../../src/core/search/search-outline.ts";
import { inspectUpdate } from "../../support/inspect-update.ts";
import { Lab, soloOutline } from "../../support/lab.ts";
import { keyOf, plant, shape, type Notation } from "../../support/outline-notation.ts";

/** An outline and the keys of its nodes. */
function planted(notation: Notation): {
  readonly outline: Outline;
  readonly key: (name: string) => NodeKey;
} {
  const outline = soloOutline();
  const keys = plant(outline, notation);
  return { outline, key: (name) => keyOf(keys, name) };
}

function mirrorOf(outline: Outline, of: NodeKey, parent: NodeKey): NodeKey {
  const made = outline.mirror(of, { parent, position: "bottom" });
  if (made.kind !== "created") throw new Error(made.kind);
  return made.key;
}

/** What a program writes that does not know mirrors. */
function putRaw(doc: Y.Doc, key: NodeKey, parent: NodeKey): void {
  doc.transact(() => {
    const text = new Y.Text("raw");
    doc.getMap<Y.Text>("nodes").set(key, text);
    text.setAttribute("p", encodePlacement({ parent, order: "V", createdAt: 1 }));
  });
}

const RAW = "abcdefabcdef" as NodeKey;

test("[D120] a mirror shows its origin in a place of its own, and what is done to it is done to that", () => {
  const { outline, key } = planted("a(b) c");
  outline.update(key("a"), { note: "said", layout: "todo" });
  const mirror = mirrorOf(outline, key("a"), key("c"));
  const origin = outline.node(key("a"));
  expect(outline.node(mirror)).toEqual({
    ...origin,
    key: mirror,
    origin: key("a"),
    parent: key("c"),
    rank: 0,
  });
  expect(outline.childKeys(mirror)).toEqual([key("b")]);
  expect(outline.node(key("b"))?.parent).toBe(key("a"));

  outline.update(mirror, { name: "renamed" });
  outline.setCompleted(mirror, true);
  outline.editText(mirror, "name", (text) => text.insert(0, "! "));
  expect(outline.node(key("a"))).toMatchObject({
    name: "! renamed",
    completedAt: expect.any(Number),
  });
  expect(outline.create({ parent: mirror, name: "new" }).kind).toBe("created");
  expect(outline.move(key("c"), { parent: mirror, position: "bottom" })).toEqual({ kind: "ok" });
  expect(outline.children(key("a")).map(({ name }) => name)).toEqual(["new", "b", "c"]);
});

test("[D120] a mirror of a mirror is one of its origin, and none is made in what it mirrors", () => {
  const { outline, key } = planted("a(b) c");
  const mirror = mirrorOf(outline, key("a"), key("c"));
  const second = outline.mirror(mirror, { parent: ROOT });
  expect(second).toMatchObject({ kind: "created", origin: key("a") });
  for (const parent of [key("a"), key("b"), mirror]) {
    expect(outline.mirror(key("a"), { parent })).toEqual({ kind: "invalid_parent" });
  }
  expect(outline.move(key("a"), { parent: mirror })).toEqual({ kind: "invalid_parent" });
  expect(outline.mirror(ROOT, { parent: key("c") })).toEqual({ kind: "not_found" });
  expect(outline.mirror(key("a"), { parent: RAW })).toEqual({ kind: "not_found" });
  expect(outline.mirror(INBOX, { parent: key("c") })).toEqual({ kind: "not_found" });
  const day = dayKey(2026, 11, 20);
  expect(outline.mirror(key("a"), { parent: day }).kind).toBe("created");
  const year = outline.tree.rowAt(day)?.parent?.parent?.key ?? ROOT;
  expect(outline.mirror(year, { parent: dayKey(2026, 11, 21) })).toEqual({
    kind: "invalid_parent",
  });
});

test("[D121] a mirror goes with its origin, comes back with it, and can be deleted alone", () => {
  const { outline, key } = planted("p(a(b)) c");
  const mirror = mirrorOf(outline, key("a"), key("c"));
  const other = mirrorOf(outline, key("a"), ROOT);
  outline.trash(other, 0);
  expect([outline.has(other), outline.has(key("a")), outline.has(mirror)]).toEqual([
    false,
    true,
    true,
  ]);
  outline.restore(other);
  expect(outline.mirrorsOf(key("a")).toSorted()).toEqual([mirror, other].toSorted());
  outline.trash(key("p"), 0);
  expect([outline.has(mirror), shape(outline)]).toEqual([false, "c"]);
  expect(outline.node(key("c"))?.rank).toBe(0);
  expect(outline.trashedKeys()).toEqual([key("p")]);
  outline.restore(key("p"));
  expect(outline.childKeys(key("c"))).toEqual([mirror]);
});

test("[D121] whichever comes first, the deletion of an origin or its mirror, the same is shown", () => {
  for (const first of [0, 1]) {
    const lab = new Lab("p(a) c");
    const [a, p, c] = ["a", "p", "c"].map((name) => keyOf(lab.keys, name));
    if (!a || !p || !c) throw new Error("not planted");
    const [one, two] = [lab.device(0), lab.device(1)];
    one.outline.trash(p, one.seen);
    const mirror = mirrorOf(two.outline, a, c);
    for (const device of first === 0 ? [one, two] : [two, one]) lab.push(device);
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect([shape(outline), outline.has(mirror)]).toEqual(["c", false]);
    }
    lab.server.outline.restore(p);
    expect(lab.server.outline.childKeys(c)).toEqual([mirror]);
  }
});

test("[D122] a mirror that comes to stand in its own origin shows nothing twice", () => {
  const lab = new Lab("a(b) c(d)");
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c || !d) throw new Error("not planted");
  // Each alone is no ring.
  const ofA = mirrorOf(lab.device(0).outline, a, d);
  lab.device(1).outline.move(c, { parent: b });
  const ofC = mirrorOf(lab.device(1).outline, c, ROOT);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect([...outline.keysInOrder()]).toHaveLength(6);
    expect([...outline.keysInOrder(ofA)]).toEqual([b, c, d, ofA]);
    expect([...outline.keysInOrder(ofC)]).toEqual([d, ofA]);
  }
});

test("[D123] what a program puts into a mirror that does not know mirrors is in the origin", () => {
  const lab = new Lab("a(b) c");
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  const mirror = mirrorOf(lab.server.outline, a, c);
  lab.pullAll();
  putRaw(lab.device(0).doc, RAW, mirror);
  expect(lab.device(0).outline.childKeys(a)).toContain(RAW);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.childKeys(a).toSorted()).toEqual([b, RAW].toSorted());
    expect([...outline.tree.fallenRows()]).toEqual([]);
  }
});

test("[D123] a mirror below itself, by a program that does not know mirrors, loses nothing", () => {
  const { outline, key } = planted("a(b) c");
  const mirror = mirrorOf(outline, key("a"), key("c"));
  const text = outline.doc.getMap<Y.Text>("nodes").get(key("a"));
  text?.setAttribute("p", encodePlacement({ parent: mirror, order: "V", createdAt: 1 }));
  expect([...outline.keysInOrder()].toSorted()).toEqual(
    [key("a"), key("b"), key("c"), mirror].toSorted(),
  );
});

test("[D124] a mirror with text of its own is none any more: the server says so", () => {
  const lab = new Lab("a(b) c");
  const [a, c] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "c")];
  const mirror = mirrorOf(lab.server.outline, a, c);
  lab.pullAll();
  lab.device(0).doc.getMap<Y.Text>("nodes").get(mirror)?.insert(0, "typed");
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(mirror)).toMatchObject({ name: "typed", parent: c });
    expect([outline.heldBy(mirror), outline.mirrorsOf(a)]).toEqual([mirror, []]);
  }
  expect(lab.server.repair.counts.unmirrored).toBe(1);
});

test("[D125] what names itself, a mirror, the top level or nothing is no mirror that shows something", () => {
  const { outline, key } = planted("a b c d e");
  const mirror = mirrorOf(outline, key("a"), ROOT);
  const nodes = outline.doc.getMap<Y.Text>("nodes");
  const say = (name: string, origin: unknown): void =>
    nodes.get(key(name))?.setAttribute("r", origin);
  say("b", key("b"));
  say("c", mirror);
  say("d", "ffffffffffff");
  say("e", ROOT);
  expect(shape(outline)).toBe("a b e a");
  nodes.get(key("c"))?.setAttribute("r", "");
  nodes.get(key("d"))?.removeAttribute("r");
  expect(shape(outline)).toBe("a b c d e a");
});

test("[D121, D37] the mirrors of what is removed for good are removed too", () => {
  const { outline, key } = planted("a(b) c");
  const [mirror, below] = [
    mirrorOf(outline, key("a"), key("c")),
    mirrorOf(outline, key("b"), ROOT),
  ];
  outline.remove(key("a"));
  for (const _ of purge(outline, () => true));
  const nodes = outline.doc.getMap("nodes");
  expect([key("a"), key("b"), mirror, below].map((each) => nodes.has(each))).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect(shape(outline)).toBe("c");
});

test("[D121, D37] each removal of mirrors is the server's, also when some of them went meanwhile", () => {
  const { outline, key } = planted("a c");
  const { doc } = outline;
  const mirrors = doc.transact(() =>
    Array.from({ length: 700 }, () => mirrorOf(outline, key("a"), key("c"))),
  );
  outline.remove(key("a"));
  const nodes = doc.getMap("nodes");
  const updates: Uint8Array[] = [];
  const note = (update: Uint8Array): number => updates.push(update);
  const work = purge(outline, () => true);
  for (let isDone = false; !isDone;) {
    doc.on("update", note);
    isDone = work.next().done === true;
    doc.off("update", note);
    // The one that comes next.
    const next = mirrors.find((mirror) => nodes.has(mirror));
    if (next !== undefined && next !== mirrors[0]) nodes.delete(next);
  }
  expect(updates.length).toBeGreaterThan(2);
  for (const update of updates) {
    expect(Y.decodeUpdate(update).structs[0]?.id.client).toBe(doc.clientID);
  }
});

test("[D126] a search finds a line once, also below one of its mirrors", () => {
  const { outline, key } = planted("apple(pear) c");
  const mirror = mirrorOf(outline, key("apple"), key("c"));
  const found = (words: string, from: NodeKey = ROOT): readonly NodeKey[] => {
    const query = parseQuery(words, { nowMs: 0, timezone: "UTC" });
    return searchOutline(outline, query, from).matches.map((row) => row.key);
  };
  expect(found("apple")).toEqual([key("apple")]);
  expect(found("-nothing")).not.toContain(mirror);
  expect(found("pear", mirror)).toEqual([key("pear")]);
});

test("[D120, D121] many mirrors of one node appear and vanish with it, in the order of their places", () => {
  const { outline, key } = planted("p(a) c");
  const made: NodeKey[] = [];
  outline.doc.transact(() => {
    for (let index = 0; index < 1000; index++) made.push(mirrorOf(outline, key("a"), key("c")));
  });
  expect(outline.childKeys(key("c"))).toEqual(made);
  outline.trash(key("p"), 0);
  expect(outline.childCount(key("c"))).toBe(0);
  outline.restore(key("p"));
  expect(outline.childKeys(key("c"))).toEqual(made);
});

/** What a client sends that makes mirrors of one node, or of what `origin` says. */
function mirrorsUpdate(count: number, origin: unknown): Uint8Array {
  const doc = new Y.Doc();
  doc.clientID = 1_000_000_007;
  doc.transact(() => {
    for (let index = 0; index < count; index++) {
      const key = `b${index.toString(16).padStart(11, "0")}` as NodeKey;
      putRaw(doc, key, ROOT);
      doc.getMap<Y.Text>("nodes").get(key)?.setAttribute("r", origin);
    }
  });
  return Y.encodeStateAsUpdate(doc);
}

test("[Q90] an operation makes no more than so many mirrors, and updates twice as many", () => {
  const { outline, key } = planted("a");
  const { doc } = outline;
  Y.applyUpdate(doc, mirrorsUpdate(MAX_MIRRORS, key("a")));
  const full = { kind: "outline_full", quota: "mirrors", has: MAX_MIRRORS, adds: 1 };
  expect(outline.mirror(key("a"), { parent: ROOT })).toMatchObject(full);
  expect(inspectUpdate(doc, mirrorsUpdate(2 * MAX_MIRRORS, key("a"))).kind).toBe("ok");
  Y.applyUpdate(doc, mirrorsUpdate(2 * MAX_MIRRORS, key("a")));
  expect(inspectUpdate(doc, mirrorsUpdate(2 * MAX_MIRRORS + 1, key("a")))).toMatchObject({
    kind: "outline_full",
    quota: "mirrors",
    limit: 2 * MAX_MIRRORS,
  });
  expect(inspectUpdate(doc, mirrorsUpdate(2 * MAX_MIRRORS, key("a"))).kind).toBe("ok");
});

test("[D63] what a mirror names is the key of a node, or nothing", () => {
  const doc = new Y.Doc();
  for (const origin of ["", RAW]) {
    expect(inspectUpdate(doc, mirrorsUpdate(1, origin)).kind).toBe("ok");
  }
  for (const origin of ["a".repeat(13), "ABCDEFABCDEF", 7, true, [RAW], { key: RAW }]) {
    expect(inspectUpdate(doc, mirrorsUpdate(1, origin))).toEqual({
      kind: "refused",
      reason: "not_allowed",
    });
  }
});

test("[L62] on a device a mirror has changed when its origin has", () => {
  const lab = new Lab("a c");
  const [a, c] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "c")];
  const mirror = mirrorOf(lab.server.outline, a, c);
  lab.pullAll();
  const told: NodeKey[] = [];
  lab.device(0).outline.onChange(({ nodes }) => told.push(...nodes));
  lab.server.outline.update(a, { name: "renamed" });
  lab.meet();
  expect(told).toEqual(expect.arrayContaining([a, mirror]));
});

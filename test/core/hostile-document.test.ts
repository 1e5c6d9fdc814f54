import { expect, test } from "vitest";
import * as Y from "yjs";
import { checkOutline } from "../../src/core/check-outline.ts";
import { dayKey, INBOX, ROOT } from "../../src/core/node-key.ts";
import { encodePlacement } from "../../src/core/tree/placement.ts";
import { Repair } from "../../src/core/merge/repair.ts";
import { Lab, soloOutline } from "../support/lab.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

const KEYS = [
  "aaaaaaaaaaaa",
  "bbbbbbbbbbbb",
  "000000000000",
  "000000000001",
  "000020261120",
  "000020260230",
  "0000ffffffff",
  "AAAAAAAAAAAA",
  "__proto__",
  "constructor",
  "toString",
  "",
  "x".repeat(5_000),
];

function nonsense(random: () => number): unknown {
  const text = oneOf(random, ["", "p", "f*", "t1", "💥", "__proto__", "V-0V", "x".repeat(9_000)]);
  const values = [
    text,
    integerBelow(random, 1e9) - 5e8,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    random() < 0.5,
    null,
    [text, [text]],
    { __proto__: text, text },
    new Uint8Array([1, 2, 3]),
  ];
  return oneOf(random, values);
}

test("[D4] nonsense in a document never throws, and what is well-formed stays usable", () => {
  const random = seededRandom(21);
  for (let round = 0; round < 40; round++) {
    const outline = soloOutline();
    const keys = plant(outline, "a(b) c");
    const repair = Repair.attach(outline);
    const { doc } = outline;
    const nodes = doc.getMap<unknown>("nodes");
    for (let step = 0; step < 25; step++) {
      doc.transact(() => {
        const key = oneOf(random, [...KEYS, keyOf(keys, "b")]);
        const kind = integerBelow(random, 8);
        if (kind === 0) nodes.set(key, nonsense(random));
        else if (kind === 1) nodes.set(key, new Y.Map([["p", "x"]]));
        else if (kind === 2) nodes.set(key, new Y.XmlElement("p"));
        else if (kind === 3) doc.getMap("keys").set(key, nonsense(random));
        else if (kind === 4)
          doc.getMap("meta").set(oneOf(random, ["v", "timezone"]), nonsense(random));
        else if (kind === 5) doc.getArray("clk").push([nonsense(random) ?? 0]);
        else {
          if (!(nodes.get(key) instanceof Y.Text)) nodes.set(key, new Y.Text("text"));
          const text = nodes.get(key);
          const name = oneOf(random, ["p", "l", "x", "d", "m", "o1", "o", "__proto__", "zz"]);
          const value = random() < 0.2 ? new Y.Text("note") : nonsense(random);
          if (text instanceof Y.Text && key !== keyOf(keys, "b")) {
            text.setAttribute(name, value);
            text.format(0, 1, { [oneOf(random, ["b", "zz", "__proto__"])]: "x" });
            if (random() < 0.2) text.insertEmbed(0, { image: "x" });
          }
        }
      });
      repair.run();
      outline.settings();
      outline.shortcuts();
      outline.shortcutNode("__proto__");
      for (const node of outline.nodesInOrder()) outline.contains(ROOT, node.key);
    }
    nodes.delete(keyOf(keys, "b"));
    expect(outline.create({ parent: INBOX, name: "works" }).kind).toBe("created");
    expect(outline.create({ parent: dayKey(2026, 11, 20), name: "works" }).kind).toBe("created");
    expect(outline.move(keyOf(keys, "a"), { parent: INBOX }).kind).toBe("ok");
    expect(checkOutline(outline).filter(({ isError }) => isError)).toEqual([]);
  }
});

test("[D4, D23] a node whose place can't be read stands last at the top level, until one can", () => {
  const lab = new Lab("a(b(c)) d");
  const { outline, doc } = lab.server;
  const [b, d] = [keyOf(lab.keys, "b"), keyOf(lab.keys, "d")];
  const text = doc.getMap<Y.Text>("nodes").get(b);
  const register: unknown = text?.getAttribute("p");
  for (const nonsense of ["nonsense", 7, undefined]) {
    if (nonsense === undefined) text?.removeAttribute("p");
    else text?.setAttribute("p", nonsense);
    lab.meet();
    for (const replica of [lab.server, ...lab.devices]) {
      expect(shape(replica.outline)).toBe("a d b(c)");
    }
    // Nobody writes a place for it: a newer version may read what this one can't.
    expect(text?.getAttribute("p")).toBe(nonsense);
    expect(checkOutline(outline).map(({ kind }) => kind)).toContain("bad_placement");
  }
  text?.setAttribute("p", register);
  expect(shape(outline)).toBe("a(b(c)) d");
  text?.setAttribute("p", "nonsense");
  expect(outline.update(b, { name: "b renamed" })).toEqual({ kind: "ok" });
  expect(outline.node(b)).toMatchObject({ parent: ROOT, rank: 2, createdAt: 1 });
  expect(outline.move(b, { parent: d })).toEqual({ kind: "ok" });
  expect(shape(outline)).toBe("a d(b renamed(c))");
  text?.setAttribute("p", "nonsense");
  expect(outline.trash(b, 0)).toEqual({ kind: "ok" });
  expect([shape(outline), outline.trashedKeys()]).toEqual(["a d", [b]]);
  expect(outline.restore(b)).toEqual({ kind: "ok" });
  expect(shape(outline)).toBe("a d b renamed(c)");
  expect(outline.remove(b)).toEqual({ kind: "ok" });
  expect(shape(outline)).toBe("a d");
});

test("[D23] a text without a place stands last when somebody has written into it, and goes to its place when that comes", () => {
  const lab = new Lab("a b");
  const [author, reader] = [lab.device(0), lab.device(1)];
  const key = "abcdefabcdef";
  const text = new Y.Text();
  author.doc.getMap<Y.Text>("nodes").set(key, text);
  lab.meet();
  expect(shape(reader.outline)).toBe("a b");
  text.insert(0, "new");
  lab.meet();
  expect(shape(reader.outline)).toBe("a b new");
  expect(lab.server.repair.run()).toBe(false);
  const place = { parent: keyOf(lab.keys, "a"), createdAt: lab.clock.nowMs, order: "V" };
  text.setAttribute("p", encodePlacement(place));
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(shape(outline)).toBe("a(new) b");
    expect(checkOutline(outline)).toEqual([]);
  }
});

test("[D23, D40] what a seed brings, and what is deleted, is not shown without a place", () => {
  const lab = new Lab("a");
  const { outline, doc } = lab.server;
  outline.create({ parent: dayKey(2026, 11, 20), name: "x" });
  const nodes = doc.getMap<Y.Text>("nodes");
  expect(nodes.has(dayKey(2026, 11, 21))).toBe(true);
  nodes.get(dayKey(2026, 11, 20))?.setAttribute("p", "nonsense");
  nodes.delete(keyOf(lab.keys, "a"));
  expect(outline.childKeys(ROOT).map((each) => outline.node(each)?.name)).toEqual([
    "📆 Calendar",
    "x",
  ]);
});

test("[D5] attributes and formats of newer versions are kept and mean nothing", () => {
  const lab = new Lab("a b");
  const a = keyOf(lab.keys, "a");
  const text = lab.device(0).doc.getMap<Y.Text>("nodes").get(a);
  text?.setAttribute("z", { new: true });
  text?.format(0, 1, { zz: "newer" });
  lab.meet();
  lab.server.outline.update(a, { name: "a renamed", note: "n" });
  lab.server.outline.move(a, { parent: keyOf(lab.keys, "b") });
  const on = lab.server.doc.getMap<Y.Text>("nodes").get(a);
  expect(on?.getAttribute("z")).toEqual({ new: true });
  expect(on?.toDelta()).toContainEqual({ insert: "a", attributes: { zz: "newer" } });
  expect(lab.server.outline.node(a)?.name).toBe("a renamed");
});

test("[D9] a document of a newer schema says so", () => {
  const outline = soloOutline();
  expect(outline.schemaVersion).toBe(2);
  plant(outline, "a");
  outline.doc.getMap("meta").set("v", 3);
  expect(outline.schemaVersion).toBe(3);
  expect(checkOutline(outline)).toEqual([{ kind: "newer_schema", isError: false }]);
});

test("[D55] the check names what is not as it should be", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b) c");
  const { doc } = outline;
  expect(checkOutline(outline)).toEqual([]);
  outline.create({ parent: dayKey(2026, 11, 20), name: "x" });
  outline.setShortcut("work", keyOf(keys, "c"));
  expect(checkOutline(outline)).toEqual([]);
  const nodes = doc.getMap<unknown>("nodes");
  nodes.set("bad key", new Y.Text());
  nodes.set("cccccccccccc", 5);
  const unreadable = new Y.Text("x");
  nodes.set("dddddddddddd", unreadable);
  unreadable.setAttribute("p", "?");
  // In this order, since a deletion writes down what is fallen.
  outline.remove(keyOf(keys, "c"));
  nodes.delete(keyOf(keys, "a"));
  expect(checkOutline(outline)).toEqual([
    { kind: "not_a_node", isError: false, key: "bad key" },
    { kind: "not_a_node", isError: false, key: "cccccccccccc" },
    { kind: "bad_placement", isError: false, key: "dddddddddddd" },
    { kind: "fallen", isError: false, key: "dddddddddddd" },
    { kind: "fallen", isError: false, key: keyOf(keys, "b") },
    { kind: "dangling_shortcut", isError: false, key: "work" },
  ]);
});

test("[D55] the check finds an index that does not say what the document says", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b) c");
  outline.detach();
  outline.doc.getMap("nodes").delete(keyOf(keys, "b"));
  expect(checkOutline(outline)).toEqual([{ kind: "index_differs", isError: true }]);
  const [first, second] = [new Y.Doc(), new Y.Doc()];
  first.getMap("nodes").set("x", 1);
  const before = Y.encodeStateVector(first);
  first.getMap("nodes").set("x", 2);
  Y.applyUpdate(second, Y.encodeStateAsUpdate(first, before));
  Y.applyUpdate(outline.doc, Y.encodeStateAsUpdate(first, before));
  expect(checkOutline(outline).map(({ kind }) => kind)).toContain("pending_updates");
});

test("[D55] a row that is not where its parent says is an error", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a(b c)");
  const row = outline.tree.rowAt(keyOf(keys, "b"));
  if (row === undefined) throw new Error("no row");
  row.parent = outline.tree.root;
  expect(checkOutline(outline)).toContainEqual({
    kind: "not_a_tree",
    isError: true,
    key: keyOf(keys, "b"),
  });
});

import { expect, test } from "vitest";
import type * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { HandClock, Lab, soloOutline } from "../support/lab.ts";
import { keyOf } from "../support/outline-notation.ts";

function nameText(doc: Y.Doc, key: NodeKey): Y.Text {
  const text = doc.getMap<Y.Text>("nodes").get(key);
  if (text === undefined) throw new Error("no such node");
  return text;
}

test("[M3] modifiedAt changes with name, note, layout, completion and a move, to the second", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const made = outline.create({ parent: ROOT, name: "name" });
  const other = outline.create({ parent: ROOT, name: "other" });
  if (made.kind !== "created" || other.kind !== "created") throw new Error("not created");
  const { key } = made;
  const createdAt = clock.nowSec;
  const changes = [
    () => outline.update(key, { name: "renamed" }),
    () => outline.update(key, { note: "a note" }),
    () => outline.update(key, { note: null }),
    () => outline.update(key, { layout: "todo" }),
    () => outline.update(key, { layout: "bullets" }),
    () => outline.setCompleted(key, true),
    () => outline.setCompleted(key, false),
    () => outline.update(key, { name: "**renamed**" }),
    () => outline.update(key, { name: "renamed" }),
    () => outline.update(key, { name: "re" }),
    () => outline.update(key, { name: "" }),
    () => outline.move(key, { parent: other.key }),
    () => outline.move(key, { parent: ROOT, position: "bottom" }),
  ];
  for (const change of changes) {
    clock.passSeconds(17);
    change();
    expect(outline.node(key)?.modifiedAt).toBe(clock.nowSec);
  }
  expect(outline.node(key)?.createdAt).toBe(createdAt);
  expect(outline.node(other.key)?.modifiedAt).toBe(createdAt);
});

test("[M3] writes of one transaction are dated each by its own second", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  const keys = ["a", "b", "c"].map((name) => {
    const made = outline.create({ parent: ROOT, name });
    if (made.kind !== "created") throw new Error("not created");
    return made.key;
  });
  const written: number[] = [];
  clock.passSeconds(17);
  outline.doc.transact(() => {
    for (const key of keys) {
      outline.update(key, { name: "renamed" });
      written.push(clock.nowSec);
      clock.passSeconds(1);
    }
  });
  expect(keys.map((key) => outline.node(key)?.modifiedAt)).toEqual(written);
});

test("[M3] siblings, children and a parent's deletion leave modifiedAt alone", () => {
  const lab = new Lab("a(b c) d");
  const { outline } = lab.server;
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  const before = outline.node(b)?.modifiedAt;
  lab.clock.passSeconds(100);
  outline.move(c, { parent: a });
  outline.create({ parent: b, name: "child" });
  outline.trash(a, lab.server.log.length);
  outline.restore(a);
  expect(outline.node(b)?.modifiedAt).toBe(before);
  expect(outline.node(a)?.modifiedAt).toBe(before);
});

test("[M3] what repair does to a node leaves modifiedAt alone", () => {
  const lab = new Lab("a project b");
  const project = keyOf(lab.keys, "project");
  const device = lab.device(0);
  const made = device.outline.create({ parent: project, name: "unseen" });
  if (made.kind !== "created") throw new Error(made.kind);
  const createdAt = lab.clock.nowSec;
  lab.clock.passSeconds(500);
  lab.server.outline.remove(project);
  lab.meet();
  expect(lab.server.repair.counts.rescued).toBe(1);
  expect(lab.server.outline.node(made.key)?.modifiedAt).toBe(createdAt);
});

test("[M1, M3] a device's typing is dated by the minute, wherever it is read", () => {
  const lab = new Lab("a b");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  const device = lab.device(0);
  lab.clock.passSeconds(1000);
  const start = lab.clock.nowSec;
  device.outline.update(a, { name: "a typed" });
  lab.clock.passSeconds(30);
  device.outline.update(b, { name: "b typed" });
  lab.clock.passSeconds(40);
  device.outline.update(a, { name: "a typed more" });
  lab.clock.passSeconds(5_000);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect([outline.node(a)?.modifiedAt, outline.node(b)?.modifiedAt]).toEqual([start + 70, start]);
  }
});

test("[M4] a stamp covers what its author wrote before it, and nothing after", () => {
  const clock = new HandClock();
  const outline = soloOutline(clock);
  outline.update(ROOT, {});
  const first = outline.create({ parent: ROOT, name: "x" });
  if (first.kind !== "created") throw new Error(first.kind);
  outline.update(first.key, { name: "marks the clock" });
  clock.passSeconds(10);
  const times = { createdAt: 1_000, modifiedAt: 2_000 };
  const imported = outline.createPlain({ parent: ROOT, name: [{ insert: "old" }], ...times });
  const untouched = outline.createPlain({
    parent: ROOT,
    name: [{ insert: "old too" }],
    createdAt: 1_000,
    completedAt: 1_500,
  });
  expect(outline.node(imported)).toMatchObject(times);
  expect(outline.node(untouched)).toMatchObject({ createdAt: 1_000, modifiedAt: 1_500 });
  outline.update(imported, { name: "new" });
  expect(outline.node(imported)).toMatchObject({ createdAt: 1_000, modifiedAt: clock.nowSec });
});

test("[M7] an edit by a client that keeps no marks is stamped when it arrives, once a minute", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  const { doc } = lab.device(0);
  const created = lab.clock.nowSec;
  lab.clock.passSeconds(30);
  nameText(doc, a).insert(0, "x");
  lab.meet();
  expect(lab.server.outline.node(a)?.modifiedAt).toBe(created);
  lab.clock.passSeconds(100);
  nameText(doc, a).delete(0, 1);
  lab.meet();
  const stamped = lab.clock.nowSec;
  expect(lab.server.outline.node(a)?.modifiedAt).toBe(stamped);
  lab.clock.passSeconds(50);
  nameText(doc, a).insert(0, "yz");
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.modifiedAt).toBe(stamped);
  }
});

test("[M7] what a device dated itself, however late it comes, keeps its date", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  lab.clock.passSeconds(100);
  const edited = lab.clock.nowSec;
  lab.device(0).outline.update(a, { name: "edited on the train" });
  lab.clock.passSeconds(86_400);
  lab.meet();
  expect(lab.server.outline.node(a)?.modifiedAt).toBe(edited);
  expect(lab.server.repair.run()).toBe(false);
});

test("[M8] a server marks at most once a second, a device at most once a minute", () => {
  const lab = new Lab("a b");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  const marks = (doc: Y.Doc): number => doc.getArray("clk").length;
  const { server } = lab;
  const device = lab.device(0);
  const before = [marks(server.doc), marks(device.doc)];
  for (const { outline, doc } of [server, device]) {
    doc.transact(() => {
      for (const key of [a, b, a]) outline.update(key, { name: `${key} ${marks(doc)}` });
    });
    for (let second = 0; second < 10; second++) {
      outline.update(a, { name: `in second ${second}` });
      outline.update(b, { name: `in second ${second}` });
      lab.clock.passSeconds(1);
    }
  }
  expect([marks(server.doc) - (before[0] ?? 0), marks(device.doc) - (before[1] ?? 0)]).toEqual([
    10, 1,
  ]);
});

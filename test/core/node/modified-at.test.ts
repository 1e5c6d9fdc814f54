import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { decodeArrivals } from "../../../src/core/node/arrival-record.ts";
import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { encodePlacement, parsePlacement } from "../../../src/core/tree/placement.ts";
import { HandClock, Lab, soloOutline } from "../../support/lab.ts";
import { keyOf } from "../../support/outline-notation.ts";
import type { Device } from "../../support/replicas.ts";

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
  const arrivedAt = lab.clock.nowSec;
  expect(lab.server.outline.node(made.key)).toMatchObject({ createdAt, modifiedAt: arrivedAt });
  lab.clock.passSeconds(500);
  lab.server.recordArrivals();
  lab.pullAll();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(made.key)).toMatchObject({ createdAt, modifiedAt: arrivedAt });
  }
});

test("[M1, M9] typing has the time of its author until the server says when it came", () => {
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
  const times = (outline: Outline): unknown => [a, b].map((key) => outline.node(key)?.modifiedAt);
  expect(times(device.outline)).toEqual([start + 70, start]);
  lab.clock.passSeconds(5_000);
  const arrivedAt = lab.clock.nowSec;
  lab.meet();
  lab.clock.passSeconds(5_000);
  lab.server.recordArrivals();
  lab.pullAll();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(times(outline)).toEqual([arrivedAt, arrivedAt]);
    // What the author said can still be read.
    const end = Y.getState(outline.doc.store, 10);
    expect(outline.marks.writtenAt(10, end - 1)).toBe(start + 70);
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

/** What somebody outside does to the line `a`, whose note says `note`. */
const CHANGES: readonly (readonly [what: string, change: (device: Device, a: NodeKey) => void])[] =
  [
    ["text", ({ doc }, a) => nameText(doc, a).insert(1, "x")],
    ["text by a device", ({ outline }, a) => outline.update(a, { name: "a typed" })],
    ["text is deleted", ({ doc }, a) => nameText(doc, a).delete(0, 1)],
    ["text is deleted by a device", ({ outline }, a) => outline.update(a, { name: "" })],
    ["a format", ({ doc }, a) => nameText(doc, a).format(0, 1, { b: true })],
    ["a note", ({ outline }, a) => outline.update(a, { note: "noted" })],
    ["a note is emptied", ({ outline }, a) => outline.update(a, { note: null })],
    ["a layout", ({ outline }, a) => outline.update(a, { layout: "h1" })],
    ["a completion", ({ outline }, a) => outline.setCompleted(a, true)],
    ["a move", ({ outline }, a) => outline.move(a, { parent: ROOT, position: "bottom" })],
  ];

describe.each(CHANGES)("%s from outside", (_what, change) => {
  function scene(): { readonly lab: Lab; readonly a: NodeKey } {
    const lab = new Lab("a b");
    const a = keyOf(lab.keys, "a");
    lab.server.outline.update(a, { note: "note" });
    lab.pullAll();
    return { lab, a };
  }

  test.each([0, 1, 30, 59, 61, 86_400])(
    "[M3, M7] dates it anew when it comes %i s later",
    (lateSec) => {
      const { lab, a } = scene();
      const device = lab.device(0);
      // Marks of this device are young.
      device.outline.update(keyOf(lab.keys, "b"), { name: "b typed" });
      lab.meet();
      lab.clock.passSeconds(7);
      change(device, a);
      lab.clock.passSeconds(lateSec);
      lab.meet();
      expect(lab.server.outline.node(a)?.modifiedAt).toBe(lab.clock.nowSec);
    },
  );

  test("[M9] keeps its time in the snapshot, in the record, and for every replica", () => {
    const { lab, a } = scene();
    lab.clock.passSeconds(100);
    change(lab.device(0), a);
    lab.clock.passSeconds(100);
    const arrivedAt = lab.clock.nowSec;
    lab.meet();
    lab.clock.passSeconds(100);
    lab.server.saveSnapshot();
    lab.server.restart();
    expect(lab.server.outline.node(a)?.modifiedAt).toBe(arrivedAt);
    lab.server.recordArrivals();
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.node(a)?.modifiedAt).toBe(arrivedAt);
    }
    lab.server.restart();
    expect(lab.server.outline.node(a)?.modifiedAt).toBe(arrivedAt);
  });

  test("[M9] is recorded once, whatever waited when the snapshot was made", () => {
    const { lab, a } = scene();
    lab.device(1).outline.update(keyOf(lab.keys, "b"), { name: "begins the records" });
    lab.meet();
    lab.clock.passSeconds(100);
    change(lab.device(0), a);
    lab.meet();
    lab.server.saveSnapshot();
    lab.server.restart();
    expect(lab.server.repair.hasUnrecorded).toBe(true);
    lab.server.recordArrivals();
    const logged = lab.server.log.length;
    lab.server.restart();
    expect(lab.server.repair.hasUnrecorded).toBe(false);
    lab.server.recordArrivals();
    expect(lab.server.log).toHaveLength(logged);
  });

  test("[M10] that came behind the last record counts, after a crash, as come when it is loaded", () => {
    const { lab, a } = scene();
    lab.device(1).outline.update(keyOf(lab.keys, "b"), { name: "begins the records" });
    lab.meet();
    const before = lab.clock.nowSec;
    lab.clock.passSeconds(100);
    change(lab.device(0), a);
    lab.meet();
    lab.clock.passSeconds(100);
    lab.server.restart();
    expect(lab.server.outline.node(a)?.modifiedAt).toBe(lab.clock.nowSec);
    expect(lab.server.outline.node(keyOf(lab.keys, "b"))?.modifiedAt).toBe(before);
  });

  test("[M10] who follows what changes is told, after a crash, of what has another time, and once", () => {
    const { lab, a } = scene();
    lab.device(1).outline.update(keyOf(lab.keys, "b"), { name: "begins the records" });
    lab.meet();
    change(lab.device(0), a);
    lab.meet();
    lab.clock.passSeconds(100);
    expect(toldAfterRestart(lab)).toContain(a);
    expect(toldAfterRestart(lab)).toEqual([]);
  });
});

/** The nodes that a server which is started again says to have changed when it records what came. */
function toldAfterRestart(lab: Lab): readonly NodeKey[] {
  lab.server.restart();
  const told: NodeKey[] = [];
  lab.server.outline.onChange(({ nodes }) => told.push(...nodes));
  lab.server.recordArrivals();
  return told;
}

test("[M10] what an older version has kept keeps its time, and the first change is recorded with it", () => {
  const lab = new Lab("a b", 2, { recordArrivals: false });
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  lab.clock.passSeconds(100);
  const edited = lab.clock.nowSec;
  lab.device(0).outline.update(a, { name: "kept by an older version" });
  lab.meet();
  lab.clock.passSeconds(1000);
  lab.server.restart({ recordArrivals: true });
  expect(lab.server.outline.node(a)?.modifiedAt).toBe(edited);
  const length = lab.server.log.length;
  lab.device(0).outline.update(b, { name: "new" });
  lab.meet();
  expect(lab.server.log.length).toBe(length + 2);
  const arrivedAt = lab.clock.nowSec;
  lab.clock.passSeconds(1000);
  lab.server.restart();
  expect([a, b].map((key) => lab.server.outline.node(key)?.modifiedAt)).toEqual([
    edited,
    arrivedAt,
  ]);
});

test("[M4, M9] an import by a device keeps its times", () => {
  const lab = new Lab("a");
  lab.clock.passSeconds(100);
  const times = { createdAt: 1_000, modifiedAt: 2_000 };
  const { outline } = lab.device(0);
  const key = outline.createPlain({ parent: ROOT, name: [{ insert: "old" }], ...times });
  lab.clock.passSeconds(100);
  lab.meet();
  expect(lab.server.outline.node(key)).toMatchObject(times);
  outline.update(key, { name: "new" });
  lab.clock.passSeconds(5);
  lab.meet();
  expect(lab.server.outline.node(key)?.modifiedAt).toBe(lab.clock.nowSec);
});

/** What a client does that says of it what an import says: that it was long ago. */
const STAMPED: readonly (readonly [what: string, change: (device: Device, a: NodeKey) => void])[] =
  [
    ["text", ({ doc }, a) => nameText(doc, a).insert(1, "x")],
    ["a format", ({ doc }, a) => nameText(doc, a).format(0, 1, { b: true })],
    ["a note", ({ outline }, a) => outline.update(a, { note: "noted" })],
    ["a layout", ({ outline }, a) => outline.update(a, { layout: "h1" })],
    ["a move", ({ outline }, a) => outline.move(a, { parent: ROOT, position: "bottom" })],
    ["nothing", () => undefined],
  ];

describe.each(STAMPED)("[M4, M7] %s with a stamp of long ago", (_what, change) => {
  function stamped(lab: Lab, device: Device, key: NodeKey): void {
    lab.clock.passSeconds(1000);
    device.doc.transact(() => {
      change(device, key);
      nameText(device.doc, key).setAttribute("m", 2_000);
    });
    lab.clock.passSeconds(1000);
    lab.meet();
  }

  test("dates a node anew that was there", () => {
    const lab = new Lab("a b");
    const a = keyOf(lab.keys, "a");
    stamped(lab, lab.device(0), a);
    const cameAt = lab.clock.nowSec;
    expect(lab.server.outline.node(a)?.modifiedAt).toBe(cameAt);
    lab.clock.passSeconds(1000);
    lab.server.recordArrivals();
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.node(a)?.modifiedAt).toBe(cameAt);
    }
  });

  test("dates a node anew that another client made, after a crash too", () => {
    const lab = new Lab("a");
    lab.device(1).outline.update(keyOf(lab.keys, "a"), { name: "begins the records" });
    lab.meet();
    const made = lab.device(1).outline.create({ parent: ROOT, name: "made" });
    if (made.kind !== "created") throw new Error(made.kind);
    lab.meet();
    stamped(lab, lab.device(0), made.key);
    expect(lab.server.outline.node(made.key)?.modifiedAt).toBe(lab.clock.nowSec);
    lab.clock.passSeconds(1000);
    lab.server.restart();
    expect(lab.server.outline.node(made.key)?.modifiedAt).toBe(lab.clock.nowSec);
  });

  test("dates a node anew that the same client made before", () => {
    const lab = new Lab("a");
    const device = lab.device(0);
    device.outline.update(keyOf(lab.keys, "a"), { name: "begins the records" });
    lab.meet();
    const made = device.outline.create({ parent: ROOT, name: "made" });
    if (made.kind !== "created") throw new Error(made.kind);
    lab.meet();
    for (let time = 0; time < 3; time++) {
      stamped(lab, device, made.key);
      expect(lab.server.outline.node(made.key)?.modifiedAt).toBe(lab.clock.nowSec);
    }
  });
});

test("[M7] a place that a client writes without a time dates the node when it comes, and keeps that", () => {
  const lab = new Lab("a b");
  const a = keyOf(lab.keys, "a");
  const server = (): number | undefined => lab.server.outline.node(a)?.modifiedAt;
  lab.device(0).outline.update(a, { name: "begins the records" });
  lab.meet();
  const before = server();
  lab.clock.passSeconds(1000);
  const { doc } = lab.device(1);
  const place = parsePlacement(nameText(doc, a).getAttribute("p") as string);
  if (place === undefined) throw new Error("a node has a place");
  nameText(doc, a).setAttribute("p", encodePlacement({ ...place, order: "z" }));
  lab.clock.passSeconds(1000);
  lab.meet();
  const cameAt = lab.clock.nowSec;
  expect([before, server()]).toEqual([cameAt - 2000, cameAt]);
  lab.clock.passSeconds(1000);
  lab.server.recordArrivals();
  lab.pullAll();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.modifiedAt).toBe(cameAt);
  }
});

test("[M9] what is typed into one line is one range of a record, whatever the time it takes", () => {
  const lab = new Lab("a b");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  const device = lab.device(0);
  const clk = (): Y.Array<unknown> => lab.server.doc.getArray("clk");
  lab.meet();
  for (const [key, seconds] of [
    [a, 400],
    [b, 300],
    [a, 20],
  ] as const) {
    for (let second = 0; second < seconds; second++) {
      nameText(device.doc, key).insert(0, "x");
      lab.clock.passSeconds(1);
      lab.push(device);
    }
  }
  const end = lab.clock.nowSec;
  lab.server.recordArrivals();
  const records = clk()
    .toArray()
    .filter((value) => value instanceof Uint8Array);
  const ranges = records.flatMap((bytes) => decodeArrivals(bytes).get(10) ?? []);
  // The first edit is recorded at once.
  expect(ranges.map(({ from, end: to }) => to - from)).toEqual([1, 399, 300, 20]);
  expect([a, b].map((key) => lab.server.outline.node(key)?.modifiedAt)).toEqual([end, end - 20]);
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

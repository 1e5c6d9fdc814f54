import { expect, test } from "vitest";
import * as Y from "yjs";
import { Lab } from "../support/lab.ts";
import { dayKey, INBOX, monthKey, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { keyOf, plant, shape } from "../support/outline-notation.ts";

function keysOf(lab: Lab, ...names: readonly string[]): readonly NodeKey[] {
  return names.map((name) => keyOf(lab.keys, name));
}

/** The same everywhere. */
function expectShape(lab: Lab, notation: string): void {
  for (const { outline } of [lab.server, ...lab.devices]) expect(shape(outline)).toBe(notation);
}

test("[D30] a deletion hides all that is below, whatever its size, in a few bytes", () => {
  const lab = new Lab("a b");
  const { outline, doc } = lab.server;
  const [a = ROOT] = keysOf(lab, "a");
  doc.transact(() => {
    for (let index = 0; index < 2_000; index++) {
      outline.createPlain({ parent: a, position: "bottom", name: [{ insert: `n${index}` }] });
    }
  });
  let bytes = 0;
  doc.on("update", (update: Uint8Array) => (bytes += update.length));
  outline.remove(a);
  expect(bytes).toBeLessThanOrEqual(25);
  expect(outline.size).toBe(1);
  expect([...outline.keysInOrder()]).toEqual(keysOf(lab, "b"));
});

test("[D31] what somebody moved out of a deleted node lives on, with all below it", () => {
  const lab = new Lab("project(task(detail) other) elsewhere");
  const [project = ROOT, task = ROOT, elsewhere = ROOT] = keysOf(
    lab,
    "project",
    "task",
    "elsewhere",
  );
  lab.device(0).outline.move(task, { parent: elsewhere });
  lab.server.outline.remove(project);
  lab.meet();
  expectShape(lab, "elsewhere(task(detail))");
});

test("[D25, D51] what a ring shows outside of a deleted node is no part of it, whatever comes later", () => {
  const lab = new Lab("outer inner hole elsewhere", 3);
  const [outer = ROOT, inner = ROOT, hole = ROOT, elsewhere = ROOT] = keysOf(
    lab,
    "outer",
    "inner",
    "hole",
    "elsewhere",
  );
  const [deleter, other, late] = [lab.device(0), lab.device(1), lab.device(2)];
  lab.server.outline.move(inner, { parent: outer });
  lab.pullAll();
  deleter.outline.move(hole, { parent: inner });
  lab.clock.passSeconds(1);
  other.outline.move(outer, { parent: hole });
  lab.push(other);
  lab.pull(deleter);
  // A ring for the deleter, who sees `outer` at the top, with the hole in it.
  expect(shape(deleter.outline)).toBe("outer(inner(hole)) elsewhere");
  deleter.outline.trash(hole, deleter.seen);
  lab.clock.passSeconds(1);
  late.outline.move(inner, { parent: elsewhere });
  lab.push(late);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) expect(outline.has(outer)).toBe(true);
  expectShape(lab, "outer elsewhere(inner)");
});

test("[D32] what a deleter had not seen is put where the deleted node was, in its order", () => {
  const lab = new Lab("before project(task(detail)) after stray");
  const [project = ROOT, task = ROOT, detail = ROOT, stray = ROOT] = keysOf(
    lab,
    "project",
    "task",
    "detail",
    "stray",
  );
  const device = lab.device(0);
  plant(device.outline, "one two(three)", project);
  plant(device.outline, "deep", detail);
  device.outline.move(stray, { parent: task });
  lab.server.outline.remove(project);
  lab.meet();
  expectShape(lab, "before one two(three) deep stray after");
});

test("[D32] so it does when the mark comes later than what was added", () => {
  const lab = new Lab("a project(task) b");
  const [project = ROOT, task = ROOT] = keysOf(lab, "project", "task");
  const [first, second] = [lab.device(0), lab.device(1)];
  second.outline.trash(project, second.seen);
  plant(first.outline, "seen", task);
  lab.push(first);
  lab.push(second);
  lab.pullAll();
  expectShape(lab, "a seen b");
  // And what the deleter had seen goes with it.
  second.outline.trash(keyOf(lab.keys, "b"), second.seen);
  lab.meet();
  expectShape(lab, "a seen");
});

test("[D32] what is below two deletions is hidden as soon as one of the deleters had seen it", () => {
  const lab = new Lab("outer(inner(x))");
  const [outer = ROOT, inner = ROOT] = keysOf(lab, "outer", "inner");
  const [first, second] = [lab.device(0), lab.device(1)];
  first.outline.trash(outer, first.seen);
  plant(lab.server.outline, "added", inner);
  lab.pull(second);
  second.outline.trash(inner, second.seen);
  lab.push(second);
  lab.push(first);
  lab.pullAll();
  expectShape(lab, "");
});

test("[D33] a move of a trashed node itself, unseen by the deleter, takes it out of the trash", () => {
  const lab = new Lab("a project(task) b");
  const [project = ROOT, b = ROOT] = keysOf(lab, "project", "b");
  const device = lab.device(1);
  lab.device(0).outline.move(project, { parent: b });
  device.outline.trash(project, device.seen);
  lab.meet();
  expectShape(lab, "a b(project(task))");
});

test("[D33] that a node was made, by another tab of the deleter and not sent yet, is no move", () => {
  for (const isSentAtOnce of [true, false]) {
    const lab = new Lab("a b");
    const device = lab.device(0);
    const { line = ROOT } = plant(device.outline, "line");
    // A device writes under another client id in each tab, and when one is used up.
    device.doc.clientID++;
    device.outline.trash(line, device.seen);
    if (isSentAtOnce) device.unsent.splice(0, 2, Y.mergeUpdates(device.unsent));
    lab.meet();
    expectShape(lab, "a b");
    expect(lab.server.outline.trashedKeys()).toEqual([line]);
  }
});

test("[D33] an edit of its text, a reorder by repair, or a move that was seen does not", () => {
  const lab = new Lab("a project(task) b");
  const [a = ROOT, project = ROOT, b = ROOT] = keysOf(lab, "a", "project", "b");
  const device = lab.device(0);
  lab.server.outline.move(project, { parent: b });
  lab.pullAll();
  device.outline.trash(project, device.seen);
  lab.device(1).outline.update(project, { name: "edited" });
  const row = lab.server.outline.tree.rowAt(project);
  if (row === undefined) throw new Error("no row");
  lab.server.doc.transact(() => lab.server.outline.treeWriter.reorder([row], ["k-0V"]));
  lab.meet();
  expectShape(lab, "a b");
  expect(lab.server.outline.move(a, { parent: project })).toEqual({ kind: "not_found" });
});

test("[D34] a node in the trash comes back where it was; one that is deleted for good does not", () => {
  const lab = new Lab("a(x y(z)) b");
  const [y = ROOT, b = ROOT] = keysOf(lab, "y", "b");
  const device = lab.device(0);
  device.outline.trash(y, device.seen);
  lab.meet();
  expectShape(lab, "a(x) b");
  expect(lab.server.outline.trashedKeys()).toEqual([y]);
  expect(device.outline.restore(y)).toEqual({ kind: "ok" });
  lab.server.outline.remove(b);
  lab.meet();
  expectShape(lab, "a(x y(z))");
  expect(device.outline.trashedKeys()).toEqual([]);
  expect(device.outline.restore(b)).toEqual({ kind: "not_found" });
});

test("[D34] from below another deleted node it comes back where that one was", () => {
  const lab = new Lab("a outer(x(y)) b");
  const [outer = ROOT, x = ROOT] = keysOf(lab, "outer", "x");
  const { outline } = lab.server;
  outline.trash(x, lab.server.log.length);
  outline.trash(outer, lab.server.log.length);
  outline.restore(x);
  lab.meet();
  expectShape(lab, "a x(y) b");
});

test("[D35] a deleted day that somebody offline used comes back, with only what they added", () => {
  const lab = new Lab("a");
  const day = dayKey(2026, 11, 20);
  const { server } = lab;
  server.outline.create({ parent: day, name: "old" });
  server.outline.create({ parent: INBOX, name: "old too" });
  lab.pullAll();
  const device = lab.device(0);
  device.outline.create({ parent: day, name: "new" });
  device.outline.create({ parent: INBOX, name: "new too" });
  server.outline.remove(monthKey(2026, 11));
  server.outline.remove(INBOX);
  lab.meet();
  for (const { outline } of [server, ...lab.devices]) {
    expect(outline.children(day).map(({ name }) => name)).toEqual(["new"]);
    expect(outline.children(INBOX).map(({ name }) => name)).toEqual(["new too"]);
    expect(outline.node(day)?.parent).toBe(monthKey(2026, 11));
  }
});

test("[D36] what came back empty stays so for who had not seen the deletion", () => {
  const lab = new Lab("a");
  const day = dayKey(2026, 11, 20);
  const { server } = lab;
  server.outline.create({ parent: day, name: "old" });
  lab.pullAll();
  const device = lab.device(0);
  plant(device.outline, "unseen", day);
  server.outline.remove(day);
  server.outline.create({ parent: day, name: "fresh" });
  lab.meet();
  for (const { outline } of [server, ...lab.devices]) {
    expect(
      outline
        .children(day)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["fresh", "unseen"]);
  }
});

test("[D32, D36] who fills a deleted inbox again deletes nothing in it that came since the deletion", () => {
  for (const sendsFirst of [false, true]) {
    const lab = new Lab("a");
    const { server } = lab;
    server.outline.create({ parent: INBOX, name: "old" });
    lab.pullAll();
    const device = lab.device(0);
    device.outline.trash(INBOX, device.seen);
    server.outline.create({ parent: INBOX, name: "unseen" });
    lab.pull(device);
    if (sendsFirst) lab.push(device);
    device.outline.create({ parent: INBOX, name: "new" });
    lab.meet();
    for (const { outline } of [server, ...lab.devices]) {
      const names = outline.children(INBOX).map(({ name }) => name);
      expect(names.toSorted()).toEqual(["new", "unseen"]);
    }
  }
});

test("[D32, D36] so it does when the inbox was deleted for good, and sends what it had put in before", () => {
  const lab = new Lab("a");
  const { server } = lab;
  server.outline.create({ parent: INBOX, name: "old" });
  lab.pullAll();
  const device = lab.device(0);
  device.outline.create({ parent: INBOX, name: "unseen" });
  server.outline.remove(INBOX);
  lab.pull(device);
  device.outline.create({ parent: INBOX, name: "new" });
  lab.meet();
  for (const { outline } of [server, ...lab.devices]) {
    const names = outline.children(INBOX).map(({ name }) => name);
    expect(names.toSorted()).toEqual(["new", "unseen"]);
  }
});

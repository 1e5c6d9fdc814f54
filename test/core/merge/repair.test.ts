import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { expect, test } from "vitest";
import type * as Y from "yjs";
import { Arrivals } from "../../../src/core/merge/arrivals.ts";
import { dayKey, ROOT } from "../../../src/core/node-key.ts";
import { encodePlacement } from "../../../src/core/tree/placement.ts";
import type { Position } from "../../../src/core/tree/sibling-gap.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf, plant, shape } from "../../support/outline-notation.ts";
import { integerBelow, seededRandom } from "../../support/seeded-random.ts";

test("[D46] what arrived lately is known exactly, what arrived long ago never as too early", () => {
  const random = seededRandom(3);
  const arrivals = new Arrivals();
  const known: { client: number; clock: number; seq: number }[] = [];
  const clocks = [0, 0, 0];
  const total = 60_000;
  for (let seq = 1; seq <= total; seq++) {
    const client = integerBelow(random, 3);
    const clock = clocks[client] ?? 0;
    known.push({ client, clock, seq });
    clocks[client] = clock + 1 + integerBelow(random, 4);
    arrivals.note(client, clocks[client] ?? 0, seq);
  }
  const encoder = encoding.createEncoder();
  arrivals.encode(encoder);
  const bytes = encoding.toUint8Array(encoder);
  expect(bytes.length).toBeLessThan(40_000);
  const decoded = Arrivals.decode(decoding.createDecoder(bytes));
  expect(decoded.latest).toBe(total);
  for (const each of [arrivals, decoded]) {
    const wrong = known.filter(({ client, clock, seq }) => {
      const error = each.seqOf({ client, clock }) - seq;
      return error < 0 || error > (total - seq) / 512;
    });
    expect(wrong).toEqual([]);
    expect(each.seqOf({ client: 0, clock: clocks[0] ?? 0 })).toBe(Number.POSITIVE_INFINITY);
    expect(each.seqOf({ client: 9, clock: 0 })).toBe(Number.POSITIVE_INFINITY);
  }
});

test("[D47] after a restart the server still knows what a deleter had not seen", () => {
  for (const snapshotFirst of [true, false]) {
    const lab = new Lab("a project(task) b");
    const project = keyOf(lab.keys, "project");
    const [first, second] = [lab.device(0), lab.device(1)];
    second.outline.trash(project, second.seen);
    plant(first.outline, "unseen", keyOf(lab.keys, "task"));
    if (snapshotFirst) lab.server.saveSnapshot();
    lab.push(first);
    if (!snapshotFirst) lab.server.saveSnapshot();
    lab.server.restart();
    lab.push(second);
    expect(shape(lab.server.outline)).toBe("a unseen b");
  }
});

test("[D47] what came in before a crash and was not repaired is repaired after it", () => {
  const lab = new Lab("a project(task) b");
  const project = keyOf(lab.keys, "project");
  const [first, second] = [lab.device(0), lab.device(1)];
  lab.server.repair.run();
  lab.server.saveSnapshot();
  second.outline.trash(project, second.seen);
  plant(first.outline, "unseen", keyOf(lab.keys, "task"));
  for (const device of [first, second]) {
    for (const update of device.unsent.splice(0)) lab.server.receive(update, device);
  }
  lab.server.restart();
  expect(shape(lab.server.outline)).toBe("a b");
  expect(lab.server.repair.run()).toBe(true);
  expect(shape(lab.server.outline)).toBe("a unseen b");
});

test("[D47] what was decided stays decided, however long ago it was", () => {
  const lab = new Lab("a project(task) b");
  const project = keyOf(lab.keys, "project");
  const [first, second] = [lab.device(0), lab.device(1)];
  plant(first.outline, "seen", project);
  lab.meet();
  second.outline.trash(project, second.seen);
  lab.meet();
  for (let round = 0; round < 1_200; round++) {
    lab.server.outline.update(keyOf(lab.keys, "a"), { name: `a${round % 2}` });
  }
  lab.server.repair.run();
  lab.server.saveSnapshot();
  lab.server.restart();
  expect(lab.server.repair.run()).toBe(false);
  expect(shape(lab.server.outline)).toBe("a1 b");
});

test("[D45] order keys that have grown long get short ones, and nothing moves", () => {
  const lab = new Lab("a");
  const device = lab.device(0);
  const { outline } = device;
  let position: Position = "top";
  for (let index = 0; index < 200; index++) {
    const made = outline.create({ parent: ROOT, position, name: `n${index}` });
    if (made.kind !== "created") throw new Error(made.kind);
    position = index % 2 === 0 ? { before: made.key } : { after: made.key };
  }
  const wanted = outline.childKeys(ROOT);
  const longest = (): number =>
    Math.max(...wanted.map((key) => lab.server.outline.tree.rowAt(key)?.order.length ?? 0));
  for (const update of device.unsent.splice(0)) lab.server.receive(update, device);
  expect(longest()).toBeGreaterThan(100);
  expect(lab.server.repair.run()).toBe(true);
  expect(longest()).toBeLessThanOrEqual(48);
  lab.pullAll();
  for (const replica of [lab.server, ...lab.devices]) {
    expect(replica.outline.childKeys(ROOT)).toEqual(wanted);
  }
  expect(lab.server.repair.counts.rebalanced).toBeGreaterThan(0);
});

test("[D45] an order key that would be too long to be read is never written", () => {
  const lab = new Lab("a");
  const device = lab.device(0);
  const { outline, doc } = device;
  const [first] = Object.values(plant(outline, "x y"));
  if (first === undefined) throw new Error("not planted");
  const order = `V${"-0V".repeat(1_365)}`;
  const text = doc.getMap<Y.Text>("nodes").get(first);
  const createdAt = lab.clock.nowMs;
  text?.setAttribute("p", encodePlacement({ parent: ROOT, createdAt, order }));
  for (let round = 0; round < 5; round++) {
    const made = outline.create({ parent: ROOT, position: { after: first }, name: `n${round}` });
    if (made.kind !== "created") throw new Error(made.kind);
    expect(outline.has(made.key)).toBe(true);
  }
  lab.meet();
  for (const replica of [lab.server, ...lab.devices]) expect(replica.outline.size).toBe(8);
  const lengths = lab.server.outline
    .childKeys(ROOT)
    .map((key) => lab.server.outline.tree.rowAt(key)?.order.length ?? 0);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(48);
});

test("[D45] rebalancing leaves the fixed orders of days alone", () => {
  const lab = new Lab("a");
  const { outline } = lab.server;
  const days = [1, 2, 3].map((day) => dayKey(2026, 11, day));
  for (const parent of days) outline.create({ parent, name: "x" });
  const [first = ROOT, second = ROOT] = days;
  const month = outline.node(first)?.parent ?? ROOT;
  let position: Position = { after: first };
  for (let index = 0; index < 150; index++) {
    const made = outline.create({ parent: month, position, name: `n${index}` });
    if (made.kind !== "created") throw new Error(made.kind);
    position = index % 2 === 0 ? { before: made.key } : { after: made.key };
  }
  const orders = days.map((day) => outline.tree.rowAt(day)?.order);
  lab.server.repair.run();
  expect(days.map((day) => outline.tree.rowAt(day)?.order)).toEqual(orders);
  const lengths = outline.childKeys(month).map((key) => outline.tree.rowAt(key)?.order.length ?? 0);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(48);
  outline.create({ parent: dayKey(2026, 11, 4), name: "x" });
  const children = outline.childKeys(month);
  expect(children.indexOf(second)).toBe(151);
  expect(children.at(-1)).toBe(dayKey(2026, 11, 4));
});

test("[D44] repair answers whether it wrote, and is at rest when nothing is wrong", () => {
  const lab = new Lab("a(b) c");
  const { server } = lab;
  expect(server.repair.run()).toBe(false);
  const length = server.log.length;
  server.outline.create({ parent: ROOT, name: "x" });
  server.outline.remove(keyOf(lab.keys, "a"));
  expect(server.repair.run()).toBe(false);
  expect(server.log.length).toBe(length + 2);
  lab.device(0).outline.update(keyOf(lab.keys, "c"), { name: "renamed" });
  lab.push(lab.device(0));
  // The update, and the first record of when something came.
  expect(server.log.length).toBe(length + 4);
  expect(server.repair.run()).toBe(false);
  expect(server.repair.deletedAt(keyOf(lab.keys, "a"))).toBe(length + 2);
  expect(server.repair.deletedAt(keyOf(lab.keys, "c"))).toBeUndefined();
});

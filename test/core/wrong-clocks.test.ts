import { describe, expect, test } from "vitest";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { ATTRIBUTE, nodesOf, textOf } from "../../src/core/schema.ts";
import { Lab } from "../support/lab.ts";
import { keyOf } from "../support/outline-notation.ts";
import type { Device } from "../support/replicas.ts";

const YEAR_S = 365 * 86_400;

/** Lets a device do something by a clock that is off. */
function byClock(lab: Lab, offSec: number, work: () => void): void {
  lab.clock.passSeconds(offSec);
  work();
  lab.clock.passSeconds(-offSec);
}

const EDITS: readonly (readonly [what: string, edit: (device: Device, a: NodeKey) => void])[] = [
  ["a text", ({ outline }, a) => outline.update(a, { name: "typed" })],
  ["a deletion of text", ({ outline }, a) => outline.update(a, { name: "" })],
  ["a note", ({ outline }, a) => outline.update(a, { note: "noted" })],
  ["a layout", ({ outline }, a) => outline.update(a, { layout: "h1" })],
  ["a completion", ({ outline }, a) => outline.setCompleted(a, true)],
  ["a reopening", ({ outline }, a) => outline.setCompleted(a, false)],
  ["a move", ({ outline }, a) => outline.move(a, { parent: ROOT, position: "bottom" })],
];

describe.each(EDITS)("[M11] %s by a clock that is a year ahead", (_what, edit) => {
  test.each(["device first", "device last"])("leaves no time ahead of now: %s", (order) => {
    const lab = new Lab("a b c");
    const a = keyOf(lab.keys, "a");
    lab.server.outline.setCompleted(a, true);
    lab.clock.passSeconds(10);
    lab.pullAll();
    byClock(lab, YEAR_S, () => edit(lab.device(0), a));
    lab.device(1).outline.update(a, { note: "at the same time" });
    lab.clock.passSeconds(5);
    for (const index of order === "device first" ? [0, 1] : [1, 0]) lab.push(lab.device(index));
    const now = lab.clock.nowSec;
    lab.server.recordArrivals();
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      const { createdAt, modifiedAt, completedAt } = outline.node(a) ?? {};
      expect(Math.max(createdAt ?? 0, modifiedAt ?? 0, completedAt ?? 0)).toBeLessThanOrEqual(now);
    }
    lab.clock.passSeconds(100);
    lab.server.outline.update(a, { name: "renamed by a program" });
    expect(lab.server.outline.node(a)?.modifiedAt).toBe(lab.clock.nowSec);
    expect(lab.server.repair.run()).toBe(false);
  });
});

function fieldsOf(outline: Outline, key: NodeKey): unknown {
  const { parent, layout, completedAt } = outline.node(key) ?? {};
  return { parent, layout, isCompleted: completedAt !== null };
}

/** What is done first by the clock that is ahead, and later, in truth, by another device. */
const PAIRS: readonly (readonly [
  string,
  (outline: Outline, a: NodeKey, b: NodeKey, isLater: boolean) => void,
])[] = [
  ["moves", (outline, a, b, isLater) => outline.move(a, { parent: isLater ? b : ROOT })],
  ["layouts", (outline, a, _b, isLater) => outline.update(a, { layout: isLater ? "h1" : "h2" })],
  [
    "completions",
    (outline, a, _b, isLater) => {
      outline.setCompleted(a, true);
      if (isLater) outline.setCompleted(a, false);
    },
  ],
];

describe.each(PAIRS)("[M12] of %s on two sides", (_what, edit) => {
  test("a clock ahead wins for no longer than it takes its write to come", () => {
    const lab = new Lab("c(a) b");
    const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
    // Of the greater client id too.
    byClock(lab, YEAR_S, () => edit(lab.device(1).outline, a, b, false));
    lab.push(lab.device(1));
    lab.clock.passSeconds(100);
    edit(lab.device(0).outline, a, b, true);
    lab.clock.passSeconds(100);
    const wanted = fieldsOf(lab.device(0).outline, a);
    lab.meet();
    for (const { outline } of [lab.server, ...lab.devices])
      expect(fieldsOf(outline, a)).toEqual(wanted);
  });

  test("a write that comes after it, by a program, stays", () => {
    const lab = new Lab("c(a) b");
    const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
    byClock(lab, YEAR_S, () => edit(lab.device(1).outline, a, b, false));
    lab.push(lab.device(1));
    lab.clock.passSeconds(1);
    edit(lab.server.outline, a, b, true);
    const wanted = fieldsOf(lab.server.outline, a);
    lab.meet();
    for (const { outline } of [lab.server, ...lab.devices])
      expect(fieldsOf(outline, a)).toEqual(wanted);
  });
});

test("[M11] a node that was made by a clock ahead is made when it comes", () => {
  const lab = new Lab("a");
  let key: NodeKey | undefined;
  byClock(lab, YEAR_S, () => {
    const made = lab.device(0).outline.create({ parent: ROOT, name: "new" });
    if (made.kind === "created") key = made.key;
  });
  lab.clock.passSeconds(10);
  lab.meet();
  lab.server.recordArrivals();
  lab.pullAll();
  const now = lab.clock.nowSec;
  if (key === undefined) throw new Error("not created");
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(key)).toMatchObject({ name: "new", createdAt: now, modifiedAt: now });
  }
});

test("[M11] a minute ahead is believed", () => {
  const lab = new Lab("a b");
  const a = keyOf(lab.keys, "a");
  byClock(lab, 59, () => lab.device(0).outline.setCompleted(a, true));
  const { completedAt } = lab.device(0).outline.node(a) ?? {};
  lab.meet();
  expect(lab.server.repair.counts.clamped).toBe(0);
  expect(lab.server.outline.node(a)?.completedAt).toBe(completedAt);
});

test("[M14] a node is not shown as completed before it was created", () => {
  const lab = new Lab("a b");
  const a = keyOf(lab.keys, "a");
  const { createdAt } = lab.server.outline.node(a) ?? {};
  byClock(lab, -YEAR_S, () => lab.device(0).outline.setCompleted(a, true));
  lab.clock.passSeconds(50);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.node(a)?.completedAt).toBe(createdAt);
  }
});

test("[M15] what an older version has kept loses its times ahead of now when it is opened", () => {
  const lab = new Lab("a b c d", 2, { clampTimes: false, recordArrivals: false });
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c || !d) throw new Error("not planted");
  byClock(lab, YEAR_S, () => {
    const { outline } = lab.device(0);
    outline.move(a, { parent: d });
    outline.setCompleted(b, true);
    outline.update(c, { name: "typed by a clock ahead" });
    outline.update(d, { layout: "h1" });
    outline.setShortcut("star", d);
  });
  lab.meet();
  const tomorrow = lab.clock.nowSec + 86_400;
  expect(lab.server.outline.node(c)?.modifiedAt).toBeGreaterThan(tomorrow);
  lab.clock.passSeconds(500);
  lab.server.restart({ clampTimes: true, recordArrivals: true });
  expect(lab.server.repair.run()).toBe(true);
  lab.pullAll();
  const now = lab.clock.nowSec;
  for (const { outline } of [lab.server, ...lab.devices]) {
    for (const key of [a, b, c, d]) {
      const { createdAt, modifiedAt, completedAt } = outline.node(key) ?? {};
      expect(Math.max(createdAt ?? 0, modifiedAt ?? 0, completedAt ?? 0)).toBeLessThanOrEqual(now);
    }
    expect(outline.node(a)?.parent).toBe(d);
    expect(outline.node(b)?.completedAt).toBe(now);
    expect(outline.node(d)?.layout).toBe("h1");
  }
  lab.clock.passSeconds(1);
  lab.server.outline.setShortcut("star", a);
  expect(lab.server.outline.shortcutNode("star")).toBe(a);
  expect(lab.server.repair.run()).toBe(false);
});

test("[M10, M15] what came before a write by a clock ahead counts, after a crash, as come when it is loaded", () => {
  const lab = new Lab("a b c");
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  lab.device(1).outline.update(c, { name: "begins the records" });
  lab.meet();
  lab.clock.passSeconds(100);
  lab.device(0).outline.update(a, { name: "a typed" });
  byClock(lab, YEAR_S, () => lab.device(0).outline.update(b, { name: "b typed" }));
  lab.meet();
  lab.clock.passSeconds(100);
  lab.server.restart();
  const loadedAt = lab.clock.nowSec;
  const times = (): unknown => [a, b].map((key) => lab.server.outline.node(key)?.modifiedAt);
  expect(times()).toEqual([loadedAt, loadedAt]);
  lab.clock.passSeconds(100);
  lab.server.recordArrivals();
  lab.server.restart();
  expect(times()).toEqual([loadedAt, loadedAt]);
});

test.each([Number.MAX_SAFE_INTEGER, 253_402_300_800, -5, 0.5])(
  "[M16] %f is no time: not modified then, nor marked",
  (nonsense) => {
    const lab = new Lab("a");
    const a = keyOf(lab.keys, "a");
    const before = lab.server.outline.node(a);
    const { doc } = lab.server;
    doc.getArray("clk").push([nonsense]);
    textOf(nodesOf(doc), a)?.setAttribute(ATTRIBUTE.modified, nonsense);
    expect(lab.server.outline.node(a)).toEqual(before);
  },
);

import { describe, expect, test } from "vitest";
import type { Layout } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { nodesOf, shortcutsOf, textOf } from "../../../src/core/schema.ts";
import { encodeTimed, parseTimed, timeAfter } from "../../../src/core/node/timed-value.ts";
import { everyOrder, type Act } from "../../support/every-order.ts";
import { Lab } from "../../support/lab.ts";
import { keyOf } from "../../support/outline-notation.ts";

const layOut =
  (layout: Layout): Act =>
  (outline, at) =>
    expect(outline.update(at("a"), { layout })).toEqual({ kind: "ok" });

const trash: Act = (outline, at, seen) =>
  expect(outline.trash(at("a"), seen)).toEqual({ kind: "ok" });
const restore: Act = (outline, at) => expect(outline.restore(at("a"))).toEqual({ kind: "ok" });
const point =
  (name: string): Act =>
  (outline, at) =>
    expect(outline.setShortcut("Work", at(name))).toEqual({ kind: "ok" });
const unpoint: Act = (outline) => expect(outline.removeShortcut("work")).toEqual({ kind: "ok" });
const both =
  (...acts: readonly Act[]): Act =>
  (outline, at, seen) => {
    for (const act of acts) act(outline, at, seen);
  };

describe("[D70] of concurrent writes what was done last wins, in every order", () => {
  test.each<readonly [string, readonly Act[], Layout]>([
    ["of two", [layOut("todo"), layOut("h1")], "h1"],
    ["of three", [layOut("h2"), layOut("todo"), layOut("h1")], "h1"],
    ["after others of the same person", [both(layOut("h1"), layOut("h3")), layOut("todo")], "todo"],
  ])("layouts: %s", (_, acts, expected) => {
    const played = everyOrder({ notation: "a b", acts }, (outline, at) =>
      expect(outline.node(at("a"))?.layout).toBe(expected),
    );
    // As many for two acts, more for three.
    expect(played).toBeGreaterThanOrEqual(8);
  });

  test.each<readonly [string, Act, readonly Act[], boolean]>([
    ["trashed, then restored", trash, [both(restore, trash), restore], true],
    ["restored, then trashed", trash, [restore, both(restore, trash)], false],
    [
      "restored by one, trashed and restored by others",
      trash,
      [both(restore, trash), restore, both(restore, trash)],
      false,
    ],
  ])("the trash: %s", (_, before, acts, isThere) => {
    everyOrder({ notation: "a b", before, acts }, (outline, at) =>
      expect(outline.has(at("a"))).toBe(isThere),
    );
  });

  test.each<readonly [string, readonly Act[], string | undefined]>([
    ["pointed at two nodes", [point("a"), point("b")], "b"],
    ["pointed anew, then removed", [point("b"), unpoint], undefined],
    ["removed, then pointed anew", [unpoint, point("b")], "b"],
    ["removed, pointed, removed", [unpoint, point("b"), unpoint], undefined],
  ])("a shortcut: %s", (_, acts, expected) => {
    everyOrder({ notation: "a b c", before: point("c"), acts }, (outline, at) => {
      const node = expected === undefined ? undefined : at(expected);
      expect(outline.shortcutNode("work")).toBe(node);
    });
  });

  test("settings", () => {
    const acts: readonly Act[] = [
      (outline) => outline.configure({ timezone: "Asia/Tokyo", weekStart: 3 }),
      (outline) => outline.configure({ timezone: "Europe/Vienna" }),
      (outline) => outline.configure({ weekStart: 0 }),
    ];
    everyOrder({ notation: "a", acts }, (outline) =>
      expect(outline.settings()).toEqual({ timezone: "Europe/Vienna", weekStart: 0 }),
    );
  });

  test("in the same millisecond it is the greater client id, as in Yjs", () => {
    const lab = new Lab("a", 3);
    const a = keyOf(lab.keys, "a");
    for (const [index, layout] of (["h1", "h2", "h3"] as const).entries()) {
      lab.device(index).outline.update(a, { layout });
    }
    for (const index of [2, 0, 1]) lab.push(lab.device(index));
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.node(a)?.layout).toBe("h3");
    }
  });

  test("who says no time is earlier than who does, and by the time marks when there are any", () => {
    const lab = new Lab("a", 3);
    const a = keyOf(lab.keys, "a");
    const [timed, untimed, marked] = [lab.device(0), lab.device(2), lab.device(1)];
    timed.outline.update(a, { layout: "h1" });
    textOf(nodesOf(untimed.doc), a)?.setAttribute("l", "todo");
    lab.push(untimed);
    lab.push(timed);
    expect(lab.server.outline.node(a)?.layout).toBe("h1");
    lab.clock.passSeconds(600);
    // Keeps marks, as programs of the first schema did, and says no times beside them.
    marked.outline.editText(a, "name", (text) => {
      text.insert(0, "x");
      text.setAttribute("l", "h2");
    });
    lab.push(marked);
    lab.pullAll();
    for (const { outline } of [lab.server, ...lab.devices]) {
      expect(outline.node(a)?.layout).toBe("h2");
    }
  });

  test("what is unreadable is the earliest, and what has no time at all is left to Yjs", () => {
    const lab = new Lab("a b", 3);
    const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
    const set = (index: number, key: NodeKey, value: unknown): void =>
      textOf(nodesOf(lab.device(index).doc), key)?.setAttribute("l", value);
    for (const [index, layout] of ["h1", "h2", "h3"].entries()) set(index, b, layout);
    lab.device(0).outline.update(a, { layout: "h1" });
    set(1, a, 17);
    set(2, a, "todo\n??!!..~");
    lab.meet();
    expect(lab.server.outline.node(a)?.layout).toBe("h1");
    expect(lab.server.outline.node(b)?.layout).toBe("h3");
    expect(textOf(nodesOf(lab.server.doc), b)?.getAttribute("l")).toBe("h3");
  });
});

test("[D73] a write is later than the one it replaces, even by a clock that is behind", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  lab.device(0).outline.update(a, { layout: "h1" });
  lab.meet();
  lab.clock.passSeconds(-3_600);
  lab.device(1).outline.update(a, { layout: "h2" });
  const text = textOf(nodesOf(lab.device(1).doc), a);
  const { at } = parseTimed(String(text?.getAttribute("l")));
  expect(at).toBe(lab.clock.nowMs + 3_600_001);
  lab.meet();
  expect(lab.server.outline.node(a)?.layout).toBe("h2");
  // One that is more than a day ahead is not followed.
  expect(timeAfter(lab.clock.nowMs + 25 * 3_600_000, lab.clock.nowMs)).toBe(lab.clock.nowMs);
});

test("[D73] a value reads back with its time, and nonsense has none", () => {
  const at = Date.UTC(2026, 10, 20);
  for (const time of [{ at }, { at, by: 17 }, { at: 0 }]) {
    expect(parseTimed(encodeTimed({ value: "todo", ...time }))).toEqual({ value: "todo", ...time });
  }
  for (const text of ["todo\n", "todo\n123", "todo\n???????", "todo\n-------", "todo\n1234567!"]) {
    expect(parseTimed(text)).toEqual({ value: "todo", at: 0 });
  }
});

test("[D75] a hundred removed shortcuts are remembered, and a real removal is one of unknown time", () => {
  const lab = new Lab("a b");
  const [a, b] = [keyOf(lab.keys, "a"), keyOf(lab.keys, "b")];
  const { outline, doc } = lab.server;
  for (let index = 0; index < 150; index++) {
    lab.clock.passSeconds(1);
    outline.setShortcut(`s${index}`, a);
    outline.removeShortcut(`s${index}`);
  }
  expect(outline.shortcuts()).toEqual([]);
  expect(shortcutsOf(doc).size).toBe(100);
  outline.setShortcut("stays", a);
  lab.meet();
  lab.device(0).outline.setShortcut("stays", b);
  shortcutsOf(lab.device(1).doc).delete("stays");
  lab.meet();
  expect(outline.shortcuts()).toEqual([{ key: "stays", node: b }]);
  shortcutsOf(lab.device(1).doc).delete("stays");
  lab.meet();
  expect(outline.shortcuts()).toEqual([]);
});

test("[D74] what repair writes again says when and by whom it was written, and is no edit", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  lab.server.outline.update(a, { name: "edited" });
  lab.pullAll();
  lab.clock.passSeconds(100);
  const at = lab.clock.nowMs;
  lab.device(1).outline.update(a, { layout: "h1" });
  lab.clock.passSeconds(-50);
  lab.device(0).outline.update(a, { layout: "h2" });
  lab.device(0).outline.setCompleted(a, true);
  lab.clock.passSeconds(500);
  lab.server.outline.create({ parent: a, name: "marks the server's clock" });
  lab.push(lab.device(1));
  lab.push(lab.device(0));
  const layout = textOf(nodesOf(lab.server.doc), a)?.getAttribute("l");
  expect(parseTimed(String(layout))).toEqual({ value: "h1", at });
  expect(lab.server.outline.modifiedAt(a)).toBe(lab.clock.nowSec);
  // The other way round it is the server that writes it.
  const again = new Lab("a");
  const key = keyOf(again.keys, "a");
  again.clock.passSeconds(100);
  again.device(0).outline.update(key, { layout: "h1" });
  again.clock.passSeconds(-50);
  again.device(1).outline.update(key, { layout: "h2" });
  again.clock.passSeconds(500);
  again.server.outline.create({ parent: key, name: "marks the server's clock" });
  again.push(again.device(0));
  again.push(again.device(1));
  const renewed = textOf(nodesOf(again.server.doc), key)?.getAttribute("l");
  expect(parseTimed(String(renewed))).toEqual({ value: "h1", at, by: 10 });
  expect(again.server.outline.modifiedAt(key)).toBe(again.clock.nowSec);
});

import { expect, test } from "vitest";
import { INBOX, isNodeKey, ROOT } from "../../src/core/node-key.ts";
import { parseReference } from "../../src/core/reference.ts";
import { Lab, soloOutline } from "../support/lab.ts";
import { keyOf, plant } from "../support/outline-notation.ts";

test("[D48] shortcuts are listed by age on every replica, in the case in which they were written", () => {
  const lab = new Lab("a b c");
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  lab.server.outline.setShortcut("zebra", a);
  lab.clock.passSeconds(10);
  lab.device(0).outline.setShortcut(" Work ", b);
  lab.clock.passSeconds(10);
  lab.device(1).outline.setShortcut("apple", c);
  lab.meet();
  lab.clock.passSeconds(10);
  lab.server.outline.setShortcut("WORK", a);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.shortcuts()).toEqual([
      { key: "zebra", node: a },
      { key: "WORK", node: a },
      { key: "apple", node: c },
    ]);
    expect([outline.shortcutNode("work"), outline.shortcutNode("ZEBRA")]).toEqual([a, a]);
  }
});

test("[D48] shortcuts that are made in one moment keep the order in which they were made", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a");
  for (const key of ["zebra", "apple", "mango"]) outline.setShortcut(key, keyOf(keys, "a"));
  outline.removeShortcut("zebra");
  outline.setShortcut("zebra", keyOf(keys, "a"));
  expect(outline.shortcuts().map(({ key }) => key)).toEqual(["apple", "mango", "zebra"]);
});

test("[D48] a shortcut to a deleted node is gone", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a");
  outline.setShortcut("work", keyOf(keys, "a"));
  outline.trash(keyOf(keys, "a"), 0);
  expect([outline.shortcuts(), outline.shortcutNode("work")]).toEqual([[], undefined]);
  expect(outline.removeShortcut("work")).toEqual({ kind: "not_found" });
  outline.restore(keyOf(keys, "a"));
  expect(outline.removeShortcut("Work")).toEqual({ kind: "ok" });
  expect(outline.shortcuts()).toEqual([]);
});

test("[D48, T6] the shortcut of a deleted node begins anew when it is made again", () => {
  const lab = new Lab("a b c");
  const [a, b, c] = ["a", "b", "c"].map((name) => keyOf(lab.keys, name));
  if (!a || !b || !c) throw new Error("not planted");
  lab.device(0).outline.setShortcut("first", a);
  lab.device(0).outline.setShortcut("second", b);
  lab.meet();
  lab.server.outline.remove(a);
  lab.meet();
  lab.device(1).outline.setShortcut("First", c);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.shortcuts()).toEqual([
      { key: "second", node: b },
      { key: "First", node: c },
    ]);
  }
});

test("[D48] a plain key under a shortcut, as other programs may write it, counts", () => {
  const outline = soloOutline();
  const keys = plant(outline, "a");
  const entries = outline.doc.getMap("keys");
  entries.set("work", keyOf(keys, "a"));
  entries.set("nowhere", "no key");
  expect(outline.shortcuts()).toEqual([{ key: "work", node: keyOf(keys, "a") }]);
});

test("[D49] settings are the outline's, the same everywhere, and never nonsense", () => {
  const lab = new Lab("a");
  expect(lab.server.outline.settings()).toEqual({ timezone: "UTC", weekStart: 1 });
  expect(lab.device(0).outline.configure({ timezone: "Europe/Vienna" }).kind).toBe("ok");
  expect(lab.device(1).outline.configure({ weekStart: 0 }).kind).toBe("ok");
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.settings()).toEqual({ timezone: "Europe/Vienna", weekStart: 0 });
  }
  const { outline } = lab.server;
  expect(outline.configure({ timezone: "Mars/Base", weekStart: 3 }).kind).toBe("invalid_setting");
  expect(outline.configure({ weekStart: 7 as 6 }).kind).toBe("invalid_setting");
  expect(outline.settings().weekStart).toBe(0);
  outline.doc.getMap("meta").set("timezone", "Mars/Base");
  expect(outline.settings().timezone).toBe("UTC");
});

test("[D15] keys are 12 hexadecimal digits outside the reserved range", () => {
  const outline = soloOutline();
  const keys = Object.values(plant(outline, "a b c d e f g"));
  expect(keys.every((key) => isNodeKey(key) && !key.startsWith("0000"))).toBe(true);
  expect(new Set(keys).size).toBe(7);
  expect(outline.has(ROOT)).toBe(false);
});

test("[D48] a name that means something else is not listed, whoever wrote it", () => {
  const lab = new Lab("a");
  const a = keyOf(lab.keys, "a");
  const device = lab.device(0);
  lab.server.outline.setShortcut("work", a);
  const names = ["inbox", "today", "next_week", "root", "2026-11-20", "2026", "x/y", "..", a, "Up"];
  for (const name of names) device.doc.getMap("keys").set(name, `${a}0000000`);
  lab.meet();
  for (const { outline } of [lab.server, ...lab.devices]) {
    expect(outline.shortcuts()).toEqual([{ key: "work", node: a }]);
    for (const name of names) expect(outline.shortcutNode(name)).toBeUndefined();
    const context = {
      outline: outline.id,
      today: () => ({ year: 2026, month: 11, day: 20 }),
      weekStart: 1 as const,
    };
    expect(parseReference("inbox", context)).toEqual({ kind: "node", key: INBOX });
  }
});

test("[W321] a shortcut that is a search may lead home, and nothing else may", () => {
  const lab = new Lab("a", 1);
  const a = keyOf(lab.keys, "a");
  const { outline } = lab.device(0);
  expect(outline.setShortcut("home sweet home", ROOT)).toEqual({ kind: "not_found" });
  expect(outline.setShortcut("?#todo", ROOT)).toEqual({ kind: "ok" });
  expect(outline.setShortcut("?2?#todo", a)).toEqual({ kind: "ok" });
  lab.meet();
  for (const each of [lab.server.outline, outline]) {
    expect(each.savedSearches()).toEqual([
      { key: "?#todo", node: ROOT },
      { key: "?2?#todo", node: a },
    ]);
    expect(each.shortcuts()).toEqual([{ key: "?2?#todo", node: a }]);
  }
  outline.trash(a, 0);
  expect(outline.savedSearches()).toHaveLength(1);
  expect(outline.removeShortcut("?#TODO")).toEqual({ kind: "ok" });
  expect(outline.savedSearches()).toEqual([]);
});

import { expect, test } from "vitest";
import { joinCompletions, readCompletion } from "../../../../src/core/node/completion.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { nodesOf, shortcutsOf, textOf } from "../../../../src/core/schema.ts";
import { parseTimed } from "../../../../src/core/node/timed-value.ts";
import { shape } from "../../../support/outline-notation.ts";
import { Desk, shown } from "./desk.ts";

test("[L72] typing in one text is one step until a pause, another edit or a seal", () => {
  const desk = new Desk("a b");
  const { history, clock } = desk;
  const undone = (): string => {
    history.undo();
    return shape(desk.outline);
  };
  desk.type("a", "1");
  clock.nowMs += 400;
  desk.type("a", "2");
  clock.nowMs += 400;
  desk.edits.type(desk.key("a"), "name", { at: 2, remove: 1, insert: "" });
  clock.nowMs += 501;
  desk.type("a", "3");
  desk.type("b", "4");
  desk.type("a", "5");
  history.seal();
  desk.type("a", "6");
  expect(shape(desk.outline)).toBe("a1356 b4");
  expect([undone(), undone(), undone(), undone(), undone()]).toEqual([
    "a135 b4",
    "a13 b4",
    "a13 b",
    "a1 b",
    "a b",
  ]);
  expect(history.undo()).toBeUndefined();
  history.redo();
  history.redo();
  expect(shape(desk.outline)).toBe("a13 b");
  desk.type("b", "!");
  expect([history.canRedo, shape(desk.outline)]).toEqual([false, "a13 b!"]);
});

test("[L73] edits made in a step are undone and done again together", () => {
  const desk = new Desk("a b");
  desk.history.step(() => {
    desk.type("a", "1");
    desk.edits.move([desk.key("a")], { parent: desk.key("b") });
    desk.edits.complete([desk.key("b")], true);
    desk.type("a", "2");
  });
  const after = shown(desk.outline);
  desk.history.undo();
  expect(shown(desk.outline)).toBe('"a"\n"b"\n');
  expect(desk.history.canUndo).toBe(false);
  desk.history.redo();
  expect(shown(desk.outline)).toBe(after);
});

test("[L73] a step goes on with what is done next, and with no more than that", () => {
  const desk = new Desk("a");
  const { history, edits, clock, outline } = desk;
  const made = edits.create({ parent: ROOT, position: "bottom", name: "" });
  if (made.kind !== "created") throw new Error("nothing was made");
  history.goOn();
  const type = (insert: string): void => {
    const at = edits.text(made.key, "name")?.length ?? 0;
    edits.type(made.key, "name", { at, remove: 0, insert });
  };
  type("1");
  type("2");
  clock.nowMs += 501;
  type("3");
  const undone = (): string => {
    history.undo();
    return shape(outline);
  };
  const redone = (): string => {
    history.redo();
    return shape(outline);
  };
  expect([undone(), undone()]).toEqual(["a 12", "a"]);
  expect([redone(), redone()]).toEqual(["a 12", "a 123"]);
  desk.undoAll();
  desk.type("a", "!");
  history.goOn();
  history.undo();
  desk.type("a", "?");
  expect([undone(), history.canUndo]).toEqual(["a", false]);
});

test("[L74] the caret goes back to where it was, also when others have written before it", () => {
  const desk = new Desk("abc");
  const key = desk.key("abc");
  const caret = (at: number): object => ({ caret: { key, part: "name", at } });
  desk.history.caretAt({ key, part: "name", at: 2 });
  desk.edits.type(key, "name", { at: 2, remove: 0, insert: "XY" });
  desk.history.caretAt({ key, part: "name", at: 4 });
  desk.history.caretAt({ key, part: "name", at: 0 });
  desk.remote.editText(key, "name", (text) => text.insert(0, "remote "));
  desk.sync();
  expect(desk.history.undo()).toEqual(caret(9));
  expect(desk.history.redo()).toEqual(caret(11));
  expect(desk.plain(key, "name")).toBe("remote abXYc");
});

test("[L74] behind a step that makes a node the caret comes back to it, and leaves with it", () => {
  const desk = new Desk("abcd");
  const key = desk.key("abcd");
  desk.history.caretAt({ key, part: "name", at: 2 });
  const made = desk.edits.split(key, 2, { parent: ROOT, position: { after: key } });
  if (made.kind !== "created") throw new Error(made.kind);
  desk.history.caretAt({ key: made.key, part: "name", at: 0 });
  desk.history.caretAt({ key: made.key, part: "name", at: 1 });
  expect(desk.history.undo()).toEqual({ caret: { key, part: "name", at: 2 } });
  expect(desk.history.redo()).toEqual({ caret: { key: made.key, part: "name", at: 0 } });
  desk.remote.remove(key);
  desk.sync();
  expect(desk.history.undo()).toEqual({ caret: undefined });
});

test("[L75] an undo that has lost its ground does what it can", () => {
  const desk = new Desk("a(b) c d e");
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => desk.key(name));
  if (!a || !b || !c || !d || !e) throw new Error("not planted");
  desk.edits.move([b], { parent: c });
  desk.edits.move([d], { parent: e });
  desk.edits.trash([e]);
  desk.edits.layout([c], "h1");
  desk.edits.complete([c], true);
  desk.edits.setShortcut("x", c);
  desk.type("c", "!");
  desk.sync();
  // The old parent is gone, a node was moved on, what was set was set otherwise.
  desk.remote.remove(a);
  desk.remote.update(c, { layout: "h2" });
  desk.remote.setCompleted(c, false);
  desk.remote.setShortcut("x", b);
  desk.sync();
  desk.edits.purge([e]);
  desk.undoAll();
  expect(shown(desk.outline)).toBe('"c" h2\n  "b"\n');
  expect(desk.outline.shortcutNode("x")).toBe(b);
  desk.redoAll();
  desk.remote.remove(c);
  desk.sync();
  desk.undoAll();
  expect(shown(desk.outline)).toBe("");
});

test("[L75] what somebody else moved since stays where it is, and so do their nodes", () => {
  const desk = new Desk("a b c d");
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => desk.key(name));
  if (!a || !b || !c || !d) throw new Error("not planted");
  desk.edits.move([a], { parent: b });
  desk.sync();
  desk.clock.passSeconds(1);
  desk.remote.move(a, { parent: c });
  desk.sync();
  desk.edits.move([a], { parent: d });
  desk.history.undo();
  expect(shape(desk.outline)).toBe("b c(a) d");
  desk.history.undo();
  expect(shape(desk.outline)).toBe("b c(a) d");
});

test.each([true, false])(
  "[L75] a node that is moved back stands among what others have put there meanwhile (seen: %s)",
  (isSeen) => {
    const desk = new Desk("a b c d e");
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => desk.key(name));
    if (!a || !b || !c || !d) throw new Error("not planted");
    desk.edits.move([b], { parent: d });
    desk.edits.move([c], { parent: d });
    const { remote } = desk;
    remote.create({ parent: ROOT, position: { before: b }, name: "x" });
    remote.create({ parent: ROOT, position: { after: b }, name: "y" });
    remote.move(a, { parent: ROOT, position: "bottom" });
    if (isSeen) desk.sync();
    desk.undoAll();
    desk.sync();
    expect(shape(desk.outline)).toBe("x b y c d e a");
    desk.redoAll();
    expect(shape(desk.outline)).toBe("x y d(c b) e a");
    desk.undoAll();
    expect(shape(desk.outline)).toBe("x b y c d e a");
  },
);

test("[L76] a node that was made here is not taken back with what others put into it", () => {
  const desk = new Desk("a");
  const lines = ["one", "two", "three"].map((name, index) => ({
    depth: index === 0 ? 0 : 1,
    name,
    layout: "bullets" as const,
  }));
  desk.edits.insert(lines, { parent: ROOT, position: "bottom" });
  desk.sync();
  const two = [...desk.remote.keysInOrder()].find((key) => desk.remote.node(key)?.name === "two");
  if (two === undefined) throw new Error("not inserted");
  desk.remote.update(two, { note: "theirs" });
  desk.sync();
  desk.history.undo();
  expect(shown(desk.outline)).toBe('"a"\n"one"\n  "two" note "theirs"\n');
  desk.history.redo();
  expect(shown(desk.outline)).toBe('"a"\n"one"\n  "two" note "theirs"\n  "three"\n');
});

test("[L77] five hundred steps are kept", () => {
  const desk = new Desk("a");
  for (let index = 0; index < 510; index++) {
    desk.history.seal();
    desk.type("a", "x");
  }
  let count = 0;
  while (desk.history.undo() !== undefined) count++;
  expect([count, desk.plain(desk.key("a"), "name")]).toEqual([500, `a${"x".repeat(10)}`]);
});

test("[L78] a refused edit is no step, and a step that changed nothing is none", () => {
  const desk = new Desk("a b");
  desk.edits.move([desk.key("a")], { parent: desk.key("a") });
  desk.edits.complete([desk.key("a")], false);
  desk.edits.move([desk.key("a")], { parent: ROOT, position: "top" });
  desk.edits.type(desk.key("a"), "name", { at: 0, remove: 0, insert: "" });
  desk.edits.removeShortcut("none");
  desk.history.step(() => {});
  expect(desk.history.canUndo).toBe(false);
});

test("[L79] a completion that is brought back was made when it was made", () => {
  const desk = new Desk("a");
  desk.edits.complete([desk.key("a")], true);
  const before = desk.outline.node(desk.key("a"))?.completedAt;
  desk.clock.passSeconds(60);
  desk.edits.complete([desk.key("a")], false);
  desk.history.undo();
  expect(desk.outline.node(desk.key("a"))?.completedAt).toBe(before);
});

test("[D78] what is undone or done again was written now, and wins over what was done before", () => {
  const desk = new Desk("a b");
  const [a, b] = [desk.key("a"), desk.key("b")];
  const text = textOf(nodesOf(desk.outline.doc), a);
  const timeOf = (value: unknown): number => parseTimed(String(value)).at;
  desk.edits.layout([a], "h1");
  desk.edits.setShortcut("x", a);
  desk.edits.setShortcut("x", b);
  desk.edits.trash([a]);
  desk.clock.passSeconds(60);
  const now = desk.clock.nowMs;
  desk.history.undo();
  expect(timeOf(text?.getAttribute("d"))).toBe(now);
  desk.history.undo();
  expect(desk.outline.shortcutNode("x")).toBe(a);
  const entries = shortcutsOf(desk.outline.doc);
  expect(timeOf(entries.get("x"))).toBe(now);
  desk.history.undo();
  expect(desk.outline.shortcuts()).toEqual([]);
  expect(timeOf(entries.get("x"))).toBe(now + 1);
  desk.history.undo();
  expect(parseTimed(String(text?.getAttribute("l")))).toEqual({ value: "bullets", at: now });
  desk.redoAll();
  expect(timeOf(text?.getAttribute("l"))).toBe(now + 1);
  expect(timeOf(text?.getAttribute("d"))).toBe(now + 1);
  expect(timeOf(entries.get("x"))).toBe(now + 3);
});

test("[D78, D71] a completion that is brought back stands against what others did before that", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  desk.edits.complete([a], true);
  const at = desk.clock.nowSec;
  desk.clock.passSeconds(60);
  desk.edits.complete([a], false);
  desk.clock.passSeconds(60);
  desk.history.undo();
  const text = textOf(nodesOf(desk.outline.doc), a);
  if (text === undefined) throw new Error("no text");
  const completion = readCompletion(text);
  expect(completion.completedAt).toEqual([at, at + 120]);
  const others = { reopenedAt: at + 90, completedAt: [] };
  expect(joinCompletions(completion, others).completedAt).toEqual([at + 120]);
  desk.history.redo();
  expect(desk.outline.node(a)?.completedAt).toBeNull();
});

test("[L79] shortcuts come back with their age", () => {
  const desk = new Desk("a b");
  desk.edits.setShortcut("One", desk.key("a"));
  desk.clock.passSeconds(1);
  desk.edits.setShortcut("two", desk.key("b"));
  const before = desk.outline.shortcuts();
  desk.edits.removeShortcut("one");
  desk.history.undo();
  expect(desk.outline.shortcuts()).toEqual(before);
});

test("[L94] after it is closed nothing is edited or undone", () => {
  const desk = new Desk("a");
  desk.type("a", "1");
  desk.history.close();
  expect(() => desk.type("a", "2")).toThrow();
  expect(() => desk.history.undo()).toThrow();
  expect(desk.plain(desk.key("a"), "name")).toBe("a1");
});

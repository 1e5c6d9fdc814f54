import { expect, test } from "vitest";
import * as Y from "yjs";
import { MAX_MIRRORS } from "../../../../src/core/tree/mirror-rows.ts";
import { dayKey, INBOX, ROOT, type NodeKey } from "../../../../src/core/node-key.ts";
import type { OutlineEntry } from "../../../../src/formats/outline-entry.ts";
import { MAX_MARKS, MAX_TEXT_LENGTH, marksOf } from "../../../../src/core/text/text-limits.ts";
import { inspectUpdate } from "../../../support/inspect-update.ts";
import type { TextPart } from "../../../../client/lib/edit/edits.ts";
import { shape } from "../../../support/outline-notation.ts";
import { callsOf } from "../../../support/calls-of.ts";
import { Desk, shown } from "./desk.ts";
import { LocalEdits } from "../../../../client/lib/edit/local-edits.ts";
import { UndoHistory } from "../../../../client/lib/edit/undo-history.ts";

/** The parts of a name with their formats, as HTML. */
function html(desk: Desk, name: string): string | undefined {
  return desk.outline.node(desk.key(name))?.name;
}

test("[L50] typing goes to its place in name and note, and replaces what it says", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  expect(desk.edits.type(a, "name", { at: 1, remove: 0, insert: "bcd" })).toEqual({ kind: "ok" });
  desk.edits.type(a, "name", { at: 1, remove: 2, insert: "X" });
  desk.edits.type(a, "note", { at: 0, remove: 0, insert: "one\ntwo" });
  expect(shown(desk.outline)).toBe('"aXd" note "one\\ntwo"\n');
  expect(desk.plain(a, "note")).toBe("one\ntwo");
  const nowhere = "123456789abc" as NodeKey;
  expect(desk.edits.type(nowhere, "name", { at: 0, remove: 0, insert: "x" })).toEqual({
    kind: "not_found",
  });
  expect(desk.edits.text(nowhere, "note", true)).toBeUndefined();
});

test("[L50] a keystroke costs a character and no stamp, one that only deletes a stamp a minute", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  desk.type("a", "b");
  const sizes: number[] = [];
  desk.outline.doc.on("update", (update: Uint8Array) => sizes.push(update.length));
  desk.type("a", "c");
  desk.edits.type(a, "name", { at: 2, remove: 1, insert: "" });
  expect(sizes.every((size) => size <= 25)).toBe(true);
  expect(sizes.length).toBe(2);
  const attributes = (): string[] =>
    Object.keys(desk.edits.text(a, "name")?.getAttributes() ?? {}).toSorted();
  expect(attributes()).toEqual(["p"]);
  desk.clock.passSeconds(90);
  desk.edits.type(a, "name", { at: 1, remove: 1, insert: "" });
  expect(attributes()).toEqual(["m", "p"]);
  expect(desk.outline.modifiedAt(a)).toBe(desk.clock.nowSec);
});

test.each([
  [false, "typed over"],
  [true, "typed over"],
  [false, "deleted and typed"],
  [true, "deleted and typed"],
])(
  "[L50] what others write before and behind a word stays there (theirs: %s) when that is %s",
  (isTheirs, way) => {
    const desk = new Desk("a");
    const a = desk.key("a");
    desk.type("a", "😀 word😀");
    desk.sync();
    const history = new UndoHistory({ outline: desk.remote, seq: () => 0, now: desk.clock.now });
    const theirs = new LocalEdits({ outline: desk.remote, history });
    const [one, other] = isTheirs ? [theirs, desk.edits] : [desk.edits, theirs];
    const letters = way === "typed over" ? [] : [8, 7, 6, 5, 4];
    for (const at of letters) one.type(a, "name", { at, remove: at === 8 ? 2 : 1, insert: "" });
    const remove = way === "typed over" ? 6 : 0;
    for (const [index, insert] of ["t", "e", "x", "t"].entries()) {
      one.type(a, "name", { at: 4 + index, remove: index === 0 ? remove : 0, insert });
    }
    other.type(a, "name", { at: 10, remove: 0, insert: " now" });
    other.type(a, "name", { at: 4, remove: 0, insert: "my " });
    desk.sync();
    expect([desk.outline, desk.remote].map((each) => each.node(a)?.name)).toEqual([
      "a😀 my text now",
      "a😀 my text now",
    ]);
  },
);

test("[L51] no edit splits a surrogate pair", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  const name = (): string => desk.plain(a, "name");
  desk.edits.type(a, "name", { at: 1, remove: 0, insert: "😀b" });
  desk.edits.type(a, "name", { at: 2, remove: 0, insert: "x" });
  expect(name()).toBe("ax😀b");
  desk.edits.type(a, "name", { at: 3, remove: 1, insert: "\uDE01" });
  expect(name()).toBe("ax😁b");
  desk.edits.type(a, "name", { at: 3, remove: 1, insert: "" });
  expect(name()).toBe("ax\uFFFDb");
  desk.edits.type(a, "name", { at: 2, remove: 1, insert: "😀" });
  desk.edits.format(a, "name", { from: 3, to: 5 }, "b", true);
  expect(html(desk, "a")).toBe("ax<b>😀b</b>");
  desk.edits.split(a, 3, { parent: ROOT, position: { after: a } });
  expect(shown(desk.outline)).toBe('"ax"\n"<b>😀b</b>"\n');
});

test("[L52] what is typed is formatted like the character before, and grows no link and no code", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  const add = (insert: string, formats: Record<string, true | string>): void => {
    const at = desk.edits.text(a, "name")?.length ?? 0;
    desk.edits.type(a, "name", { at, remove: 0, insert, formats });
  };
  add("bold", { b: true });
  add("link", { a: "https://example.org" });
  add("code", { code: true, b: true });
  const type = (at: number, remove = 0): void => {
    desk.edits.type(a, "name", { at, remove, insert: "+" });
  };
  type(13);
  type(10);
  type(9);
  type(5);
  type(1);
  type(0);
  expect(html(desk, "a")).toBe(
    '+a+<b>bold+</b><a href="https://example.org">link</a>+<b><code>c+ode</code>+</b>',
  );
});

test("[L53] a link's address is one that a link may carry", () => {
  const desk = new Desk("abc");
  const key = desk.key("abc");
  const link = (address: string | null): unknown =>
    desk.edits.format(key, "name", { from: 0, to: 2 }, "a", address);
  expect(link("javascript:alert(1)")).toEqual({ kind: "invalid_link" });
  expect(desk.history.canUndo).toBe(false);
  expect(link(" https://example.org ")).toEqual({ kind: "ok" });
  expect(html(desk, "abc")).toBe('<a href="https://example.org">ab</a>c');
  expect(link(null)).toEqual({ kind: "ok" });
  expect(html(desk, "abc")).toBe("abc");
});

test("[L54] a split keeps formats on both sides, and a to-do item makes an open one", () => {
  const desk = new Desk("abcd");
  const key = desk.key("abcd");
  desk.edits.format(key, "name", { from: 1, to: 3 }, "b", true);
  desk.edits.layout([key], "todo");
  desk.edits.complete([key], true);
  const made = desk.edits.split(key, 2, { parent: ROOT, position: { after: key } });
  expect(made.kind).toBe("created");
  expect(shown(desk.outline)).toBe(
    `"a<b>b</b>" todo done ${desk.clock.nowSec}\n"<b>c</b>d" todo\n`,
  );
  const gone = { parent: "123456789abc" as NodeKey };
  expect(desk.edits.split(key, 1, gone)).toEqual({ kind: "not_found" });
});

test("[L55] a join appends name and note, takes the children along and trashes the node", () => {
  const desk = new Desk("a(b) c(d e)");
  const [a, c] = [desk.key("a"), desk.key("c")];
  desk.edits.format(c, "name", { from: 0, to: 1 }, "i", true);
  desk.edits.type(a, "note", { at: 0, remove: 0, insert: "one" });
  desk.edits.type(c, "note", { at: 0, remove: 0, insert: "two" });
  expect(desk.edits.join(c, a)).toEqual({ kind: "ok", key: a, at: 1 });
  expect(shown(desk.outline)).toBe('"a<i>c</i>" note "one\\ntwo"\n  "b"\n  "d"\n  "e"\n');
  expect(desk.outline.trashedKeys()).toEqual([c]);
  desk.history.undo();
  expect(shown(desk.outline)).toBe('"a" note "one"\n  "b"\n"<i>c</i>" note "two"\n  "d"\n  "e"\n');
});

test("[L55] a first child that is joined into its parent leaves its children in its place", () => {
  const desk = new Desk("a(b(c d) e)");
  expect(desk.edits.join(desk.key("b"), desk.key("a")).kind).toBe("ok");
  expect(shape(desk.outline)).toBe("ab(c d e)");
  expect(desk.edits.join(desk.key("a"), desk.key("c"))).toEqual({ kind: "invalid_parent" });
});

test("[L55] an empty target is trashed instead, so that the node with the text keeps its key", () => {
  const desk = new Desk("a b(c)");
  const [a, b] = [desk.key("a"), desk.key("b")];
  desk.edits.type(a, "name", { at: 0, remove: 1, insert: "" });
  expect(desk.edits.join(b, a)).toEqual({ kind: "ok", key: b, at: 0 });
  expect(shape(desk.outline)).toBe("b(c)");
  expect(desk.outline.trashedKeys()).toEqual([a]);
});

test("[L56] siblings are moved next to each other, wherever they stood", () => {
  const desk = new Desk("a b c d(e)");
  const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((name) => desk.key(name));
  if (!a || !b || !c || !d || !e) throw new Error("not planted");
  desk.edits.move([a, c], { parent: d, position: { before: e } });
  expect(shape(desk.outline)).toBe("b d(a c e)");
  desk.edits.move([a, c, e], { parent: ROOT, position: "top" });
  expect(shape(desk.outline)).toBe("a c e b d");
  desk.edits.move([c, e], { parent: ROOT, position: { after: e } });
  expect(shape(desk.outline)).toBe("a c e b d");
  desk.edits.move([a, c], { parent: ROOT, position: { before: c } });
  expect(shape(desk.outline)).toBe("a c e b d");
  desk.edits.move([e, b], { parent: a });
  expect(shape(desk.outline)).toBe("a(e b) c d");
  expect(desk.edits.move([d, a], { parent: b })).toEqual({ kind: "invalid_parent" });
  expect(desk.edits.move([d, "123456789abc" as NodeKey], { parent: c })).toEqual({
    kind: "not_found",
  });
  expect(shape(desk.outline)).toBe("a(e b) c d");
});

test("[L57] duplicates stand behind the last one with everything below, formats and notes too", () => {
  const desk = new Desk("a(b(c)) d");
  const [a, b, d] = [desk.key("a"), desk.key("b"), desk.key("d")];
  desk.edits.format(b, "name", { from: 0, to: 1 }, "b", true);
  desk.edits.type(b, "note", { at: 0, remove: 0, insert: "n" });
  desk.edits.layout([b], "todo");
  desk.edits.complete([b], true);
  const made = desk.edits.duplicate([a, d]);
  if (made.kind !== "created") throw new Error(made.kind);
  const half = `"a"\n  "<b>b</b>" todo done ${desk.clock.nowSec} note "n"\n    "c"\n"d"\n`;
  expect(shown(desk.outline)).toBe(half + half);
  expect(made.keys.length).toBe(2);
  desk.history.undo();
  expect(shown(desk.outline)).toBe(half);
});

test("[L57] a forest is inserted in one transaction, keeping the keys that nobody has or had", () => {
  const desk = new Desk("a b");
  const [a, b] = [desk.key("a"), desk.key("b")];
  const free = "123456789abc" as NodeKey;
  desk.edits.trash([b]);
  let updates = 0;
  desk.outline.doc.on("update", () => updates++);
  const entries: OutlineEntry[] = [
    { depth: 0, name: "<b>x</b>", layout: "h1", key: free, createdAt: 1_000_000_000 },
    { depth: 1, name: "y", layout: "bullets", note: "n", key: b },
    { depth: 1, name: "z", layout: "todo", completedAt: "unknown" },
    { depth: 0, name: "w", layout: "bullets", key: a },
  ];
  const made = desk.edits.insert(entries, { parent: ROOT, position: { after: a } });
  if (made.kind !== "created") throw new Error(made.kind);
  expect(updates).toBe(1);
  expect(made.keys[0]).toBe(free);
  expect(made.keys.length).toBe(2);
  expect(shown(desk.outline)).toBe(
    `"a"\n"<b>x</b>" h1\n  "y" note "n"\n  "z" todo done ${desk.clock.nowSec}\n"w"\n`,
  );
  expect(desk.outline.node(free)?.createdAt).toBe(1_000_000_000);
  expect(desk.edits.insert(entries, { parent: b })).toEqual({ kind: "not_found" });
});

test("[L57] a thousand nodes are inserted, duplicated and undone for what each of them costs", async () => {
  const callsForEach = async (count: number): Promise<number> => {
    const desk = new Desk("a");
    const entries = Array.from({ length: count }, (_, index): OutlineEntry => ({
      depth: index % 10 === 0 ? 0 : 1,
      name: `line ${index}`,
      layout: "bullets",
    }));
    const calls = await callsOf(() => {
      const made = desk.edits.insert(entries, { parent: desk.key("a") });
      if (made.kind !== "created") throw new Error(made.kind);
      desk.edits.duplicate(made.keys);
      expect(desk.outline.size).toBe(1 + 2 * count);
      desk.history.undo();
      desk.history.undo();
    });
    expect(desk.outline.size).toBe(1);
    return calls / count;
  };
  const ofFew = await callsForEach(100);
  // Some lists are searched by halves; a quadratic way would take ten times as much.
  expect(await callsForEach(1_000)).toBeLessThan(1.5 * ofFew);
});

test("[L58] the inbox and the calendar are made as destinations, and neither cut nor joined", () => {
  const desk = new Desk("a b");
  const [a, day] = [desk.key("a"), dayKey(2026, 11, 20)];
  expect(desk.edits.move([a], { parent: day })).toEqual({ kind: "ok" });
  expect(desk.edits.create({ parent: INBOX, name: "x" }).kind).toBe("created");
  expect(desk.edits.split(day, 1, { parent: ROOT })).toEqual({ kind: "system_node" });
  expect(desk.edits.join(day, desk.key("b"))).toEqual({ kind: "system_node" });
  expect(desk.edits.join(desk.key("b"), INBOX)).toEqual({ kind: "system_node" });
  const before = shown(desk.outline);
  desk.edits.trash([INBOX]);
  desk.history.undo();
  expect(shown(desk.outline)).toBe(before);
});

test("[L95] what would make a text longer than the server takes is refused, and changes nothing", () => {
  const desk = new Desk("a(b) c");
  const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
  const { edits } = desk;
  const half = "x".repeat(MAX_TEXT_LENGTH / 2);
  const type = (key: NodeKey, part: TextPart, remove: number, insert: string) =>
    edits.type(key, part, { at: 0, remove, insert }).kind;
  expect(type(b, "name", 1, half)).toBe("ok");
  expect(type(c, "name", 1, half)).toBe("ok");
  expect(edits.join(c, b).kind).toBe("ok");
  desk.history.undo();
  expect(type(c, "name", 0, "x")).toBe("ok");

  const before = shown(desk.outline);
  const long = `${half}${half}x`;
  const position = { parent: ROOT, position: "bottom" } as const;
  const entry = (depth: number, name: string, note?: string): OutlineEntry => ({
    depth,
    name,
    layout: "bullets",
    ...(note !== undefined && { note }),
  });
  const refused = [
    type(b, "name", 1, `${half}xx`),
    type(a, "note", 0, long),
    edits.join(c, b).kind,
    edits.create({ ...position, name: long }).kind,
    edits.create({ ...position, name: "", note: long }).kind,
    edits.insert([entry(0, "fits"), entry(1, long)], position).kind,
    edits.insert([entry(0, "", long)], position).kind,
  ];
  expect(new Set(refused)).toEqual(new Set(["text_too_long"]));
  expect(shown(desk.outline)).toBe(before);
  // What stands for a text may be longer than that.
  const bold = entry(0, `<b>${half}</b><i>${half}</i>`);
  expect(edits.insert([bold], position).kind).toBe("created");

  // One that came from elsewhere is neither copied, cut nor made longer, but shortened.
  desk.remote.editText(c, "name", (text) => text.insert(0, half));
  desk.sync();
  expect(edits.duplicate([a, c]).kind).toBe("text_too_long");
  expect(edits.split(c, 0, position).kind).toBe("text_too_long");
  expect(type(c, "name", 1, "xx")).toBe("text_too_long");
  expect(type(c, "name", 2, "x")).toBe("ok");
});

test("[L96] a text with as many formats as it may have gets no more by an edit", () => {
  const desk = new Desk("a b c");
  const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
  const { edits } = desk;
  const rich = Array.from({ length: MAX_MARKS / 2 }, () => "<b>x</b>y").join("");
  const position = { parent: ROOT, position: "bottom" } as const;
  const made = edits.insert([{ depth: 0, name: rich, layout: "bullets" }], position);
  const full = made.kind === "created" ? made.keys[0] : undefined;
  if (full === undefined) throw new Error(made.kind);
  expect(marksOf(desk.outline.richText(full, "name"))).toBe(MAX_MARKS);
  expect(edits.format(full, "name", { from: 1, to: 2 }, "i", true).kind).toBe("text_too_long");
  expect(edits.format(a, "name", { from: 0, to: 1 }, "i", true).kind).toBe("ok");
  expect(edits.join(a, full).kind).toBe("text_too_long");
  // What is typed has the formats of its place.
  const typed = { at: 1, remove: 0, insert: "z", formats: { i: true } } as const;
  expect(edits.type(full, "name", typed).kind).toBe("ok");
  expect(desk.outline.node(full)?.name.startsWith("<b>xz</b>y")).toBe(true);
  expect(marksOf(desk.outline.richText(full, "name"))).toBe(MAX_MARKS);
  const [copy] = made.kind === "created" ? made.keys : [];
  expect(copy && edits.duplicate([copy]).kind).toBe("created");
  expect(edits.join(b, c).kind).toBe("ok");

  // Of what is pasted the text is taken, and as many formats as fit.
  const richer = edits.insert([{ depth: 0, name: rich + rich, layout: "bullets" }], position);
  const [bounded] = richer.kind === "created" ? richer.keys : [];
  if (bounded === undefined) throw new Error(richer.kind);
  expect(desk.plain(bounded, "name")).toBe("xy".repeat(MAX_MARKS));
  expect(marksOf(desk.outline.richText(bounded, "name"))).toBe(MAX_MARKS);
  const whole = Y.encodeStateAsUpdate(desk.outline.doc);
  expect(inspectUpdate(new Y.Doc(), whole).kind).toBe("ok");
});

test("[L58] what a file has in the inbox and the calendar goes into those that are there or made", () => {
  const desk = new Desk("a");
  const [a, day] = [desk.key("a"), dayKey(2026, 11, 20)];
  desk.edits.create({ parent: INBOX, name: "before" });
  const before = shown(desk.outline);
  const entry = (depth: number, name: string, key?: NodeKey): OutlineEntry => ({
    depth,
    name,
    layout: "bullets",
    ...(key !== undefined && { key }),
  });
  const entries = [
    entry(0, "first"),
    entry(0, "another name", INBOX),
    entry(1, "in the inbox"),
    entry(0, "last"),
    entry(1, "a named day", day),
    entry(2, "on a day"),
  ];
  desk.edits.insert(entries, { parent: a, position: "top" });
  const names = (parent: NodeKey): string[] =>
    desk.outline.children(parent).map(({ name }) => name);
  expect(names(a)).toEqual(["first", "last"]);
  expect(desk.outline.node(INBOX)?.name).toBe("Inbox");
  expect(names(INBOX)).toEqual(["before", "in the inbox"]);
  expect(desk.outline.node(day)?.name).toBe("a named day");
  expect(names(day)).toEqual(["on a day"]);
  const after = shown(desk.outline);
  desk.history.undo();
  expect(shown(desk.outline)).toBe(before);
  desk.history.redo();
  expect(shown(desk.outline)).toBe(after);
});

test("[L59] what is in the trash can be restored, or deleted for good, which is no step", () => {
  const desk = new Desk("a(b) c");
  const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
  expect(desk.edits.trash([a, b, c])).toEqual({ kind: "ok" });
  expect(desk.outline.trashedKeys().toSorted()).toEqual([a, c].toSorted());
  expect(desk.edits.restore(c)).toEqual({ kind: "ok" });
  expect(desk.edits.purge([a, c])).toEqual({ kind: "not_found" });
  expect(desk.edits.purge([a])).toEqual({ kind: "ok" });
  expect([desk.edits.restore(a), desk.edits.restore(b)]).toEqual([
    { kind: "not_found" },
    { kind: "not_found" },
  ]);
  desk.undoAll();
  expect(shape(desk.outline)).toBe("c");
});

test("[L60] notes that two people began become one at the first edit", () => {
  const desk = new Desk("a");
  const a = desk.key("a");
  const there = desk.remote.update(a, { note: "theirs" });
  desk.edits.type(a, "note", { at: 0, remove: 0, insert: "ours" });
  desk.sync();
  expect([there.kind, desk.outline.node(a)?.note]).toEqual(["ok", "ours\ntheirs"]);
  expect(desk.edits.text(a, "note", true)?.length).toBe(11);
  expect(desk.plain(a, "note")).toBe("ours\ntheirs");
  desk.edits.type(a, "note", { at: 11, remove: 0, insert: "!" });
  desk.sync();
  expect(desk.remote.node(a)?.note).toBe("ours\ntheirs!");
});

test("[L61] every edit is one transaction of this device", () => {
  const desk = new Desk("a(b) c");
  const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
  desk.type("a", "x");
  const origins: unknown[] = [];
  desk.outline.doc.on("update", (_update: Uint8Array, origin: unknown) => origins.push(origin));
  desk.edits.split(a, 1, { parent: ROOT, position: { after: a } });
  desk.edits.join(c, a);
  desk.edits.move([b], { parent: ROOT });
  desk.edits.complete([a, b], true);
  desk.edits.layout([a, b], "h2");
  desk.edits.setShortcut("x", a);
  desk.edits.removeShortcut("X");
  desk.edits.duplicate([a, b]);
  desk.edits.trash([a, b]);
  expect(origins.length).toBe(9);
  expect(new Set(origins).size).toBe(1);
  expect(desk.edits.removeShortcut("x")).toEqual({ kind: "not_found" });
});

test("[L62, D120] what is done through a mirror is done to its origin, and undone as that", () => {
  const desk = new Desk("a(b) c");
  const [a, c] = [desk.key("a"), desk.key("c")];
  const made = desk.edits.mirror(a, { parent: c });
  if (made.kind !== "created") throw new Error(made.kind);
  const mirror = made.key;
  expect(desk.edits.text(mirror, "name")).toBe(desk.edits.text(a, "name"));
  const before = shown(desk.outline, c);
  desk.edits.type(mirror, "name", { at: 1, remove: 0, insert: "bc" });
  desk.history.seal();
  desk.edits.type(mirror, "note", { at: 0, remove: 0, insert: "said" });
  desk.history.seal();
  desk.edits.format(mirror, "name", { from: 0, to: 1 }, "b", true);
  desk.edits.complete([mirror], true);
  desk.edits.layout([mirror], "todo");
  expect(desk.outline.node(a)).toMatchObject({
    name: "<b>a</b>bc",
    note: "said",
    layout: "todo",
    completedAt: expect.any(Number),
  });
  for (let step = 0; step < 5; step++) desk.history.undo();
  expect(shown(desk.outline, c)).toBe(before);
  desk.history.undo();
  expect([desk.outline.has(mirror), desk.outline.has(a)]).toEqual([false, true]);
  desk.history.redo();
  expect(desk.outline.node(mirror)?.origin).toBe(a);
});

test("[L62] a mirror is split and copied, and joined with nothing", () => {
  const desk = new Desk("abc c d");
  const [origin, c, d] = [desk.key("abc"), desk.key("c"), desk.key("d")];
  const made = desk.edits.mirror(origin, { parent: c });
  if (made.kind !== "created") throw new Error(made.kind);
  const { key: mirror } = made;
  expect(desk.edits.join(mirror, d)).toEqual({ kind: "mirror" });
  expect(desk.edits.join(d, mirror)).toEqual({ kind: "mirror" });
  expect(desk.edits.mirror(c, { parent: mirror })).toMatchObject({ kind: "created" });
  expect(desk.edits.move([origin], { parent: mirror })).toEqual({ kind: "invalid_parent" });
  desk.edits.split(mirror, 1, { parent: c, position: { after: mirror } });
  expect(desk.outline.children(c).map(({ name }) => name)).toEqual(["a", "bc"]);
  const copied = desk.edits.duplicate([mirror]);
  const [copy] = copied.kind === "created" ? copied.keys : [];
  expect(copy && desk.outline.node(copy)).toMatchObject({ name: "a", origin });
  expect(new Set(desk.outline.mirrorsOf(origin))).toEqual(new Set([mirror, copy]));
});

test("[Q90, F9] what is pasted brings its mirrors, and no more of them than an outline may have", () => {
  const desk = new Desk("c");
  const key = "aaaaaaaaaaaa" as NodeKey;
  const line = { depth: 0, name: "line", layout: "bullets" } as const;
  const to = { parent: desk.key("c"), position: "bottom" } as const;
  const mirror = { ...line, origin: key };
  const mirrors = Array.from({ length: MAX_MIRRORS + 1 }, () => mirror);
  expect(desk.edits.insert([{ ...line, key }, ...mirrors], to)).toMatchObject({
    kind: "outline_full",
    quota: "mirrors",
  });
  expect(desk.edits.insert([mirror, { ...line, key }], to).kind).toBe("created");
  const [first, second] = desk.outline.children(desk.key("c"));
  expect([first?.origin, second?.key]).toEqual([key, key]);
  desk.history.undo();
  expect(desk.outline.childCount(desk.key("c"))).toBe(0);
  desk.history.redo();
  expect(desk.outline.children(desk.key("c")).map(({ origin }) => origin)).toEqual([
    key,
    undefined,
  ]);
});

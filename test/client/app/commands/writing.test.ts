import { describe, expect, it } from "vitest";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { isLayout, type Layout } from "../../../../src/core/node/layout.ts";
import { trash, wayBack } from "../../../../client/app/commands/delete-commands.ts";
import { shape } from "../../../support/outline-notation.ts";
import { openDesk } from "../../support/fake-workspace.ts";
import { focusIn } from "./focus-in.ts";

/** Runs commands one after the other on a caret in a node, and answers tree and focus. */
async function write(
  notation: string,
  caret: readonly [name: string, at: number | "start" | "end"],
  ...commands: readonly string[]
) {
  const desk = await openDesk(notation);
  desk.workspace.focus.caret(desk.key(caret[0]), caret[1]);
  for (const id of commands) desk.workspace.commands.run(id);
  return { desk, tree: shape(desk.replica.outline), focus: focusIn(desk) };
}

async function inLayout(layout: Layout, name: string, at: number, ...commands: readonly string[]) {
  const desk = await openDesk("a b");
  desk.replica.edits.type(desk.key("b"), "name", { at: 0, remove: 1, insert: name });
  desk.replica.edits.layout([desk.key("b")], layout);
  desk.workspace.focus.caret(desk.key("b"), at);
  for (const id of commands) desk.workspace.commands.run(id);
  return desk.replica.outline.children("000000000000" as NodeKey).map((n) => [n.layout, n.name]);
}

describe("Enter", () => {
  it("[W37] cuts a line: what is behind the caret is the next line", async () => {
    const { tree, focus } = await write("abcd e", ["abcd", 2], "node.split");
    expect([tree, focus]).toEqual(["ab cd e", "cd@0"]);
  });

  it("[W37] at the end makes the next line, below an expanded node its first child", async () => {
    expect((await write("a b", ["a", "end"], "node.split")).tree).toBe("a  b");
    const { tree, focus } = await write("a(b) c", ["a", "end"], "node.split");
    expect([tree, focus]).toEqual(["a( b) c", "@0"]);
    const cut = await write("xy(b)", ["xy", 1], "node.split");
    expect([cut.tree, cut.focus]).toEqual(["x(y b)", "y@0"]);
  });

  it("[W37] at the end of a collapsed node makes the next line beside it", async () => {
    const desk = await openDesk("a(b) c");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    desk.workspace.focus.caret(desk.key("a"), "end");
    desk.workspace.commands.run("node.split");
    expect(shape(desk.replica.outline)).toBe("a(b)  c");
  });

  it("[W37] at the start makes room above: the node keeps its identity and the caret", async () => {
    const { desk, tree, focus } = await write("a b", ["b", 0], "node.split");
    expect([tree, focus]).toEqual(["a  b", "b@0"]);
    expect(desk.replica.outline.has(desk.key("b"))).toBe(true);
  });

  it("[W37] in the title writes the first line below", async () => {
    const desk = await openDesk("ab(c)");
    desk.workspace.rows.zoomTo(desk.key("ab"));
    desk.workspace.focus.caret(desk.key("ab"), 1);
    desk.workspace.commands.run("node.split");
    expect(shape(desk.replica.outline)).toBe("a(b c)");
  });

  it("[W37] is one step of the history, the selected text that it replaces included", async () => {
    const desk = await openDesk("abcd");
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 1, 3);
    desk.workspace.commands.run("node.split");
    expect(shape(desk.replica.outline)).toBe("a d");
    desk.workspace.commands.run("history.undo");
    expect(shape(desk.replica.outline)).toBe("abcd");
  });

  it("[W38] in an empty last line goes out a level, and gives up a layout before", async () => {
    const { tree, focus } = await write("a(b) c", ["b", "end"], "node.split", "node.split");
    expect([tree, focus]).toEqual(["a(b)  c", "@0"]);
    expect(await inLayout("todo", "x", 1, "node.split")).toEqual([
      ["bullets", "a"],
      ["todo", "x"],
      ["todo", ""],
    ]);
    expect(await inLayout("todo", "x", 1, "node.split", "node.split")).toEqual([
      ["bullets", "a"],
      ["todo", "x"],
      ["bullets", ""],
    ]);
    expect(await inLayout("h1", "x", 1, "node.split")).toEqual([
      ["bullets", "a"],
      ["h1", "x"],
      ["bullets", ""],
    ]);
  });

  it("[W38, N43] a layout that is shown as a bullet is none to give up", async () => {
    const desk = await openDesk("a(b) c");
    const [layout] = ["table"].filter((word) => isLayout(word));
    desk.replica.edits.layout([desk.key("b")], layout ?? "h1");
    desk.replica.edits.type(desk.key("b"), "name", { at: 0, remove: 1, insert: "" });
    desk.workspace.focus.caret(desk.key("b"), "end");
    desk.workspace.commands.run("node.split");
    expect(shape(desk.replica.outline)).toBe("a  c");
    expect(desk.replica.outline.node(desk.key("b"))?.layout).toBe("table");
  });

  it("[W38] in code makes a line of the code; twice at its end it leaves the code", async () => {
    expect(await inLayout("code-block", "xy", 1, "node.split")).toEqual([
      ["bullets", "a"],
      ["code-block", "x\ny"],
    ]);
    expect(await inLayout("code-block", "xy", 2, "node.split", "node.split")).toEqual([
      ["bullets", "a"],
      ["code-block", "xy"],
      ["bullets", ""],
    ]);
  });
});

describe("Backspace at the start and Delete at the end", () => {
  it("[W39] join a line with the row above it, wherever in the tree that is", async () => {
    const { tree, focus } = await write("a(b) c", ["c", 0], "node.mergeUp");
    expect([tree, focus]).toEqual(["a(bc)", "bc@1"]);
    const down = await write("a b", ["a", "end"], "node.mergeDown");
    expect([down.tree, down.focus]).toEqual(["ab", "ab@1"]);
    const child = await write("a(b) c", ["b", 0], "node.mergeUp");
    expect([child.tree, child.focus]).toEqual(["ab c", "ab@1"]);
  });

  it("[W39] delete what is empty instead, so that the other node lives on", async () => {
    const empty = await openDesk("a b(c)");
    empty.replica.edits.type(empty.key("a"), "name", { at: 0, remove: 1, insert: "" });
    empty.workspace.focus.caret(empty.key("b"), 0);
    empty.workspace.commands.run("node.mergeUp");
    expect([shape(empty.replica.outline), focusIn(empty)]).toEqual(["b(c)", "b@0"]);
    expect(empty.replica.outline.has(empty.key("b"))).toBe(true);

    const last = await openDesk("a(x) b");
    last.workspace.rows.setCollapsed([last.key("a")], true);
    last.replica.edits.type(last.key("b"), "name", { at: 0, remove: 1, insert: "" });
    last.workspace.focus.caret(last.key("b"), 0);
    last.workspace.commands.run("node.mergeUp");
    expect([shape(last.replica.outline), focusIn(last)]).toEqual(["a(x)", "a@1"]);
  });

  it("[W39] a heading, quote or code becomes a bullet first, unless the line above is empty", async () => {
    const up = "node.mergeUp";
    const bullets = ["bullets", "a"];
    expect(await inLayout("h1", "x", 0, up)).toEqual([bullets, ["bullets", "x"]]);
    expect(await inLayout("quote-block", "", 0, up)).toEqual([bullets, ["bullets", ""]]);
    expect(await inLayout("code-block", "x", 0, up, up)).toEqual([["bullets", "ax"]]);
    expect(await inLayout("todo", "x", 0, up)).toEqual([["bullets", "ax"]]);
    const desk = await openDesk("a b");
    desk.replica.edits.layout([desk.key("a"), desk.key("b")], "h1");
    desk.replica.edits.type(desk.key("a"), "name", { at: 0, remove: 1, insert: "" });
    desk.workspace.focus.caret(desk.key("b"), 0);
    desk.workspace.commands.run("node.mergeUp");
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["b", "b@0"]);
    expect(desk.replica.outline.node(desk.key("b"))?.layout).toBe("h1");
  });

  it("[W40] are refused aloud when the line has lines below it, or hidden ones lie between", async () => {
    const parent = await write("a b(c)", ["b", 0], "node.mergeUp");
    expect(parent.tree).toBe("a b(c)");
    expect(parent.desk.notices.shown.get().map(({ text }) => text)).toEqual([
      "Not joined: the lower line has lines below it.",
    ]);
    const hidden = await openDesk("a(x) b");
    hidden.workspace.rows.setCollapsed([hidden.key("a")], true);
    hidden.workspace.focus.caret(hidden.key("a"), "end");
    hidden.workspace.commands.run("node.mergeDown");
    expect(shape(hidden.replica.outline)).toBe("a(x) b");
    expect(hidden.notices.shown.get().map(({ text }) => text)).toEqual([
      "Not joined: hidden lines lie between the two.",
    ]);
  });

  it("[W39] in the first line below the title join it with that", async () => {
    const desk = await openDesk("ab(cd(e) f)");
    desk.workspace.rows.zoomTo(desk.key("ab"));
    const join = (name: string) => {
      desk.workspace.focus.caret(desk.key(name), "start");
      desk.workspace.commands.run("node.mergeUp");
      return [shape(desk.replica.outline), focusIn(desk)];
    };
    expect(join("cd")).toEqual(["ab(cd(e) f)", "cd@0"]);
    expect(desk.notices.shown.get()).toHaveLength(1);
    desk.replica.edits.trash([desk.key("e")]);
    expect(join("cd")).toEqual(["abcd(f)", "abcd@2"]);
    desk.replica.edits.type(desk.key("f"), "name", { at: 0, remove: 1, insert: "" });
    expect(join("f")).toEqual(["abcd", "abcd@4"]);
  });

  it("[W39] in the first line do nothing, unless it is empty", async () => {
    expect((await write("a b", ["a", 0], "node.mergeUp")).tree).toBe("a b");
    const desk = await openDesk("a b");
    desk.replica.edits.type(desk.key("a"), "name", { at: 0, remove: 1, insert: "" });
    desk.workspace.focus.caret(desk.key("a"), 0);
    desk.workspace.commands.run("node.mergeUp");
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["b", "b@0"]);
  });
});

describe("what is done with nodes", () => {
  it("[W43] complete completes all, or reopens them when all are; the caret leaves what is hidden", async () => {
    const desk = await openDesk("a b c");
    const completed = (): readonly boolean[] =>
      ["a", "b", "c"].map(
        (name) => desk.replica.outline.node(desk.key(name))?.completedAt !== null,
      );
    desk.replica.edits.complete([desk.key("a")], true);
    desk.workspace.focus.selectNodes([desk.key("a"), desk.key("b")], desk.key("a"), desk.key("b"));
    desk.workspace.commands.run("node.complete");
    expect(completed()).toEqual([true, true, false]);
    desk.workspace.commands.run("node.complete");
    expect(completed()).toEqual([false, false, false]);
    desk.workspace.preferences.hidesCompleted.set(true);
    desk.workspace.focus.caret(desk.key("b"), 0);
    desk.workspace.commands.run("node.complete");
    expect(focusIn(desk)).toBe("a@1");
    expect(desk.notices.announced).toEqual(["Completed", "Reopened", "Completed"]);
  });

  it("[W105] Backspace in an empty note goes back to the name, in one with text it does not", async () => {
    const { desk, focus } = await write("ab", ["ab", 0], "node.note", "node.leaveEmptyNote");
    expect(focus).toBe("ab@2");
    desk.replica.edits.type(desk.key("ab"), "note", { at: 0, remove: 0, insert: "x" });
    desk.workspace.focus.caret(desk.key("ab"), "start", "note");
    expect(desk.workspace.commands.run("node.leaveEmptyNote")).toBe(false);
  });

  it("[W44] the note key goes to the note and back to the name", async () => {
    const { desk, focus } = await write("a", ["a", 0], "node.note");
    expect(focus).toBe("a@0:note");
    desk.workspace.commands.run("node.note");
    expect(focusIn(desk)).toBe("a@1");
  });

  it("[W46] delete moves to the trash, puts the caret above, and offers the way back", async () => {
    const { desk, tree, focus } = await write("a b(c) d", ["b", 0], "node.delete");
    expect([tree, focus]).toEqual(["a d", "a@1"]);
    const [notice] = desk.notices.shown.get();
    expect(notice?.text).toBe("Deleted “b” and 1 line below it");
    notice?.action?.run();
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a b(c) d", "b@0"]);
  });

  it("[W46] says how many lines were deleted, those below among them", async () => {
    const desk = await openDesk("a b(c(d)) e f(g)");
    const trashed = (...names: readonly string[]): string | undefined => {
      trash(
        desk.workspace,
        names.map((name) => desk.key(name)),
      );
      return desk.notices.shown.get().at(-1)?.text;
    };
    expect(trashed("a")).toBe("Deleted “a”");
    expect(trashed("b", "e")).toBe("Deleted 4 lines");
    expect(trashed("f")).toBe("Deleted “f” and 1 line below it");
  });

  it("[W46] deleting what is looked into puts the caret above it, where one is then", async () => {
    const deleteZoomed = async (notation: string, name: string) => {
      const desk = await openDesk(notation);
      desk.workspace.rows.zoomTo(desk.key(name));
      desk.workspace.focus.caret(desk.key(name), "end");
      desk.workspace.commands.run("node.delete");
      return [shape(desk.replica.outline), focusIn(desk)];
    };
    expect(await deleteZoomed("a b(c) d", "b")).toEqual(["a d", "a@1"]);
    expect(await deleteZoomed("b(c) d", "b")).toEqual(["d", "d@1"]);
    expect(await deleteZoomed("a(b(c) d)", "b")).toEqual(["a(d)", "a@1"]);
  });

  it("[W46] the way back of a notice brings back what it told of, whatever was done since", async () => {
    const desk = await openDesk("a b(c) d");
    desk.workspace.focus.caret(desk.key("b"), 0);
    desk.workspace.commands.run("node.delete");
    const [notice] = desk.notices.shown.get();
    desk.workspace.focus.caret(desk.key("d"), 1);
    desk.workspace.commands.run("node.split");
    expect(shape(desk.replica.outline)).toBe("a d ");
    notice?.action?.run();
    expect(shape(desk.replica.outline)).toBe("a b(c) d ");
  });

  it("[W302] a way back that is shut by what was done since says so", async () => {
    const desk = await openDesk("a b c");
    desk.workspace.focus.caret(desk.key("b"), 0);
    desk.workspace.commands.run("node.indent");
    const back = wayBack(desk.workspace);
    desk.workspace.focus.caret(desk.key("c"), 0);
    desk.workspace.commands.run("node.indent");
    back.run();
    expect(shape(desk.replica.outline)).toBe("a(b c)");
    expect(desk.notices.shown.get().at(-1)?.text).toMatch(/^You have gone on since/);
    desk.workspace.commands.run("history.undo");
    back.run();
    expect(shape(desk.replica.outline)).toBe("a b c");
  });

  it("[W46] the caret goes to no line that has vanished with what was deleted", async () => {
    const desk = await openDesk("a(x) b");
    const [a, b] = [desk.key("a"), desk.key("b")];
    desk.replica.edits.mirror(desk.key("x"), { parent: ROOT, position: "bottom" });
    desk.workspace.focus.selectNodes([a, b], a, b);
    desk.workspace.commands.run("node.deleteSelected");
    expect(desk.workspace.focus.state.get()).toBeUndefined();
  });

  it("[W46] duplicate puts a copy of all behind, with the caret in it", async () => {
    const { tree, focus } = await write("a(b) c", ["a", 1], "node.duplicate");
    expect([tree, focus]).toEqual(["a(b) a(b) c", "a@1"]);
  });

  it("[W47] undo and redo take the caret to where they do something", async () => {
    const desk = await openDesk("a(b) c(d)");
    desk.workspace.focus.caret(desk.key("b"), 1);
    desk.workspace.commands.run("node.split");
    desk.workspace.rows.setCollapsed([desk.key("a")], true);
    desk.workspace.rows.zoomTo(desk.key("c"));
    desk.workspace.focus.caret(desk.key("d"), 0);
    desk.workspace.commands.run("history.undo");
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a(b) c(d)", "b@1"]);
    expect(desk.workspace.rows.indexOf(desk.key("b"))).toBe(1);
    desk.workspace.commands.run("history.redo");
    expect(shape(desk.replica.outline)).toBe("a(b ) c(d)");
  });

  it("[W47] undo of what was done with selected lines goes to them, and selects them again", async () => {
    const desk = await openDesk("a b c d(e)");
    const { commands, focus, rows } = desk.workspace;
    focus.selectNodes([desk.key("b"), desk.key("c")], desk.key("b"), desk.key("c"));
    commands.run("node.deleteSelected");
    rows.zoomTo(desk.key("d"));
    focus.caret(desk.key("e"), 0);
    commands.run("history.undo");
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a b c d(e)", "[b c]"]);
    expect(rows.zoom.get()).toBe(ROOT);
    commands.run("history.redo");
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a d(e)", "a@1"]);
    commands.run("history.undo");
    expect(focusIn(desk)).toBe("[b c]");
  });

  it("[W47] where all lines were deleted undo leaves nobody without a caret", async () => {
    const desk = await openDesk("a(b) c");
    const { commands, focus } = desk.workspace;
    focus.caret(desk.key("a"), 0);
    for (let times = 0; times < 3; times++) commands.run("select.all");
    commands.run("node.deleteSelected");
    expect(focusIn(desk)).toBe("nowhere");
    commands.run("history.undo");
    expect(focusIn(desk)).toBe("[a c]");
  });

  it("[W47] lines that can't be selected any more leave the caret in the last one", async () => {
    const desk = await openDesk("a b c");
    const { commands, focus } = desk.workspace;
    focus.selectNodes([desk.key("b"), desk.key("c")], desk.key("b"), desk.key("c"));
    commands.run("node.complete");
    desk.replica.outline.trash(desk.key("b"), 0);
    focus.caret(desk.key("a"), 0);
    commands.run("history.undo");
    expect(focusIn(desk)).toBe("c@1");
  });

  it("[W46] the notice of a deletion goes when it is undone by key, and only then", async () => {
    const desk = await openDesk("a b c");
    const { commands, focus } = desk.workspace;
    focus.caret(desk.key("b"), 0);
    commands.run("node.delete");
    desk.replica.edits.complete([desk.key("c")], true);
    commands.run("history.undo");
    expect(desk.notices.shown.get().map(({ text }) => text)).toEqual(["Deleted “b”"]);
    commands.run("history.undo");
    expect(desk.notices.shown.get()).toEqual([]);
  });

  it("[W47] undo that takes selected lines away selects those that were selected before", async () => {
    for (const [notation, there] of [
      ["a(b) c", "[a c]"],
      ["a", "[a]"],
    ] as const) {
      const desk = await openDesk(notation);
      desk.workspace.focus.caret(desk.key("a"), 0);
      for (let times = 0; times < 3; times++) desk.workspace.commands.run("select.all");
      desk.workspace.commands.run("node.duplicate");
      desk.workspace.commands.run("history.undo");
      expect([shape(desk.replica.outline), focusIn(desk)]).toEqual([notation, there]);
    }
  });

  it("[W51] a layout that all have becomes bullets again; formats go over whole selected names", async () => {
    const desk = await openDesk("a b");
    const node = (name: string) => desk.replica.outline.node(desk.key(name));
    desk.workspace.focus.selectNodes([desk.key("a"), desk.key("b")], desk.key("a"), desk.key("b"));
    desk.workspace.commands.run("layout.h2");
    desk.workspace.commands.run("format.bold");
    expect([node("a"), node("b")].map((each) => [each?.layout, each?.name])).toEqual([
      ["h2", "<b>a</b>"],
      ["h2", "<b>b</b>"],
    ]);
    desk.workspace.commands.run("layout.h2");
    desk.workspace.commands.run("format.bold");
    expect([node("a"), node("b")].map((each) => [each?.layout, each?.name])).toEqual([
      ["bullets", "a"],
      ["bullets", "b"],
    ]);
  });
});

import { describe, expect, it, onTestFinished, vi } from "vitest";
import { copiedOf } from "../../../../client/app/clipboard/copied.ts";
import { entriesOfText } from "../../../../client/app/clipboard/entries-of-text.ts";
import { entriesOfOwnText, OWN_TYPE } from "../../../../client/app/clipboard/own-format.ts";
import { paste, pasteLiterally } from "../../../../client/app/clipboard/paste.ts";
import { pastedOf } from "../../../../client/app/clipboard/pasted.ts";
import { PASTE_LITERALLY } from "../../../../client/app/commands/paste-command.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { shape } from "../../../support/outline-notation.ts";
import { openDesk } from "../../support/fake-workspace.ts";
import { focusIn } from "../commands/focus-in.ts";

const text = (plain: string) => pastedOf((type) => (type === "text/plain" ? plain : ""));

describe("copying", () => {
  it("[W55] puts nodes on the clipboard as text, as a page and in our own format", async () => {
    const desk = await openDesk("a(b(c)) d e");
    desk.replica.edits.complete([desk.key("d")], true);
    desk.workspace.focus.selectNodes([desk.key("a"), desk.key("d")], desk.key("a"), desk.key("d"));
    const copied = copiedOf(desk.workspace);
    expect(copied?.get("text/plain")).toBe("- a\n  - b\n    - c\n- [x] d");
    expect(copied?.get("text/html")).toBe(
      '<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li><input type="checkbox" disabled checked> d</li></ul>',
    );
    expect(entriesOfOwnText(copied?.get(OWN_TYPE) ?? "")).toEqual([
      { depth: 0, name: "a", layout: "bullets" },
      { depth: 1, name: "b", layout: "bullets" },
      { depth: 2, name: "c", layout: "bullets" },
      { depth: 0, name: "d", layout: "bullets", completedAt: desk.clock.nowSec },
    ]);
  });

  it("[W204] copies lines as text that a mail or a chat can show: dashes, notes, code, addresses", async () => {
    const desk = await openDesk("a(b c)");
    const { edits } = desk.replica;
    const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
    edits.type(a, "note", { at: 0, remove: 0, insert: "one\ntwo" });
    edits.format(b, "name", { from: 0, to: 1 }, "a", "https://example.com/b");
    edits.layout([b], "todo");
    edits.layout([c], "code-block");
    edits.type(c, "name", { at: 1, remove: 0, insert: "\n  d" });
    const textOf = (key: typeof a) => {
      desk.workspace.focus.selectNodes([key], key, key);
      return copiedOf(desk.workspace)?.get("text/plain");
    };
    expect(textOf(a)).toBe(
      ["- a", "  one", "  two", "  - [ ] b (https://example.com/b)", "  - c", "      d"].join("\n"),
    );
    expect([textOf(b), textOf(c)]).toEqual(["b (https://example.com/b)", "c\n  d"]);
  });

  it("[W55] puts selected text on it with its formats, and nothing for a caret", async () => {
    const desk = await openDesk("abcd");
    desk.replica.edits.format(desk.key("abcd"), "name", { from: 1, to: 3 }, "b", true);
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 4, 2);
    expect([...(copiedOf(desk.workspace) ?? [])]).toEqual([
      ["text/plain", "cd"],
      ["text/html", "<b>c</b>d"],
      [OWN_TYPE, '{"v":1,"text":"<b>c</b>d"}'],
    ]);
    desk.workspace.focus.caret(desk.key("abcd"), 1);
    expect(copiedOf(desk.workspace)).toBeUndefined();
  });
});

describe("pasting", () => {
  it("[W57] takes OPML apart that is a single line", () => {
    const opml = '<opml version="2.0"><body><outline text="a"><outline text="b"/></outline></body>';
    expect(text(`${opml}</opml>`)).toMatchObject({
      kind: "lines",
      entries: entriesOfText(`${opml}</opml>`),
    });
    expect(text("<opml")).toMatchObject({ kind: "lines", entries: entriesOfText("<opml") });
    expect(text("<b>").kind).toBe("inline");
  });

  it("[W62] puts lines below the one with the caret, as one step", async () => {
    const desk = await openDesk("a(b) c");
    desk.workspace.focus.caret(desk.key("c"), 1);
    paste(desk.workspace, text("x\n\ty\nz"));
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a(b) c x(y) z", "z@1"]);
    desk.workspace.commands.run("history.undo");
    expect(shape(desk.replica.outline)).toBe("a(b) c");
    desk.workspace.focus.caret(desk.key("a"), 1);
    paste(desk.workspace, text("x\ny"));
    expect(shape(desk.replica.outline)).toBe("a(x y b) c");
  });

  it("[W62] takes the place of an empty line", async () => {
    const desk = await openDesk("a b");
    desk.workspace.focus.caret(desk.key("a"), 1);
    desk.workspace.commands.run("node.split");
    paste(desk.workspace, text("x\ny"));
    expect(shape(desk.replica.outline)).toBe("a x y b");
    desk.workspace.commands.run("history.undo");
    expect(shape(desk.replica.outline)).toBe("a  b");
  });

  it("[W62] leaves the line and what is selected alone when there are only blank lines", async () => {
    const desk = await openDesk("a b");
    desk.workspace.focus.caret(desk.key("a"), 1);
    desk.workspace.commands.run("node.split");
    paste(desk.workspace, text(" \n \n"));
    pasteLiterally(desk.workspace, " \n \n");
    expect(shape(desk.replica.outline)).toBe("a  b");
    desk.workspace.focus.selectText(desk.key("b"), "name", 0, 1);
    paste(desk.workspace, text(" \n \n"));
    expect(shape(desk.replica.outline)).toBe("a  b");
  });

  it("[W62] brings 10,000 lines in one step", async () => {
    const desk = await openDesk("a");
    desk.workspace.focus.caret(desk.key("a"), 1);
    const lines = Array.from({ length: 10_000 }, (_, index) => "\t".repeat(index % 4) + index);
    paste(desk.workspace, text(lines.join("\n")));
    expect(desk.replica.outline.size).toBe(10_001);
    desk.workspace.commands.run("history.undo");
    expect(shape(desk.replica.outline)).toBe("a");
  });

  it("[W63] puts a single line in at the caret, over what is selected", async () => {
    const desk = await openDesk("abcd");
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 1, 3);
    paste(desk.workspace, text("**x**\n"));
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a**x**d", "a**x**d@6"]);
  });

  it("[W63] keeps the formats of a single line of a page", async () => {
    const desk = await openDesk("ab");
    desk.workspace.focus.caret(desk.key("ab"), 1);
    paste(desk.workspace, {
      kind: "inline",
      text: [{ insert: "x", attributes: { i: true } }, { insert: "y" }],
    });
    expect(shape(desk.replica.outline)).toBe("a<i>x</i>yb");
  });

  it("[W63] of a page's heading alone takes the words into a line, and all where it is empty", async () => {
    const heading = { depth: 0, name: "<i>x</i>", layout: "h1" } as const;
    const pasted = { kind: "lines", entries: [heading], plain: "x" } as const;
    const desk = await openDesk("abcd");
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 1, 3);
    paste(desk.workspace, pasted);
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["a<i>x</i>d", "axd@2"]);
    desk.workspace.focus.caret(desk.key("abcd"), "end");
    desk.workspace.commands.run("node.split");
    paste(desk.workspace, pasted);
    const layouts = desk.replica.outline.children(ROOT).map(({ layout }) => layout);
    expect(layouts).toEqual(["bullets", "h1"]);
  });

  it("[W63] keeps the formats of a single line behind selected nodes", async () => {
    const desk = await openDesk("a");
    desk.workspace.focus.selectNodes([desk.key("a")], desk.key("a"), desk.key("a"));
    const linked = { insert: "x<y", attributes: { a: "https://a.example/" } };
    paste(desk.workspace, { kind: "inline", text: [linked, { insert: " z" }] });
    expect(desk.replica.outline.children(ROOT).map(({ name }) => name)).toEqual([
      "a",
      '<a href="https://a.example/">x&lt;y</a> z',
    ]);
  });

  it("[W63] keeps the order of formats behind characters that are left out", async () => {
    const desk = await openDesk("abcd");
    desk.workspace.focus.caret(desk.key("abcd"), 1);
    paste(desk.workspace, {
      kind: "inline",
      text: [{ insert: "\u0001\u0002x" }, { insert: "y", attributes: { b: true } }],
    });
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["ax<b>y</b>bcd", "axybcd@3"]);
  });

  it("[W63] links the selected words when an address is pasted over them", async () => {
    const desk = await openDesk("abcd");
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 1, 3);
    paste(desk.workspace, text("https://a.example/"));
    expect(shape(desk.replica.outline)).toBe('a<a href="https://a.example/">bc</a>d');
  });

  it("[W63] a text that begins with an address takes the place of what is selected", async () => {
    const desk = await openDesk("abcd");
    desk.workspace.focus.selectText(desk.key("abcd"), "name", 1, 3);
    paste(desk.workspace, text("https://a.example/ is it"));
    expect(shape(desk.replica.outline)).toBe("ahttps://a.example/ is itd");
  });

  it("[W63] an address takes the place of a selected address, which would say what is not so", async () => {
    const desk = await openDesk("a");
    const { edits } = desk.replica;
    edits.type(desk.key("a"), "name", { at: 1, remove: 0, insert: " https://b.example/" });
    desk.workspace.focus.selectText(desk.key("a"), "name", 2, 20);
    paste(desk.workspace, text("https://a.example/"));
    expect(shape(desk.replica.outline)).toBe("a https://a.example/");
  });

  it("[W64] an address is a text in code, and where it is pasted literally", async () => {
    const desk = await openDesk("abcd");
    const key = desk.key("abcd");
    desk.workspace.focus.selectText(key, "name", 1, 3);
    pasteLiterally(desk.workspace, "https://a.example/");
    expect(shape(desk.replica.outline)).toBe("ahttps://a.example/d");
    desk.replica.edits.layout([key], "code-block");
    desk.workspace.focus.selectText(key, "name", 1, 19);
    paste(desk.workspace, text("mailto:b"));
    expect(shape(desk.replica.outline)).toBe("amailto:bd");
  });

  it("[W64] the link of a line is a text where it is pasted literally", async () => {
    const desk = await openDesk("a b");
    desk.replica.edits.type(desk.key("b"), "name", { at: 0, remove: 1, insert: "" });
    desk.workspace.focus.caret(desk.key("b"), 0);
    pasteLiterally(desk.workspace, `#/${desk.key("a")}`);
    expect(shape(desk.replica.outline)).toBe(`a #/${desk.key("a")}`);
  });

  it("[W64] literally interprets nothing", async () => {
    const desk = await openDesk("a");
    desk.workspace.focus.caret(desk.key("a"), 1);
    pasteLiterally(desk.workspace, "- x\n  - **y**\n");
    expect(
      desk.replica.outline.children(desk.workspace.rows.zoom.get()).map(({ name }) => name),
    ).toEqual(["a", "- x", "  - **y**"]);
  });

  it("[W64] from the palette goes to where the caret was when it was asked for", async () => {
    const desk = await openDesk("a b");
    let allow: (text: string) => void = () => {};
    const asked = new Promise<string>((resolve) => {
      allow = resolve;
    });
    vi.stubGlobal("navigator", { clipboard: { readText: () => asked } });
    onTestFinished(() => void vi.unstubAllGlobals());
    desk.workspace.focus.caret(desk.key("a"), 1);
    const done = PASTE_LITERALLY.run(desk.workspace, {
      keys: [desk.key("a")],
      ids: [desk.key("a")],
    });
    desk.replica.outline.editText(desk.key("a"), "name", (name) => name.insert(0, "far "));
    desk.workspace.focus.caret(desk.key("b"), 0);
    allow("**x**");
    await done;
    expect([shape(desk.replica.outline), focusIn(desk)]).toEqual(["far a**x** b", "far a**x**@10"]);
  });

  it("[W64] into a note or code keeps the lines there", async () => {
    const desk = await openDesk("a");
    desk.workspace.focus.caret(desk.key("a"), 1);
    desk.workspace.commands.run("node.note");
    paste(desk.workspace, text("x\n\ty"));
    expect(desk.replica.outline.node(desk.key("a"))?.note).toBe("x\n  y");
  });

  it("[W64] into a note or code keeps them as they are, blank ones, marks and all", async () => {
    const desk = await openDesk("a b");
    const code = "# one\r\n\r\n- x:\r\n    y = **z**\r\n\t\treturn\r\n";
    desk.replica.edits.layout([desk.key("a")], "code-block");
    desk.workspace.focus.caret(desk.key("a"), 1);
    paste(desk.workspace, text(code));
    desk.workspace.focus.caret(desk.key("b"), 1);
    desk.workspace.commands.run("node.note");
    paste(desk.workspace, text(code));
    const kept = "# one\n\n- x:\n    y = **z**\n    return";
    expect(desk.replica.edits.text(desk.key("a"), "name")?.toJSON()).toBe(
      `a${kept.replace("    return", "\t\treturn")}`,
    );
    expect(desk.replica.edits.text(desk.key("b"), "note")?.toJSON()).toBe(kept);
    expect(desk.replica.outline.size).toBe(2);
  });

  it("[W61, W64] code keeps its tabs, whichever way it comes and goes", async () => {
    const code = "if\tx:\n\ty\n\t\tz";
    const desk = await openDesk("a b c");
    const [a, b, c] = [desk.key("a"), desk.key("b"), desk.key("c")];
    const { edits, outline } = desk.replica;
    edits.layout([a, b], "code-block");
    desk.workspace.focus.selectText(a, "name", 0, 1);
    pasteLiterally(desk.workspace, code);
    expect(outline.node(a)?.name).toBe(code);
    edits.type(a, "name", { at: 0, remove: 0, insert: "\t" });
    expect(outline.node(a)?.name).toBe(`\t${code}`);

    const copied = (): ReadonlyMap<string, string> => copiedOf(desk.workspace) ?? new Map();
    desk.workspace.focus.selectText(a, "name", 0, 4);
    const stretch = copied();
    desk.workspace.focus.selectText(b, "name", 0, 1);
    paste(
      desk.workspace,
      pastedOf((type) => stretch.get(type) ?? ""),
    );
    expect(outline.node(b)?.name).toBe("\tif\t");
    desk.workspace.focus.selectText(c, "name", 0, 1);
    paste(
      desk.workspace,
      pastedOf((type) => stretch.get(type) ?? ""),
    );
    expect(outline.node(c)?.name).toBe(" if ");

    desk.workspace.focus.selectNodes([a], a, a);
    const whole = copied();
    expect(whole.get("text/plain")).toBe(code);
    const own = pastedOf((type) => (type === OWN_TYPE ? (whole.get(type) ?? "") : ""));
    desk.workspace.focus.selectNodes([c], c, c);
    paste(desk.workspace, own);
    expect(outline.children(ROOT).at(-1)?.name).toBe(`\t${code}`);
    desk.workspace.focus.selectText(b, "name", 0, 4);
    paste(desk.workspace, own);
    expect(outline.node(b)?.name).toBe(`\t${code}`);
  });

  it("[W64] into a note keeps the notes of copied nodes", async () => {
    const desk = await openDesk("a(b) c");
    desk.replica.outline.editText(desk.key("b"), "note", (note) => note.insert(0, "x\ny"));
    desk.workspace.focus.selectNodes([desk.key("a")], desk.key("a"), desk.key("a"));
    const copied = copiedOf(desk.workspace);
    desk.workspace.focus.caret(desk.key("c"), 1);
    desk.workspace.commands.run("node.note");
    paste(
      desk.workspace,
      pastedOf((type) => (type === "text/html" ? "" : (copied?.get(type) ?? ""))),
    );
    expect(desk.replica.outline.node(desk.key("c"))?.note).toBe("a\n  b\n    x\n    y");
  });

  it("[W55] brings selected text back as it was, with its dates and the spaces at its ends", async () => {
    const desk = await openDesk("x y");
    const [x, y] = [desk.key("x"), desk.key("y")];
    const { edits } = desk.replica;
    edits.type(x, "name", { at: 1, remove: 0, insert: " <b>  ", formats: { b: true } });
    edits.type(x, "name", { at: 7, remove: 0, insert: "Friday", formats: { d: "2026-11-20" } });
    edits.type(x, "name", { at: 13, remove: 0, insert: " ", formats: {} });
    desk.workspace.focus.selectText(x, "name", 1, 14);
    const copied = copiedOf(desk.workspace);
    desk.workspace.focus.caret(y, 1);
    paste(
      desk.workspace,
      pastedOf((type) => copied?.get(type) ?? ""),
    );
    const name = (key: typeof x) => desk.replica.outline.node(key)?.name;
    expect(name(y)).toBe(`y${name(x)?.slice(1)}`);
    expect(name(y)).toContain("</time> ");
  });

  it("[W55] reads what it copied", async () => {
    const desk = await openDesk("a(b(c)) d");
    desk.workspace.focus.selectNodes([desk.key("a")], desk.key("a"), desk.key("a"));
    const copied = copiedOf(desk.workspace);
    const depths = [0, 1, 2];
    expect(entriesOfText(copied?.get("text/plain") ?? "").map(({ depth }) => depth)).toEqual(
      depths,
    );
    expect(entriesOfOwnText(copied?.get(OWN_TYPE) ?? "")?.map(({ depth }) => depth)).toEqual(
      depths,
    );
  });
});

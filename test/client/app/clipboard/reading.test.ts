import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { entriesOfHtml } from "../../../../client/app/clipboard/entries-of-html.ts";
import { entriesOfText } from "../../../../client/app/clipboard/entries-of-text.ts";
import { htmlOfEntries } from "../../../../client/app/clipboard/html-of-entries.ts";
import { STYLE_ATTRIBUTE } from "../../../../client/app/clipboard/html-line.ts";
import { literalEntries } from "../../../../client/app/clipboard/literal-entries.ts";
import { pastedOf } from "../../../../client/app/clipboard/pasted.ts";
import { entriesOfOwnText, ownTextOf } from "../../../../client/app/clipboard/own-format.ts";
import { isLayout } from "../../../../src/core/node/layout.ts";
import { richTextOfHtml } from "../../../../src/core/text/html.ts";
import { plainText } from "../../../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../../../src/formats/outline-entry.ts";
import { el } from "./html-tree.ts";

/** Depth and name of each entry, with what is not usual about it. */
function lines(entries: readonly OutlineEntry[]): readonly string[] {
  return entries.map(({ depth, name, layout, completedAt, note }) =>
    [
      `${depth} ${name}`,
      layout === "bullets" ? "" : ` [${layout}]`,
      completedAt === undefined ? "" : " done",
      note === undefined ? "" : ` (${note})`,
    ].join(""),
  );
}

function letters(text: string): string {
  return text.replaceAll(/[\s]/gu, "");
}

describe("a pasted text", () => {
  it("[W57] keeps its hierarchy by tabs or spaces, and any line ends", () => {
    expect(lines(entriesOfText("a\r\n\tb\r\n\t\tc\rd"))).toEqual(["0 a", "1 b", "2 c", "0 d"]);
    expect(lines(entriesOfText("a\n  b\n    [x] c\n> d"))).toEqual([
      "0 a",
      "1 b",
      "2 c [todo] done (d)",
    ]);
  });

  it("[W57, W438] keeps it by spaces that do not break too; what shows nothing is no line", () => {
    expect(
      lines(entriesOfText("\ufeffa\n\u00a0\u00a0b\n\u00a0 \u00a0 c\n\u200b\n\u00a0\nd")),
    ).toEqual(["0 a", "1 b", "2 c", "0 d"]);
    expect(lines(entriesOfText("\ufeff- a\n\u00a0\u00a0-\u00a0b\n-\u00a0c"))).toEqual([
      "0 a",
      "1 b",
      "0 c",
    ]);
    expect(lines(entriesOfText("•\u00a0a\n•\u00a0\u00a0b"))).toEqual(["0 a", "0 b"]);
    expect(lines(entriesOfText("§\u00a01 a\n§\u00a02 b"))).toEqual([
      "0 §\u00a01 a",
      "0 §\u00a02 b",
    ]);
  });

  it("[W57] is OPML when it is, and text when its OPML is broken", () => {
    const opml =
      '<opml version="2.0"><body><outline text="a"><outline text="b"/></outline></body></opml>';
    expect(lines(entriesOfText(`<?xml version="1.0"?>${opml}`))).toEqual(["0 a", "1 b"]);
    const broken = opml.replace("</body>", "");
    expect(lines(entriesOfText(broken)).length).toBe(1);
  });

  it("[W58] is markdown only when it is clear; numbers of lists stay", () => {
    expect(lines(entriesOfText("# A\n\n- **b**\n  - c\n\n## D\n\n1. e\n2. f"))).toEqual([
      "0 A [h1]",
      "1 <b>b</b>",
      "2 c",
      "1 D [h2]",
      "2 1. e",
      "2 2. f",
    ]);
    expect(lines(entriesOfText("```\nx = 1\n```\ny"))).toEqual(["0 x = 1 [code-block]", "0 y"]);
    expect(lines(entriesOfText("# run\nmake all\n# then\nmake test"))).toEqual([
      "0 # run",
      "0 make all",
      "0 # then",
      "0 make test",
    ]);
    expect(lines(entriesOfText("# A\n\n<!-- b -->\n\nc")).join("|")).toContain("b");
  });

  it.each([
    ["Shopping:\n- milk\n- eggs\nthen", ["0 Shopping:", "1 milk", "1 eggs", "0 then"]],
    ["Shopping:\n\n- milk\n\n- eggs", ["0 Shopping:", "1 milk", "1 eggs"]],
    [
      "Notes of today\n\n* a\n  * b\n* c\n\nend",
      ["0 Notes of today", "0 a", "1 b", "0 c", "0 end"],
    ],
    ["• one\n\t◦ sub\n\t\t▪ below", ["0 one", "1 sub", "2 below"]],
    ["Hello,\n- said nobody", ["0 Hello,", "0 - said nobody"]],
    ["a - b\n– c\nd", ["0 a - b", "0 – c", "0 d"]],
    ["To buy:\n☐ milk\n☑ eggs", ["0 To buy:", "1 milk [todo]", "1 eggs [todo] done"]],
    ["List\n  - a\n    which goes on\n  - b", ["0 List", "1 a (which goes on)", "1 b"]],
    [
      "Book:\n- parts\n  1. one\n     goes on\n  2. two\n- end",
      ["0 Book:", "1 parts", "2 1. one (goes on)", "2 2. two", "1 end"],
    ],
  ])("[W104] lists among other lines: %j", (text, expected) => {
    expect(lines(entriesOfText(text))).toEqual(expected);
  });

  it.each([
    ["• one\n◦ sub\n", ["0 one", "1 sub"]],
    [
      "Agenda\n• one\n◦ sub\n▪ below\n▪ again\n◦ side\n• two\nend",
      ["0 Agenda", "1 one", "2 sub", "3 below", "3 again", "2 side", "1 two", "0 end"],
    ],
    ["·\tone\no\tsub\n§\tbelow\n·\ttwo", ["0 one", "1 sub", "2 below", "0 two"]],
    ["• one\n– detail\n• two\n– more", ["0 one", "1 detail", "0 two", "1 more"]],
    ["• one\n▪ sub\n• two", ["0 one", "1 sub", "0 two"]],
    ["• one\n• two\n☐ task", ["0 one", "0 two", "0 task [todo]"]],
    ["a\n* one\n- two", ["0 a", "1 one", "1 two"]],
    ["  • one\n◦ out\n  • two", ["0 one", "0 out", "1 two"]],
  ])("[W291] signs say levels where nothing is indented: %j", (text, expected) => {
    expect(lines(entriesOfText(text))).toEqual(expected);
  });

  it.each([
    ["before\n---\nafter", ["0 before", "0 ---", "0 after"]],
    ["- a\n  - b\n---\n- c", ["0 a", "1 b", "0 ---", "0 c"]],
    ["# A\n\ntext\n\n---\n\n***\nmore", ["0 A [h1]", "1 text", "1 ---", "1 ***", "1 more"]],
    ["---\n---", ["0 ---", "0 ---"]],
    ["# A\n\nB\n---\n\nc", ["0 A [h1]", "1 B [h2]", "2 c"]],
  ])("[W291] a rule stays as a line of its own: %j", (text, expected) => {
    expect(lines(entriesOfText(text))).toEqual(expected);
  });

  it("[W320] front matter of a note is the note of its first line", () => {
    const front = "---\ntitle: Trip\ntags:\n  - a\n---\n";
    expect(lines(entriesOfText(`${front}\n# Trip\n\ntext\n`))).toEqual([
      "0 Trip [h1] (title: Trip\ntags:\n  - a)",
      "1 text",
    ]);
    expect(lines(entriesOfText(`${front}one\n\ntwo`))).toEqual([
      "0 one (title: Trip\ntags:\n  - a)",
      "0 two",
    ]);
  });

  it("[W104] a list of Logseq: tasks, notes, and nothing of how it is shown", () => {
    const text = [
      "- TODO call **Ann**",
      "  collapsed:: true",
      "\t- DONE ask [[Bob]]",
      "\t  owner:: me",
      "\t  :LOGBOOK:",
      "\t  CLOCK: [2026-11-01 Sun 10:00:00]",
      "\t  :END:",
      "- plain",
      "  and more",
    ].join("\n");
    expect(lines(entriesOfText(text))).toEqual([
      "0 call <b>Ann</b> [todo]",
      "1 ask [[Bob]] [todo] done (owner:: me)",
      "0 plain (and more)",
    ]);
  });

  it("[W61] never loses a character that is not a mark of its structure", () => {
    const word = fc.stringMatching(/^[a-zäß&<>"'\\*_`~!()=:.,;0-9]{1,12}$/);
    const line = fc.tuple(fc.nat(3), fc.array(word, { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 12 }), (drawn) => {
        const text = drawn.map(([depth, words]) => "\t".repeat(depth) + words.join(" ")).join("\n");
        const entries = entriesOfText(text);
        fc.pre(!entries.some(({ layout, note }) => layout === "todo" || note !== undefined));
        const read = entries.map(({ name }) => plainText(richTextOfHtml(name))).join("");
        // Fenced code is the one structure that these words can make by chance.
        if (/^\s*(```|~~~)/m.test(text)) return;
        // So are bullets.
        if (/^\s*\* /m.test(text)) return;
        expect(letters(read)).toBe(letters(text));
      }),
    );
    // Nothing here shows these two.
    const marks = '# a\n\n```js\nb\n```\n\n[c](https://c.example "title") d';
    expect(lines(entriesOfText(marks))).toEqual([
      "0 a [h1]",
      "1 b [code-block]",
      '1 <a href="https://c.example">c</a> d',
    ]);
    expect(lines(literalEntries("  - <b>a\n\n\t# b"))).toEqual(["0   - &lt;b&gt;a", "0 \t# b"]);
  });
});

it("[W63] a line is one whatever line ends are behind it, and many lines are read quickly", () => {
  const ofText = (text: string) => pastedOf((type) => (type === "text/plain" ? text : ""));
  expect(ofText("a\r\n\n\r")).toEqual({ kind: "inline", text: [{ insert: "a" }] });
  expect(ofText("\n\r\n")).toEqual({ kind: "nothing" });
  // Quadratic work on this would take a minute.
  expect(ofText(`a${"\n".repeat(1 << 19)}b`)).toMatchObject({ kind: "lines" });
});

describe("a pasted page", () => {
  const read = (...children: Parameters<typeof el>[2][]): readonly string[] =>
    lines(entriesOfHtml(el("body", {}, ...children)));

  it("[W104] check lists of Google Docs", () => {
    const item = (text: string, checked: boolean) =>
      el(
        "li",
        { role: "checkbox", "aria-checked": String(checked), "aria-level": "1" },
        el("img", { alt: checked ? "checked" : "unchecked", "aria-roledescription": "checkbox" }),
        el("p", { role: "presentation" }, el("span", {}, text)),
      );
    expect(read(el("ul", {}, item("milk", false), item("eggs", true)))).toEqual([
      "0 milk [todo]",
      "0 eggs [todo] done",
    ]);
  });

  it("[W104] tables whose cells are paragraphs are rows; tables that only place are lines", () => {
    const cell = (...texts: string[]) => el("td", {}, ...texts.map((text) => el("p", {}, text)));
    const row = (...cells: ReturnType<typeof el>[]) => el("tr", {}, ...cells);
    const table = el(
      "table",
      {},
      el("tbody", {}, row(cell("Name"), cell("Qty")), row(cell("x"), cell("2"))),
    );
    expect(read(table)).toEqual(["0 Name | Qty", "0 x | 2"]);
    expect(read(el("table", {}, row(cell("a", "b"), cell("c"))))).toEqual(["0 a", "0 b", "0 c"]);
  });

  it("[W104] to-dos and toggles of Notion", () => {
    const todo = (text: string) => el("li", {}, text);
    expect(read(el("ul", {}, todo("[ ]  A"), todo("[x] B"), todo("[c] C")))).toEqual([
      "0 A [todo]",
      "0 B [todo] done",
      "0 [c] C",
    ]);
    const toggle = el(
      "details",
      { open: "" },
      el("summary", {}, "T"),
      el("p", {}, "in"),
      el("ul", {}, el("li", {}, "deep")),
    );
    expect(read(el("ul", {}, el("li", {}, toggle)), el("p", {}, "end"))).toEqual([
      "0 T",
      "1 in",
      "1 deep",
      "0 end",
    ]);
    expect(read(toggle)).toEqual(["0 T", "1 in", "1 deep"]);
  });

  it("[W104] lists of Word", () => {
    const item = (level: number, mark: string, text: string) =>
      el(
        "p",
        {
          class: "MsoListParagraph",
          [STYLE_ATTRIBUTE]: `margin-left:36.0pt;mso-list:l0 level${level} lfo1`,
        },
        el("span", { [STYLE_ATTRIBUTE]: "mso-list:Ignore" }, mark, el("span", {}, "\u00a0\u00a0 ")),
        text,
      );
    expect(
      read(
        el("p", {}, "before"),
        item(1, "·", "Word one"),
        item(2, "o", "Word nested"),
        item(1, "·", "two"),
        el("p", {}, "after"),
      ),
    ).toEqual(["0 before", "0 Word one", "1 Word nested", "0 two", "0 after"]);
  });

  it("[W438] what a page does not show is no text, and what shows nothing is no line", () => {
    const styled = (style: string, text: string) => el("span", { [STYLE_ATTRIBUTE]: style }, text);
    expect(
      read(
        el("p", {}, "Contents", styled("color:windowtext;display:none;mso-hide:all", ". 1")),
        el("p", {}, "\u00a0"),
        el("p", {}, "\ufeffseen", styled("visibility: hidden", "unseen"), "\u200b\u00a0"),
        el("p", {}, el("b", {}, "\u00a0\u00a0"), "10\u00a0000"),
        el("p", { hidden: "" }, "unseen"),
        el("p", {}, styled("position: absolute; clip: rect(1px, 1px, 1px, 1px);", "unseen"), "end"),
        el("ul", {}, el("li", { [STYLE_ATTRIBUTE]: "DISPLAY: NONE" }, "unseen"), el("li", {}, "a")),
        el("table", {}, el("tr", { [STYLE_ATTRIBUTE]: "display:none" }, el("td", {}, "unseen"))),
      ),
    ).toEqual(["0 Contents", "0 seen", "0 10\u00a0000", "0 end", "0 a"]);
    // Its box is drawn by the page, the one of the browser is not.
    const box = { type: "checkbox", checked: "", [STYLE_ATTRIBUTE]: "display:none" };
    expect(read(el("ul", {}, el("li", {}, el("input", box), "done")))).toEqual([
      "0 done [todo] done",
    ]);
  });

  it("[W104] a box before the text of an item says whether that is done", () => {
    const box = (isDone: boolean) =>
      el("span", { role: "checkbox", "aria-checked": String(isDone) });
    const items = [el("li", {}, box(true), "a"), el("li", {}, el("div", {}, box(false), "b"))];
    expect(read(el("ul", {}, ...items))).toEqual(["0 a [todo] done", "0 b [todo]"]);
    const block = el("div", { role: "checkbox", "aria-checked": "true" }, "c");
    expect(read(el("div", {}, "before", block))).toEqual(["0 before", "0 c [todo] done"]);
  });

  it("[W59] nests lists in items and lists in lists, and lines in items", () => {
    const nested = el(
      "ul",
      {},
      el("li", {}, "a", el("ol", {}, el("li", {}, "b"))),
      el("li", {}, "c"),
    );
    expect(read(nested)).toEqual(["0 a", "1 b", "0 c"]);
    const bare = el(
      "ul",
      {},
      el("li", {}, "a"),
      el("ul", {}, el("li", {}, "b")),
      el("li", {}, "c"),
    );
    expect(read(bare)).toEqual(["0 a", "1 b", "0 c"]);
    const lined = el("ul", {}, el("li", {}, el("p", {}, "a"), el("p", {}, "b")), el("li", {}, "c"));
    expect(read(lined)).toEqual(["0 a", "1 b", "0 c"]);
    const box = el("input", { type: "checkbox", checked: "" });
    expect(read(el("ul", {}, el("li", {}, box, " done")))).toEqual(["0 done [todo] done"]);
  });

  it("[W59] makes headings the parents of what follows, and lines of paragraphs and rows", () => {
    expect(
      read(
        el("h1", {}, "A"),
        el("p", {}, "one ", el("b", {}, "two"), el("br", {}), "three"),
        el("h2", {}, "B"),
        el("table", {}, el("tr", {}, el("td", {}, "x"), el("td", {}, "y"))),
        el("h4", {}, "C"),
        el("blockquote", {}, "said"),
        el("h1", {}, "D"),
        el("pre", {}, "x\n  y\n"),
      ),
    ).toEqual([
      "0 A [h1]",
      "1 one <b>two</b>",
      "1 three",
      "1 B [h2]",
      "2 x | y",
      "2 <b>C</b>",
      "3 said [quote-block]",
      "0 D [h1]",
      "1 x\n  y [code-block]",
    ]);
  });

  it("[W320] a rule is a line of its own, in the section that it stands in", () => {
    const page = [
      el("p", {}, "a"),
      el("hr", {}),
      el("h2", {}, "B"),
      el("hr", {}),
      el("p", {}, "c"),
    ];
    expect(read(...page)).toEqual(["0 a", "0 ---", "0 B [h2]", "1 ---", "1 c"]);
  });

  it("[W59] reads what word processors say with styles", () => {
    const normal = el(
      "b",
      { [STYLE_ATTRIBUTE]: "font-weight:normal" },
      el("span", { [STYLE_ATTRIBUTE]: "font-weight:700" }, "a"),
      " b",
    );
    expect(read(el("p", {}, normal))).toEqual(["0 <b>a</b> b"]);
  });

  const picture = (attributes: Readonly<Record<string, string>>) => el("img", attributes);
  const src = "https://x.y/one.png";
  const toPicture = `<a href="${src}">${src}</a>`;

  it.each([
    ["with words", picture({ src, alt: " pic " }), [`0 <a href="${src}">pic</a>`]],
    ["without words", picture({ src, alt: "" }), [`0 ${toPicture}`]],
    ["of the page itself", picture({ src: "data:image/png;base64,eA==" }), []],
    [
      "of the page itself, with words",
      picture({ src: "blob:https://x.y/1", alt: "pic" }),
      ["0 pic"],
    ],
    ["of a file of a word processor", picture({ src: "file:///C:/clip_image001.png" }), []],
    ["that counts readers", picture({ src, width: "1", height: "1" }), []],
    ["of an emoji", picture({ src, alt: "👩‍👧" }), ["0 👩‍👧"]],
    ["of an emoji's name", picture({ src, alt: ":+1:" }), ["0 :+1:"]],
    ["of a number", picture({ src, alt: "1" }), [`0 <a href="${src}">1</a>`]],
  ])("[W425] a picture %s", (_, child, expected) => {
    expect(read(child)).toEqual(expected);
    const among = read(el("p", {}, "a ", child, " end"));
    const text = expected.join("").replace(/^0 /, "");
    expect(among).toEqual([`0 a ${text === "" ? "" : `${text} `}end`]);
  });

  it("[W425] a link that shows a picture is that link, with its words or its address", () => {
    const link = (...children: Parameters<typeof el>[2][]) =>
      el("a", { href: "https://x.y/" }, ...children);
    expect(
      read(
        el("p", {}, link(picture({ src, alt: "pic" }))),
        el("p", {}, link(picture({ src }))),
        el("p", {}, link(el("span", {}, picture({ src, alt: "" }), " words"))),
        el("p", {}, link(picture({ src: "data:x" }), el("div", {}, " "))),
        el("p", {}, el("a", { href: "javascript:x" }, picture({ src }))),
        // Nobody sees that one: it is where a heading is.
        el("h2", {}, "Heading", el("a", { href: "https://x.y/#heading" }, el("svg", {}))),
      ),
    ).toEqual([
      '0 <a href="https://x.y/">pic</a>',
      '0 <a href="https://x.y/">https://x.y/</a>',
      '0 <a href="https://x.y/">words</a>',
      '0 <a href="https://x.y/">https://x.y/</a>',
      `0 ${toPicture}`,
      "0 Heading [h2]",
    ]);
  });

  it("[W61] code keeps its tabs, other lines have spaces for them", () => {
    expect(read(el("pre", {}, el("code", {}, "if\tx:\n\ty\n")), el("p", {}, "a\tb"))).toEqual([
      "0 if\tx:\n\ty [code-block]",
      "0 a b",
    ]);
    expect(lines(entriesOfText("a\n```\nif\tx:\n\ty\n```\nb\tc"))).toEqual([
      "0 a",
      "0 if\tx:\n\ty [code-block]",
      "0 b c",
    ]);
  });

  it("[W60] runs nothing and links only where links may go; the text stays", () => {
    expect(
      read(
        el("script", {}, "alert(1)"),
        el("style", {}, "p{}"),
        el("p", { onclick: "alert(1)" }, el("a", { href: "javascript:alert(1)" }, "bad")),
        el("p", {}, el("a", { href: "https://a.example/" }, "good")),
        el("img", { src: "x", onerror: "alert(1)", alt: "pic" }),
        el("p", {}, "<script>text</script>"),
        el("unknown-thing", {}, "kept"),
      ),
    ).toEqual([
      "0 bad",
      '0 <a href="https://a.example/">good</a>',
      "0 pic",
      "0 &lt;script&gt;text&lt;/script&gt;",
      "0 kept",
    ]);
  });
});

describe("our own format", () => {
  const entries: readonly OutlineEntry[] = [
    { depth: 0, name: "<b>a</b>", layout: "h1", note: "n" },
    { depth: 1, name: "b", layout: "todo", completedAt: 17 },
    ...["table", "constructor"]
      .filter((word) => isLayout(word))
      .map((layout) => ({ depth: 0, name: "c", layout })),
  ];

  it("[W56, N43] is read back as it was written", () => {
    expect(entriesOfOwnText(ownTextOf(entries))).toEqual(entries);
  });

  it("[N43] other programs get a bullet for a layout that is not shown", () => {
    expect(htmlOfEntries(entries.slice(2))).toBe("<ul><li>c</li><li>c</li></ul>");
  });

  it("[W56] is refused as a whole when anything in it is not ours", () => {
    const refused = [
      "",
      "{",
      "null",
      "[]",
      '{"v":2,"entries":[]}',
      '{"v":1,"entries":[]}',
      '{"v":1,"entries":[null]}',
      '{"v":1,"entries":[{"depth":1,"name":"a","layout":"bullets"}]}',
      '{"v":1,"entries":[{"depth":0,"name":1,"layout":"bullets"}]}',
      '{"v":1,"entries":[{"depth":0,"name":"a","layout":"blink it"}]}',
      '{"v":1,"entries":[{"depth":0,"name":"a","layout":"h1"},{"depth":2,"name":"a","layout":"h1"}]}',
    ];
    expect(refused.map((text) => entriesOfOwnText(text))).toEqual(refused.map(() => undefined));
  });
});

import { describe, expect, test } from "vitest";
import type { Layout } from "../../../src/core/node/layout.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { draftsOfName, type NameDraft } from "../../../src/core/text/name.ts";
import { draftOfUpdatedName } from "../../support/draft-of-updated-name.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";
import { excessOfName, excessOfNote } from "../../../src/core/text/text-excess.ts";

/** HTML, layout and completion, the last two only when the name says them. */
type Row = string | readonly [html: string, layout?: Layout | undefined, completed?: boolean];

function rowOf({ text, layout, completed }: NameDraft): Row {
  const html = htmlOfRichText(text, "kept");
  if (completed !== undefined) return [html, layout, completed];
  return layout === undefined ? html : [html, layout];
}

function created(name: string, layout?: Layout): readonly Row[] {
  return draftsOfName(name, layout).map(rowOf);
}

describe("prefixes", () => {
  test.for<readonly [rule: string, name: string, row: Row]>([
    ["[X22] h1", "# x", ["x", "h1"]],
    ["[X22] h2", "## x", ["x", "h2"]],
    ["[X22] h3", "### x", ["x", "h3"]],
    ["[X22] bullets", "- x", ["x", "bullets"]],
    ["[X22] an open todo", "- [ ] x", ["x", "todo", false]],
    ["[X22] a completed todo", "- [x] x", ["x", "todo", true]],
    ["[X22] a quote", "> x", ["x", "quote-block"]],
    ["[X22] fenced code", "```\nx\n```", ["x", "code-block"]],
    ["[X22] none", "x", "x"],
    ["[X22] markdown behind it", "# *x*", ["<i>x</i>", "h1"]],
    ["[X23] capital X", "- [X] x", ["x", "todo", true]],
    ["[X23] no space: heading", "#x", "#x"],
    ["[X23] no space: bullet", "-x", "-x"],
    ["[X23] no space: quote", ">x", "&gt;x"],
    ["[X23] no space: todo", "- [x]x", ["[x]x", "bullets"]],
    [
      "[X23] a link in a list",
      "- [x](https://e.org)",
      ['<a href="https://e.org">x</a>', "bullets"],
    ],
    ["[X23] a heading of nothing", "# ", ["", "h1"]],
    ["[X23] a bare sign", "#", "#"],
    ["[X23] a bare dash", "-", "-"],
    ["[X23] a todo of nothing", "- [ ] ", ["", "todo", false]],
    ["[X23] more space", "#   x", ["x", "h1"]],
    ["[X23] space in front", "  # x", ["x", "h1"]],
    ["[X23] only the first", "# # x", ["# x", "h1"]],
    ["[X23] only the first: a quoted todo", "> - [x] x", ["- [x] x", "quote-block"]],
    ["[X23] not inside a tag", "<b># x</b>", "<b># x</b>"],
    ["[X23] not as an entity", "&gt; x", "&gt; x"],
    ["[X23] other lists", "* x", "* x"],
    ["[X23] a numbered list", "1. x", "1. x"],
    ["[X24] four", "#### x", "<b>x</b>"],
    ["[X24] six", "###### x *y*", "<b>x <i>y</i></b>"],
    ["[X24] nine", "######### x", "<b>x</b>"],
    ["[X24] no space", "####x", "####x"],
  ])("%s: %j", ([, name, row]) => {
    expect(created(name)).toEqual([row]);
    expect(rowOf(draftOfUpdatedName(name, "bullets", undefined))).toEqual(row);
  });

  test.for<readonly [name: string, layout: Layout, row: Row]>([
    ["# x", "h3", ["x", "h3"]],
    ["> x", "todo", ["x", "todo"]],
    ["- [x] x", "bullets", ["x", "bullets", true]],
    ["- [ ] x", "h1", ["x", "h1", false]],
    ["- x", "h3", ["x", "h3"]],
    ["x", "quote-block", ["x", "quote-block"]],
    ["```\n<b>\nx\n```", "bullets", ["&lt;b&gt; x", "bullets"]],
    ["```\nx\ny\n```", "code-block", ["x\ny", "code-block"]],
  ])("[X25] %j with %s", ([name, layout, row]) => {
    expect(created(name, layout)).toEqual([row]);
    expect(rowOf(draftOfUpdatedName(name, "bullets", layout))).toEqual(row);
  });

  test("[X25] only the first node has the explicit layout", () => {
    expect(created("# a\n\n# b\n\nc", "todo")).toEqual([["a", "todo"], ["b", "h1"], "c"]);
  });
});

describe("line break tags", () => {
  test.for<readonly [rule: string, name: string, row: Row]>([
    ["[X42] a space", "a<br>b<br/>c<br />d<BR>e", "a b c d e"],
    ["[X42] one, with the spaces around them", "a  <br> \n <br>  b", "a b"],
    ["[X42] none at the ends", "<br>a<br>", "a"],
    ["[X42] no part of its own", "a<br><br>b", "a b"],
    ["[X42] in styles", "**a<br>b** <i>c<br>d</i>", "<b>a b</b> <i>c d</i>"],
    ["[X42] in a link", "[a<br>b](https://e.org)", '<a href="https://e.org">a b</a>'],
    ["[X42] behind an address", "https://e.org/*<br>*x*", "https://e.org/* <i>x</i>"],
    ["[X42] behind a prefix", "# a<br>- b", ["a - b", "h1"]],
    ["[X42, X5] not in a code span", "`<br>`", "<code>&lt;br&gt;</code>"],
    ["[X42] in a code element", "<code>a<br>*b*</code>", "<code>a *b*</code>"],
    ["[X42] in a fence", "```\na<br>  b\n```", ["a\n  b", "code-block"]],
  ])("%s: %j", ([, name, row]) => {
    expect(created(name)).toEqual([row]);
    expect(rowOf(draftOfUpdatedName(name, "bullets", undefined))).toEqual(row);
  });

  test("[X42] a line break in code", () => {
    const sent = "<br>if (a) {<br />  b<BR/>}<br>";
    const row: Row = ["if (a) {\n  b\n}", "code-block"];
    expect(created(sent, "code-block")).toEqual([row]);
    expect(rowOf(draftOfUpdatedName(sent, "bullets", "code-block"))).toEqual(row);
    expect(rowOf(draftOfUpdatedName(sent, "code-block", undefined))).toBe(row[0]);
  });

  test("[X42] thousands are no formats, and lines of code", () => {
    const many = "a<br>".repeat(20_000);
    expect(excessOfNote(many)).toBe(undefined);
    expect(excessOfName(many, false)).toBe(undefined);
    expect(excessOfName("<br>".repeat(60_000), true)).toBe("lines");
    expect(htmlOfRichText(richTextOfNote(many))).toBe("a\n".repeat(20_000));
    expect(created("<br>".repeat(200_000))).toEqual([""]);
  });
});

describe("many lines", () => {
  test.for<readonly [rule: string, name: string, ...rows: Row[]]>([
    ["[X26] a blank line separates", "a\n\nb", "a", "b"],
    [
      "[X26] in written order, each with its prefix",
      "# a\n\n- [x] b\n\n> c",
      ["a", "h1"],
      ["b", "todo", true],
      ["c", "quote-block"],
    ],
    ["[X26] many blank lines", "a\n\n\n\nb", "a", "b"],
    ["[X26] a line of spaces is blank", "a\n \t\nb", "a", "b"],
    ["[X26] Windows line ends", "a\r\n\r\nb\r\nc", "a", "b c"],
    ["[X26] blank lines around", "\n\na\n\n", "a"],
    ["[X26] nothing", "", ""],
    ["[X26] nothing but space", " \n\n\t", ""],
    ["[X27] a line break is a space", "a\nb", "a b"],
    ["[X27] with the space around it", "a  \n  b", "a b"],
    ["[X27] between list items", "- a\n- b", ["a - b", "bullets"]],
    ["[X27] a style over the break", "**a\nb**", "<b>a b</b>"],
    ["[X28] text before and behind a fence", "a\n```\nb\n```\nc", "a", ["b", "code-block"], "c"],
    [
      "[X28] a fence after a fence",
      "```\na\n```\n```\nb\n```",
      ["a", "code-block"],
      ["b", "code-block"],
    ],
    ["[X28] blank lines in a fence", "```\na\n\nb\n```", ["a\n\nb", "code-block"]],
    ["[X28] the info string goes", "```js title=x\na\n```", ["a", "code-block"]],
    ["[X28] a fence on one line", "```x```", ["x", "code-block"]],
    ["[X28] a fence on one line, with space", "``` x ```", ["x", "code-block"]],
    ["[X28] a fence behind a tab", "\t```\n\ta\n\t```", ["\ta", "code-block"]],
    ["[X33] tabs in lines", "#\ta\n\tb\tc\n\n- [x]\td", ["a b c", "h1"], ["d", "todo", true]],
    ["[X28] a fence left open", "a\n```\nb\n\nc", "a", ["b\n\nc", "code-block"]],
    ["[X28] an empty fence", "```\n```", ["", "code-block"]],
    ["[X28] a longer fence", "````\n```\na\n```\n````", ["```\na\n```", "code-block"]],
    ["[X28] a fence in a line is code", "a ```b``` c", "a <code>b</code> c"],
    ["[X28] text behind a fence on its line", "```b``` c", "<code>b</code> c"],
    ["[X28] Windows line ends in a fence", "```\r\na\r\nb\r\n```", ["a\nb", "code-block"]],
  ])("%s: %j", ([, name, ...rows]) => {
    expect(created(name)).toEqual(rows);
  });

  test.for<readonly [name: string, row: Row]>([
    ["a\n\n# b\n  - c", ["a\n\n# b\n  - c", "code-block"]],
    ["a\n```\nb\n```", ["a\n```\nb\n```", "code-block"]],
    ["\n\n  a\n  b  \n\n", ["  a\n  b", "code-block"]],
  ])("[X29] %j as a code block is one node", ([name, row]) => {
    expect(created(name, "code-block")).toEqual([row]);
  });

  test.for<readonly [rule: string, name: string, current: Layout, row: Row]>([
    ["[X30] lines are joined", "a\nb\n\nc", "bullets", "a b c"],
    ["[X30] the prefix of the first", "# a\n\n# b", "bullets", ["a # b", "h1"]],
    ["[X30] kept in a code block", "a\n\n b\r\nc", "code-block", "a\n\n b\nc"],
    ["[X30] no prefix in a code block", "# a", "code-block", "# a"],
    ["[X30] a whole fence in a code block", "```\na\n```", "code-block", ["a", "code-block"]],
    ["[X30] tabs in lines", "a\tb\n\tc", "bullets", "a b c"],
    ["[X31] tabs in a code block", "a\tb\n\tc", "code-block", "a\tb\n\tc"],
    ["[X30] a fence among text", "a\n```\nb\n```", "bullets", "a <code>b</code>"],
    ["[X30] nothing", "", "todo", ""],
  ])("%s: %j in %s", ([, name, current, row]) => {
    expect(rowOf(draftOfUpdatedName(name, current, undefined))).toEqual(row);
  });

  test("[X30] another layout for a code block", () => {
    expect(rowOf(draftOfUpdatedName("a\n*b*", "code-block", "h1"))).toEqual(["a <i>b</i>", "h1"]);
    expect(rowOf(draftOfUpdatedName("```\na\tb\n```", "code-block", "h1"))).toEqual(["a b", "h1"]);
  });
});

describe("code blocks", () => {
  test.for([
    [
      "[X31] markdown",
      "**a** [b](https://e.org) [2026-08-01]",
      "**a** [b](https://e.org) [2026-08-01]",
    ],
    ["[X31] tags", "<b>a</b>", "&lt;b&gt;a&lt;/b&gt;"],
    ["[X31] signs", "a && b < c > d", "a &amp;&amp; b &lt; c &gt; d"],
    ["[X31] entities are kept", "&amp; &copy; &foo;", "&amp; &copy; &amp;foo;"],
    ["[X31] indentation", "  a\n    b", "  a\n    b"],
    ["[X31] tabs stay, control characters go", "\ta\u0000\tb", "\ta\tb"],
    ["[X31] lines with tabs", "all:\n\tgo build\n\t\tx\ty", "all:\n\tgo build\n\t\tx\ty"],
  ] as const)("%s: %j", ([, code, html]) => {
    expect(created(`\`\`\`\n${code}\n\`\`\``)).toEqual([[html, "code-block"]]);
    expect(created(code, "code-block")).toEqual([[html, "code-block"]]);
    expect(rowOf(draftOfUpdatedName(code, "code-block", undefined))).toEqual(html);
  });
});

describe("characters", () => {
  test.for([
    ["[X33] space around", "  a \n", "a"],
    ["[X33] space around, in tags", "<b> a </b>", "<b>a</b>"],
    ["[X33] space inside stays", "a  b", "a  b"],
    ["[X33] a space that is an entity stays", "&nbsp;a&#32;", "&nbsp;a&#32;"],
    ["[X33] control characters", "a\u0000\u0007\u001b\u007f\u0085b", "ab"],
    ["[X33] a lone carriage return", "a\rb", "ab"],
    ["[X33] a tab", "a\tb", "a b"],
    ["[X33] lone surrogates", "a\ud800b\udc00", "a\ufffdb\ufffd"],
    ["[X33] a pair of surrogates", "\ud83d\ude00", "\ud83d\ude00"],
    ["[X33] control characters inside a token", "*\u0000*a**", "<b>a</b>"],
    ["[X33] right-to-left and joined characters", "א‏ב 👩‍👧", "א‏ב 👩‍👧"],
  ] as const)("%s: %j", ([, name, html]) => {
    expect(created(name)).toEqual([html]);
    expect(rowOf(draftOfUpdatedName(name, "bullets", undefined))).toBe(html);
  });
});

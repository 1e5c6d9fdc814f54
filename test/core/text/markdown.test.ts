import { describe, expect, test } from "vitest";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { markdownOfRichText, richTextOfMarkdown } from "../../../src/core/text/markdown.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";

const AUG_1 = '<time startYear="2026" startMonth="8" startDay="1">Sat, Aug 1, 2026</time>';
const AUG_1_1430 =
  '<time startYear="2026" startMonth="8" startDay="1" startHour="14" startMinute="30">' +
  "Sat, Aug 1, 2026 at 2:30pm</time>";

/** What is stored when it is the very text that was sent. */
const SAME = Symbol("same");

function link(address: string, text = address): string {
  return `<a href="${address}">${text}</a>`;
}

type Row = readonly [rule: string, sent: string, stored: string | typeof SAME];

const TOKENS: readonly Row[] = [
  ["[X1] bold", "**x**", "<b>x</b>"],
  ["[X1] italic", "*x*", "<i>x</i>"],
  ["[X1] struck", "~~x~~", "<s>x</s>"],
  ["[X1] code", "`x`", "<code>x</code>"],
  ["[X1] a link", "[x](https://e.org/a?b=1#c)", '<a href="https://e.org/a?b=1#c">x</a>'],
  ["[X1] all in a line", "a **b** *c* ~~d~~ `e`", "a <b>b</b> <i>c</i> <s>d</s> <code>e</code>"],
  ["[X1] bold and italic", "***x***", "<i><b>x</b></i>"],
  ["[X1] text of other scripts", "**日本** *día*", "<b>日本</b> <i>día</i>"],
  ["[X1] an emoji", "**👩‍👧**", "<b>👩‍👧</b>"],

  ["[X2] underscores", "_x_ __y__ snake_case_name", SAME],
  ["[X2] a lone star", "* x", SAME],
  ["[X2] a lone star in front", "*x", SAME],
  ["[X2] a lone star behind", "x*", SAME],
  ["[X2] two lone stars", "**x", SAME],
  ["[X2] stars alone", "* **", SAME],
  ["[X2] a lone star in a word", "a*b", SAME],
  ["[X2] a lone tilde", "~x", SAME],
  ["[X2] single tildes", "~x~", SAME],
  ["[X2] three tildes", "~~~x~~~", SAME],
  ["[X2] a tag", "#tag", SAME],
  ["[X2] a mention", "@mention @a.b", SAME],
  ["[X2] an e-mail address", "a.b@example.org", SAME],
  ["[X2] a bare address", "https://example.org/a", SAME],
  ["[X2] a bare www address", "www.example.org", SAME],
  ["[X2] brackets", "[x] [ ] [] [x][y] a[0] [^1]", SAME],
  ["[X2] a definition", "[x]: https://example.org", SAME],
  ["[X2] other lists", "+ a 1. b * c", SAME],
  ["[X2] a table row", "| a | b |", SAME],
  ["[X2] a rule", "---", SAME],
  ["[X2] a lone backtick", "it`s", SAME],
  ["[X2] backticks of different length", "``a`", SAME],
  ["[X2] a backslash", "a\\b \\", SAME],
  ["[X2] a backslash before a token", "\\*x\\*", "\\<i>x\\</i>"],
  ["[X2] a backslash in a link", "[a\\](https://e.org/\\)", '<a href="https://e.org/\\">a\\</a>'],
  ["[X2] two spaces at a line's end", "a  \nb", SAME],
  ["[X2] math", "$x$ and $$y$$", SAME],
  ["[X2] an image is a mark and a link", "![x](https://e.org)", '!<a href="https://e.org">x</a>'],
  ["[X2] an address in angles", "<https://e.org>", "&lt;https://e.org&gt;"],
  ["[X2] a mark before brackets", "![x] ![x][y] ! [a]", SAME],
  ["[X2] an e-mail address in angles", "<a@e.org>", "&lt;a@e.org&gt;"],

  ["[X3] inside a word", "a**b**c", "a<b>b</b>c"],
  ["[X3] inside a word, italic", "un*frigging*believable", "un<i>frigging</i>believable"],
  ["[X3] spaces on both sides", "2 * 3 * 4", SAME],
  ["[X3] a space behind the opening", "** x**", SAME],
  ["[X3] a space before the closing", "*x *", SAME],
  ["[X3] between punctuation and letters", 'a*"x"*', SAME],
  ["[X3] multiplication", "2*3*4", "2<i>3</i>4"],
  ["[X3] two runs that don't fit", "**x*", "*<i>x</i>"],
  ["[X3] rule of three", "*a**b*", "<i>a**b</i>"],
  ["[X3] a long run of stars", "*".repeat(1000), SAME],

  ["[X4] italic in bold", "**a *b* c**", "<b>a <i>b</i> c</b>"],
  ["[X4] bold in italic", "*a **b** c*", "<i>a <b>b</b> c</i>"],
  ["[X4] struck in bold", "**a ~~b~~**", "<b>a <s>b</s></b>"],
  ["[X4] code in bold", "**a `b`**", "<b>a <code>b</code></b>"],
  ["[X4] a link in bold", "**[x](https://e.org)**", '<b><a href="https://e.org">x</a></b>'],
  [
    "[X4] styles in a link",
    "[**x** `y`](https://e.org)",
    '<a href="https://e.org"><b>x</b> <code>y</code></a>',
  ],
  ["[X4] brackets in a link", "[a [b] c](https://e.org)", '<a href="https://e.org">a [b] c</a>'],
  [
    "[X4] a date in a link",
    "[on [2026-08-01]](https://e.org)",
    `<a href="https://e.org">on ${AUG_1.replace("Sat, Aug 1, 2026", "Sat, Aug 1, 2026")}</a>`,
  ],
  [
    "[X4] no link in a link",
    "[a [b](https://e.org) c](https://f.org)",
    '[a <a href="https://e.org">b</a> c](https://f.org)',
  ],
  [
    "[X4] emphasis across a link's edge",
    "*a [b* c](https://e.org)",
    '*a <a href="https://e.org">b* c</a>',
  ],

  ["[X5] markdown in code", "`**a** [b](c)`", "<code>**a** [b](c)</code>"],
  ["[X5] tags in code", "`<b>x</b>`", "<code>&lt;b&gt;x&lt;/b&gt;</code>"],
  ["[X5] a date in code", "`[2026-08-01]`", "<code>[2026-08-01]</code>"],
  ["[X5] entities in code", "`&amp; &copy; &foo;`", "<code>&amp; &copy; &amp;foo;</code>"],
  ["[X5] backticks in code", "`` a`b ``", "<code>a`b</code>"],
  ["[X5] the space that code may start with", "`` `a` ``", "<code>`a`</code>"],
  ["[X5] code of spaces", "a ` ` b", "a <code> </code> b"],
  ["[X5] stars around code", "*`a*`*", "<i><code>a*</code></i>"],
  ["[X5] markdown in a code element", "<code>*a* [b](https://e.org)</code>", SAME],
  ["[X5] backticks in a code element", "<code>`a`</code>", SAME],

  ["[X6] stars in an address", "https://e.org/*a*b*c*/", SAME],
  ["[X6] tildes in an address", "https://e.org/~~a~~b/", SAME],
  ["[X6] brackets in an address", "http://e.org/[2026-08-01]", SAME],
  ["[X6] a link in an address", "http://e.org/[a](https://e.org)", SAME],
  ["[X6] an address in capitals", "HTTPS://E.ORG/*a*b*c", SAME],
  ["[X6] emphasis around an address", "*https://e.org*", "<i>https://e.org</i>"],
  ["[X6] emphasis around a sentence", "**see https://e.org.**", "<b>see https://e.org.</b>"],
  ["[X6] an address in parentheses", "(https://e.org/a(b)) *c*", "(https://e.org/a(b)) <i>c</i>"],
  ["[X6] an entity in an address", "https://e.org/?a&amp;b=*c*d*", SAME],
  ["[X6, X18] an entity that ends an address", "[x] https://e.org/&gt; https://a[]&copy;", SAME],
  [
    "[X6] an address as a link's text",
    "[https://e.org/*a*b](https://e.org)",
    '<a href="https://e.org">https://e.org/*a*b</a>',
  ],
  ["[X6] it ends at a tag", "https://e.org<b>x</b>", SAME],
  ["[X6] no address inside a word", "xhttps://*a*", "xhttps://<i>a</i>"],

  ["[X7] mailto", "[x](mailto:a@e.org)", '<a href="mailto:a@e.org">x</a>'],
  ["[X7] a node of ours", "[x](#/0123456789ab)", '<a href="#/0123456789ab">x</a>'],
  [
    "[X7] a node's address",
    "[x](https://o.example/#/0123456789ab)",
    '<a href="https://o.example/#/0123456789ab">x</a>',
  ],
  [
    "[X7] parentheses in the address",
    "[x](https://e.org/a_(b))",
    '<a href="https://e.org/a_(b)">x</a>',
  ],
  ["[X7] an address in angles", "[x](<https://e.org/a b>)", '<a href="https://e.org/a b">x</a>'],
  ["[X7] space around the address", "[x]( https://e.org )", '<a href="https://e.org">x</a>'],
  ["[X7] a title goes", '[x](https://e.org "t")', '<a href="https://e.org">x</a>'],
  [
    "[X7] an entity in the address",
    "[x](https://e.org/?a&amp;b)",
    '<a href="https://e.org/?a&amp;b">x</a>',
  ],
  ["[X7] a quote in the address", '[x](https://e.org/")', '<a href="https://e.org/&quot;">x</a>'],
  ["[X7] stars in the address", "*[x](https://e.org/*)*", '<i><a href="https://e.org/*">x</a></i>'],
  ["[X7] a space in the address", "[x](https://e.org/a b)", SAME],
  ["[X7] a parenthesis left open", "[x](https://e.org", SAME],
  ["[X7] a space before the parenthesis", "[x] (https://e.org)", SAME],
  ["[X7] a refused scheme", "[x](javascript:alert(1))", "x"],
  ["[X7] a refused scheme, styled text", "[**x**](data:text/html,y)", "<b>x</b>"],
  ["[X7] a scheme in disguise", "[x](java&#115;cript:alert(1))", "x"],
  ["[X7] a relative address", "[x](/a)", "x"],
  ["[X43] no text", "[](https://e.org/a_b)", link("https://e.org/a_b")],
  ["[X43] blanks for a text", "**[ ](https://e.org)**", `<b>${link("https://e.org")}</b>`],
  ["[X43] no text, another address", "[](notes/a.md) []()", "notes/a.md "],
  ["[X43] no text, no address", "a [](javascript:alert(1)) [](#top)b", "a  b"],

  ["[X8] a day", "[2026-08-01]", AUG_1],
  ["[X8] days among text", "a [2026-08-01] b", `a ${AUG_1} b`],
  ["[X8] in bold", "**[2026-08-01]**", `<b>${AUG_1}</b>`],
  [
    "[X8] a leap day",
    "[2024-02-29]",
    '<time startYear="2024" startMonth="2" startDay="29">Thu, Feb 29, 2024</time>',
  ],
  ["[X9] with time", "[2026-08-01 14:30]", AUG_1_1430],
  [
    "[X9] midnight",
    "[2026-12-31 00:05]",
    '<time startYear="2026" startMonth="12" startDay="31" startHour="0" startMinute="5">Thu, Dec 31, 2026 at 12:05am</time>',
  ],
  [
    "[X9] noon",
    "[2026-12-31 12:00]",
    '<time startYear="2026" startMonth="12" startDay="31" startHour="12" startMinute="0">Thu, Dec 31, 2026 at 12:00pm</time>',
  ],
  [
    "[X9] the last minute",
    "[2026-12-31 23:59]",
    '<time startYear="2026" startMonth="12" startDay="31" startHour="23" startMinute="59">Thu, Dec 31, 2026 at 11:59pm</time>',
  ],
  ["[X10] February 30", "[2026-02-30]", SAME],
  ["[X10] February 29 of no leap year", "[1900-02-29]", SAME],
  ["[X10] month 13", "[2026-13-01]", SAME],
  ["[X10] month 0", "[2026-00-01]", SAME],
  ["[X10] day 0", "[2026-08-00]", SAME],
  ["[X10] the year 999", "[0999-01-01]", SAME],
  ["[X10] 24:00", "[2026-08-01 24:00]", SAME],
  ["[X10] 12:60", "[2026-08-01 12:60]", SAME],
  ["[X10] one digit", "[2026-8-1]", SAME],
  ["[X10] a T", "[2026-08-01T14:30]", SAME],
  ["[X10] seconds", "[2026-08-01 14:30:00]", SAME],
  ["[X10] space in the brackets", "[ 2026-08-01 ]", SAME],
  ["[X10] a month", "[2026-08]", SAME],
  [
    "[X11] a date with an address",
    "[2026-08-01](https://e.org)",
    '<a href="https://e.org">2026-08-01</a>',
  ],
  ["[X11] a date and a parenthesis", "[2026-08-01] (noon)", `${AUG_1} (noon)`],
  ["[X11] a date and what is no address", "[2026-08-01](at noon)", `${AUG_1}(at noon)`],

  ["[X12] markdown in tags", "<b>a *b*</b>", "<b>a <i>b</i></b>"],
  ["[X12] tags in markdown", "**a <i>b</i> c**", "<b>a <i>b</i> c</b>"],
  ["[X12] crossed with markdown", "**a <i>b** c</i>", "<b>a <i>b</i></b><i> c</i>"],
  [
    "[X12] stars in an attribute",
    '<span class="colored c-red">*a*</span>',
    '<span class="colored c-red"><i>a</i></span>',
  ],
  [
    "[X12] a tag in a link's text",
    "[<u>x</u>](https://e.org)",
    '<a href="https://e.org"><u>x</u></a>',
  ],
  ["[X12] a star that was an entity", "&#42;x&#42;", SAME],
  ["[X12] stars and stars that were entities", "&#42;x&#42; *y*", "&#42;x&#42; <i>y</i>"],
  ["[X12] an escaped star beside stars", "*a &#0042;b*", "<i>a *b</i>"],
  [
    "[X12] another tag",
    "<img src=x onerror=alert(1)> *a*",
    "&lt;img src=x onerror=alert(1)&gt; <i>a</i>",
  ],
  ["[X2] marks of highlights", "==a== ^^b^^", SAME],
  ["[X12] ampersands and less-than", "a < b && *c*", "a &lt; b &amp;&amp; <i>c</i>"],
];

/** Beyond those of names. */
const TOKENS_OF_FILES: typeof TOKENS = [
  ["[X43] an address in angles", "see <https://e.org/*a*>.", `see ${link("https://e.org/*a*")}.`],
  ["[X43] mailto in angles", "<mailto:a@e.org>", link("mailto:a@e.org")],
  ["[X43] an entity in angles", "<https://e.org/?a&amp;b>", link("https://e.org/?a&amp;b")],
  ["[X43] emphasis around angles", "*<https://e.org>*", `<i>${link("https://e.org")}</i>`],
  ["[X43] other schemes in angles", "<ftp://e.org>", "&lt;ftp://e.org&gt;"],
  ["[X43] a space in angles", "<https://e.org a>", "&lt;https://e.org a&gt;"],
  ["[X43] angles written as entities", "&lt;https://e.org&gt;", SAME],
  [
    "[X43] angles in code",
    "`<https://e.org>` <code><https://e.org></code>",
    "<code>&lt;https://e.org&gt;</code> <code>&lt;https://e.org&gt;</code>",
  ],

  ["[X44] a picture", "![x](https://e.org/a.png)", link("https://e.org/a.png", "x")],
  ["[X44] among text", "a ![](https://e.org/a.png) b", `a ${link("https://e.org/a.png")} b`],
  ["[X44] with a title", '![x](https://e.org/a.png "t")', link("https://e.org/a.png", "x")],
  ["[X44] styles in its text", "![*x*](https://e.org)", link("https://e.org", "<i>x</i>")],
  ["[X44] in bold", "**![x](https://e.org)**", `<b>${link("https://e.org", "x")}</b>`],
  ["[X44] two marks", "!![x](https://e.org)", `!${link("https://e.org", "x")}`],
  [
    "[X44] a mark that was an entity",
    "&#33;[x](https://e.org)",
    `&#33;${link("https://e.org", "x")}`,
  ],
  ["[X44] the content itself", "a ![](data:image/png;base64,iVBO=)", "a "],
  ["[X44] the content itself, with words", "![x](data:image/png;base64,iVBO=)", "x"],
  ["[X44] what lasts as long as a page", "![x](blob:https://e.org/1)", "x"],
  ["[X44] a relative address", "![x](a.png) ![](img/a.png)", "x img/a.png"],
  ["[X44] in a link", "[![x](https://e.org/a.png) y](https://e.org)", link("https://e.org", "x y")],
  ["[X44] in a link, no text", "[![](https://e.org/a.png)](https://e.org)", link("https://e.org")],
  [
    "[X44] in what is no link after all",
    "**[![x](https://e.org/a.png) y](/z)**",
    `<b>${link("https://e.org/a.png", "x")} y</b>`,
  ],
  [
    "[X44] no picture in a picture",
    "![![x](https://e.org/a.png)](https://e.org)",
    `![${link("https://e.org/a.png", "x")}](https://e.org)`,
  ],
  ["[X44] in code", "`![x](https://e.org)`", "<code>![x](https://e.org)</code>"],

  ["[X45] a highlight", "a ==b c== d", "a <mark>b c</mark> d"],
  ["[X45] as Logseq writes it", "^^b^^, ^^c d^^", "<mark>b</mark>, <mark>c d</mark>"],
  ["[X45] where no spaces are", "这是==高亮==文字", "这是<mark>高亮</mark>文字"],
  ["[X45] styles in it", "==**a** `b`==", "<mark><b>a</b> <code>b</code></mark>"],
  ["[X45] in a style", "**==a==**", "<mark><b>a</b></mark>"],
  ["[X45] across a style", "==a **b== c**", "<mark>a <b>b</b></mark><b> c</b>"],
  ["[X45] a link in it", "==[a](https://e.org)==", link("https://e.org", "<mark>a</mark>")],
  ["[X45] in a link", "[==a== b](https://e.org)", link("https://e.org", "<mark>a</mark> b")],
  [
    "[X45] only its beginning in a link",
    "[==a](https://e.org) b==",
    `${link("https://e.org", "==a")} b==`,
  ],
  ["[X45] one in the other", "==a ^^b^^ c==", "<mark>a b c</mark>"],
  ["[X45] comparisons", "a == b == c, a==b and c==d, x !==y", SAME],
  ["[X45] more or fewer marks", "===a=== =b= ==== ^c^", SAME],
  ["[X45] nothing in it", "==<b></b>== ^^ ^^", "==== ^^ ^^"],
  ["[X45] without an end", "==a ^^b", SAME],
  ["[X45] in code", "`==a==` <code>^^a^^</code>", "<code>==a==</code> <code>^^a^^</code>"],
  ["[X45] in an address", "https://e.org/?a==b&c==", "https://e.org/?a==b&amp;c=="],
];

describe("markdown of a name", () => {
  test.for(TOKENS)("%s: %j", ([, sent, stored]) => {
    expect(htmlOfRichText(richTextOfMarkdown(sent))).toBe(stored === SAME ? sent : stored);
  });

  test.for(TOKENS_OF_FILES)("in a file, %s: %j", ([, sent, stored]) => {
    const text = richTextOfMarkdown(sent, "files");
    expect(htmlOfRichText(text)).toBe(stored === SAME ? sent : stored);
  });
});

describe("markdown written for a file", () => {
  test.for([
    "a **b** *c* ~~d~~ `e` [f](https://e.org)",
    "[2026-08-01] [2026-08-01 14:30]",
    "2 * 3, snake_case, a[0], 5 ~ 6, it`s",
    "<u>a</u> &copy; &lt;b&gt; &amp;",
    '<mark>a</mark> <span class="colored c-red">b</span>',
    "`` a`b ``",
    "[**a** b](https://e.org/?c&amp;d)",
    "https://e.org/*a*b*",
  ])("[X41] %j is written as it was read", (markdown) => {
    expect(markdownOfRichText(richTextOfMarkdown(markdown))).toBe(markdown);
  });

  test.for([
    ["a *b* c", "a &#0042;b&#0042; c"],
    ["`a' or `b'", "&#0096;a' or &#0096;b'"],
    ["~~a~~", "&#0126;&#0126;a&#0126;&#0126;"],
    ["[2026-08-01]", "&#0091;2026-08-01]"],
    ["[a](https://e.org)", "&#0091;a](https://e.org)"],
    ["![a](https://e.org)", "!&#0091;a](https://e.org)"],
    ["<https://e.org>", "&lt;https://e.org&gt;"],
  ] as const)("[X41] the plain text %j is written %j", ([plain, markdown]) => {
    const text = [{ insert: plain }];
    expect(markdownOfRichText(text)).toBe(markdown);
    expect(richTextOfMarkdown(markdown)).toEqual(text);
  });

  test("[X41] tags where tokens do not work", () => {
    const text: RichText = [
      { insert: "a" },
      { insert: " b ", attributes: { b: true } },
      { insert: "*c*" },
    ];
    const markdown = markdownOfRichText(text);
    expect(markdown).toBe("a<b> b </b>&#0042;c&#0042;");
    expect(richTextOfMarkdown(markdown)).toEqual(text);
  });

  test("[X41] nothing is nothing", () => {
    expect(markdownOfRichText([])).toBe("");
  });
});

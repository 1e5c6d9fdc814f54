import { describe, expect } from "vitest";

import type { Api } from "./support/api.ts";
import { test } from "./support/api-test.ts";

type Case = readonly [sent: string, stored: string];

/** What is sent as the name of a new and of an old bullet, and what both have then. */
async function storedNames(api: Api, name: string): Promise<readonly string[]> {
  const created = await api.create({ name });
  const updated = await api.create({ name: "something else" });
  await api.update(updated, { name });
  return [(await api.node(created)).name, (await api.node(updated)).name];
}

const unchanged = (...texts: readonly string[]): readonly Case[] =>
  texts.map((text) => [text, text]);

const AUGUST = '<time startYear="2026" startMonth="8" startDay="1">Sat, Aug 1, 2026</time>';

const NAMES: readonly (readonly [rule: string, cases: readonly Case[]])[] = [
  [
    "[X1] styles",
    [
      ["**x**", "<b>x</b>"],
      ["*x*", "<i>x</i>"],
      ["~~x~~", "<s>x</s>"],
      ["`x`", "<code>x</code>"],
      ["[x](https://a.example)", '<a href="https://a.example">x</a>'],
      ["a **b** c *d* e ~~f~~ `g`", "a <b>b</b> c <i>d</i> e <s>f</s> <code>g</code>"],
      ["**two words** and more", "<b>two words</b> and more"],
    ],
  ],
  [
    "[X3, X4] emphasis as in CommonMark",
    [
      ["un*frigging*believable", "un<i>frigging</i>believable"],
      ["un**frigging**believable", "un<b>frigging</b>believable"],
      ["2*3*4", "2<i>3</i>4"],
      ["**bold *and italic* text**", "<b>bold <i>and italic</i> text</b>"],
      ["*a **b** c*", "<i>a <b>b</b> c</i>"],
      ...unchanged("2 * 3 * 4", "* x *", "** x **", "*x", "x*", "a*b", "**x", "~~x", "*", "**"),
    ],
  ],
  [
    "[X2, X6] only the tokens of the specification are markdown",
    unchanged(
      "_x_",
      "__x__",
      "snake_case_name",
      "~x~",
      "a ~ b",
      "#tag and @mention",
      "https://a.example/b",
      "see https://a.example/*b*_c_~~d~~ there",
      "http://a.example/**b**",
      "* x",
      "+ x",
      "1. x",
      "---",
      "===",
      "|a|b|",
      "[x]",
      "[ ] x",
      "[x] x",
      "[x](",
      "[x][y]",
      "a\\b",
      "\\# x",
      "\\[x\\]",
      "$x$",
      ":smile:",
      "==x==",
      "www.a.example me@a.example",
    ),
  ],
  [
    "[X8, X9, X10, X11, X15] dates",
    [
      ["[2026-08-01]", AUGUST],
      [
        "[2026-08-01 14:30]",
        '<time startYear="2026" startMonth="8" startDay="1" startHour="14" startMinute="30">Sat, Aug 1, 2026 at 2:30pm</time>',
      ],
      [
        "[2026-12-31 00:05]",
        '<time startYear="2026" startMonth="12" startDay="31" startHour="0" startMinute="5">Thu, Dec 31, 2026 at 12:05am</time>',
      ],
      [
        "[2026-11-20 12:00]",
        '<time startYear="2026" startMonth="11" startDay="20" startHour="12" startMinute="0">Fri, Nov 20, 2026 at 12:00pm</time>',
      ],
      [
        "[2026-11-20 09:07]",
        '<time startYear="2026" startMonth="11" startDay="20" startHour="9" startMinute="7">Fri, Nov 20, 2026 at 9:07am</time>',
      ],
      [
        "[2028-02-29]",
        '<time startYear="2028" startMonth="2" startDay="29">Tue, Feb 29, 2028</time>',
      ],
      ["pay by [2026-08-01] or else", `pay by ${AUGUST} or else`],
      ["[2026-08-01](https://a.example)", '<a href="https://a.example">2026-08-01</a>'],
      ...unchanged(
        "[2026-02-30]",
        "[2026-13-01]",
        "[2026-00-01]",
        "[2026-02-29]",
        "[2026-08-01 24:00]",
        "[2026-08-01 12:60]",
        "[2026-8-1]",
        "[2026-08]",
        "[26-08-01]",
        "[2026-08-01 2:30]",
        "[2026-08-01 14:30:00]",
        "[ 2026-08-01 ]",
        "2026-08-01",
      ),
      ...unchanged(AUGUST),
      ['<time startYear="2026" startMonth="08" startDay="01">Sat, Aug 1, 2026</time>', AUGUST],
      ['<TIME startday=1 startmonth=8 startyear=2026 class="x">Sat, Aug 1, 2026</TIME>', AUGUST],
    ],
  ],
  [
    "[X12, X13, X16, X19, X21] allowed HTML",
    [
      ...unchanged(
        "<b>x</b>",
        "<i>x</i>",
        "<u>x</u>",
        "<s>x</s>",
        "<code>x</code>",
        '<a href="https://a.example">x</a>',
        "<mark>x</mark>",
        '<span class="colored c-red">x</span>',
        '<mark class="colored bc-yellow">x</mark>',
        "a<b>b</b>c",
      ),
      ["<strong>x</strong>", "<b>x</b>"],
      ["<em>x</em>", "<i>x</i>"],
      ["<strike>x</strike>", "<s>x</s>"],
      ["<del>x</del>", "<s>x</s>"],
      ["<B>x</B> <STRONG>y</STRONG>", "<b>x</b> <b>y</b>"],
      ["<a href='https://a.example'>x</a>", '<a href="https://a.example">x</a>'],
      [
        '<a target="_blank" HREF="https://a.example" onclick="f()">x</a>',
        '<a href="https://a.example">x</a>',
      ],
      ['<b style="color:red" onclick="f()">x</b>', "<b>x</b>"],
      ["<b>x", "<b>x</b>"],
      ["<b>x<i>y</b>z</i>", "<b>x<i>y</i></b><i>z</i>"],
      ["<b>**x** y</b>", "<b>x y</b>"],
      ["**a <i>b</i>**", "<b>a <i>b</i></b>"],
      ...unchanged("<i>a <b>b</b> c</i>", "<b><i>x</i></b>", "<i><b>x</b></i>"),
      ["***x***", "<i><b>x</b></i>"],
    ],
  ],
  [
    "[X16, X17] other tags are escaped",
    [
      ["<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
      ["<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"],
      ["<div>x</div>", "&lt;div&gt;x&lt;/div&gt;"],
      ["</br>", "&lt;/br&gt;"],
      ["<!-- x -->", "&lt;!-- x --&gt;"],
      ["<span>x</span>", "&lt;span&gt;x&lt;/span&gt;"],
      ['<span class="evil">x</span>', '&lt;span class="evil"&gt;x&lt;/span&gt;'],
      ['<mark class="evil">x</mark>', '&lt;mark class="evil"&gt;x&lt;/mark&gt;'],
    ],
  ],
  [
    "[X17, X18] characters are escaped once",
    [
      ["a < b", "a &lt; b"],
      ["a > b", "a &gt; b"],
      ["a & b", "a &amp; b"],
      ["AT&T", "AT&amp;T"],
      ["a <c and d> e", "a &lt;c and d&gt; e"],
      ["a << b", "a &lt;&lt; b"],
      ["&foo;", "&amp;foo;"],
      ["&#xZZ;", "&amp;#xZZ;"],
      ["&", "&amp;"],
      ...unchanged("&lt;b&gt;", "&amp;", "&amp;amp;", "a&nbsp;b", "&copy;", "&#169;", "&#xA9;"),
      ...unchanged("\"double\" and 'single'"),
      ...unchanged("https://a.example/?b&amp;c", "[x] https://a.example/&gt;", "https://a[]&copy;"),
    ],
  ],
  [
    "[X7, X14] links go to safe places",
    [
      ["[x](http://a.example/?b=c&d=e#f)", '<a href="http://a.example/?b=c&amp;d=e#f">x</a>'],
      ["[x](mailto:me@a.example)", '<a href="mailto:me@a.example">x</a>'],
      ["[x](#/fedcba987654)", '<a href="#/fedcba987654">x</a>'],
      ["[**x** y](https://a.example)", '<a href="https://a.example"><b>x</b> y</a>'],
      ["[x](javascript:alert(1))", "x"],
      ["[x](ftp://a.example)", "x"],
      ["[x](data:text/html,y)", "x"],
      ['<a href="javascript:alert(1)">x</a>', "x"],
      ['<a href="JaVaScRiPt:alert(1)">x</a>', "x"],
      ['<a href="java&#115;cript:alert(1)">x</a>', "x"],
      ['<a href="vbscript:x">x</a> y', "x y"],
    ],
  ],
  [
    "[X5] code is literal",
    [
      ["`**x**`", "<code>**x**</code>"],
      ["`a < b`", "<code>a &lt; b</code>"],
      ["`<b>x</b>`", "<code>&lt;b&gt;x&lt;/b&gt;</code>"],
      ["`[2026-08-01]`", "<code>[2026-08-01]</code>"],
      ["`[x](https://a.example)`", "<code>[x](https://a.example)</code>"],
    ],
  ],
  [
    "[X43] a link without words",
    [["[](https://a.example)", '<a href="https://a.example">https://a.example</a>']],
  ],
  [
    "[X2] pictures and addresses in angles are no markdown of names",
    [
      ["<https://a.example>", "&lt;https://a.example&gt;"],
      ["![x](https://a.example/x.png)", '!<a href="https://a.example/x.png">x</a>'],
    ],
  ],
  [
    "[X33] names are cleaned",
    [
      ["  x  ", "x"],
      ["\tx\t", "x"],
      ["a\tb", "a b"],
      ["a\u0000b\u0007c\u001bd", "abcd"],
      ["a\ud800b", "a\ufffdb"],
      ["a\udc00", "a\ufffd"],
      ["a\u{1F600}b", "a\u{1F600}b"],
      ["a  b", "a  b"],
    ],
  ],
];

describe.each(NAMES)("%s", (rule, cases) => {
  test.for(cases)(`${rule}: %j is stored as %j`, async ([sent, stored], { api }) => {
    expect(await storedNames(api, sent)).toEqual([stored, stored]);
  });
});

test("[N20, X20] every stored name, written back, changes nothing", async ({ api, clock }) => {
  for (const [, cases] of NAMES) {
    for (const [sent] of cases) {
      const id = await api.create({ name: sent, note: sent });
      const before = await api.node(id);
      clock.advance(5);
      await api.update(id, { name: before.name, note: before.note });
      expect(await api.node(id)).toEqual(before);
      const copy = await api.create({ name: before.name, note: before.note });
      const { name, note } = await api.node(copy);
      expect({ name, note }).toEqual({ name: before.name, note: before.note });
    }
  }
});

describe("prefixes", () => {
  test.for([
    ["# x", "x", "h1", false],
    ["## x", "x", "h2", false],
    ["### x", "x", "h3", false],
    ["#### x", "<b>x</b>", "bullets", false],
    ["##### x", "<b>x</b>", "bullets", false],
    ["###### x y", "<b>x y</b>", "bullets", false],
    ["- x", "x", "bullets", false],
    ["- [ ] x", "x", "todo", false],
    ["- [x] x", "x", "todo", true],
    ["- [X] x", "x", "todo", true],
    ["> x", "x", "quote-block", false],
    ["# **x**", "<b>x</b>", "h1", false],
    ["- [x] `x`", "<code>x</code>", "todo", true],
    ["# ", "", "h1", false],
    ["#x", "#x", "bullets", false],
    ["#", "#", "bullets", false],
    ["-x", "-x", "bullets", false],
    ["-", "-", "bullets", false],
    [">x", "&gt;x", "bullets", false],
    ["-[x] x", "-[x] x", "bullets", false],
    ["x # y", "x # y", "bullets", false],
  ] as const)(
    "[X22, X23, X24] %j: %j, %s, completed %s",
    async ([sent, name, layout, completed], { api }) => {
      const expected = [name, layout, completed];
      const created = await api.node(await api.create({ name: sent }));
      expect([created.name, created.data.layoutMode, created.completed]).toEqual(expected);
      const id = await api.create({ name: "something else" });
      await api.update(id, { name: sent });
      const updated = await api.node(id);
      expect([updated.name, updated.data.layoutMode, updated.completed]).toEqual(expected);
    },
  );
});

describe("code blocks", () => {
  test.for([
    ["```\nx\n```", "x"],
    ["```js\nx\n```", "x"],
    ["```x```", "x"],
    ["```\na\n  b\n\nc\n```", "a\n  b\n\nc"],
    ["```\nunclosed", "unclosed"],
    ["```\n**x** # y\n- [x] z\n```", "**x** # y\n- [x] z"],
    ["```\n<b>x</b> & &amp; y\n```", "&lt;b&gt;x&lt;/b&gt; &amp; &amp; y"],
    ["```\n[2026-08-01]\n```", "[2026-08-01]"],
    ["```make\nall:\n\tgo\tbuild\n```", "all:\n\tgo\tbuild"],
  ] as const)("[X28, X31] %j is a code block of %j", async ([sent, stored], { api }) => {
    const node = await api.node(await api.create({ name: sent }));
    expect([node.name, node.data.layoutMode]).toEqual([stored, "code-block"]);
    const id = await api.create({ name: "something else" });
    await api.update(id, { name: sent });
    const updated = await api.node(id);
    expect([updated.name, updated.data.layoutMode]).toEqual([stored, "code-block"]);
  });

  test.for([
    ["<b>x</b>", "&lt;b&gt;x&lt;/b&gt;"],
    ["# x", "# x"],
    ["- [x] y", "- [x] y"],
    ["**x** `y` [2026-08-01]", "**x** `y` [2026-08-01]"],
    ["&lt; &copy; &foo; & <", "&lt; &copy; &amp;foo; &amp; &lt;"],
    ["a\n\n\nb", "a\n\n\nb"],
  ] as const)("[X29, X31] %j as a code block is %j", async ([sent, stored], { api }) => {
    const id = await api.create({ name: sent, layoutMode: "code-block" });
    const { name, completed } = await api.node(id);
    expect([name, completed]).toEqual([stored, false]);
    expect(await api.children(id)).toEqual([]);
  });
});

test("[X31] tabs of code stay, whatever becomes of it; elsewhere they are spaces", async ({
  api,
}) => {
  const code = "code\n\ty\t// <z>";
  const stored = "code\n\ty\t// &lt;z&gt;";
  const id = await api.create({ name: code, layoutMode: "code-block" });
  const nameOf = async (): Promise<string> => (await api.node(id)).name;
  expect(await nameOf()).toBe(stored);
  const before = await api.node(id);
  await api.update(id, { name: stored });
  expect(await api.node(id)).toEqual(before);
  await api.update(id, { name: `${stored}\n\t\tend`, base_name: stored });
  expect(await nameOf()).toBe(`${stored}\n\t\tend`);
  await api.update(id, { name: "\tx" });
  expect(await nameOf()).toBe("\tx");
  await api.update(id, { layoutMode: "h1" });
  expect(await nameOf()).toBe(" x");
  await api.update(id, { layoutMode: "code-block" });
  expect(await nameOf()).toBe("\tx");
});

describe("notes", () => {
  test.for([
    ["a\nb", "a\nb"],
    ["a\r\n\r\nb", "a\n\nb"],
    ["**x** # y - [x] z [2026-08-01] [x](https://a.example)", undefined],
    ["# x", undefined],
    ["<b>x</b> <strong>y</strong>", "<b>x</b> <b>y</b>"],
    ['<a href="javascript:x">y</a>', "y"],
    ["<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"],
    ["a & b < c &copy;", "a &amp; b &lt; c &copy;"],
    ["a\tb\u0000c", "a bc"],
    ["a\ud800", "a\ufffd"],
    [AUGUST, AUGUST],
  ] as const)("[X32, X33] %j is stored as %j", async ([sent, stored = sent], { api }) => {
    const created = await api.create({ name: "x", note: sent });
    const updated = await api.create({ name: "x" });
    await api.update(updated, { note: sent });
    expect([(await api.node(created)).note, (await api.node(updated)).note]).toEqual([
      stored,
      stored,
    ]);
  });

  test.for(["", null])("[X32] %j is no note", async (note, { api }) => {
    expect((await api.node(await api.create({ name: "x", note }))).note).toBe(null);
  });
});

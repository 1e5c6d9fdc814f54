import { describe, expect, test } from "vitest";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";

const AUG_1 = '<time startYear="2026" startMonth="8" startDay="1">';
const SAME = Symbol("same");

type Row = readonly [rule: string, sent: string, stored: string | typeof SAME];

const FRAGMENTS: readonly Row[] = [
  ["[X13] b", "<b>x</b>", SAME],
  ["[X13] i", "<i>x</i>", SAME],
  ["[X13] s", "<s>x</s>", SAME],
  ["[X13] u", "<u>x</u>", SAME],
  ["[X13] code", "<code>x</code>", SAME],
  ["[X13] capitals", "<B>x</B> <Code>y</cODE>", "<b>x</b> <code>y</code>"],
  ["[X13] other attributes go", '<b class="x" style="color:red" onclick="a()">x</b>', "<b>x</b>"],
  ["[X13] an attribute without value", "<b hidden>x</b>", "<b>x</b>"],
  ["[X13] a greater-than in a value", '<i title="a>b">x</i>', "<i>x</i>"],
  ["[X13] space in tags", "<b >x</b > <i\n>y</i\n>", "<b>x</b> <i>y</i>"],
  ["[X13] a slash in the tag", "<b/>x", "<b>x</b>"],
  ["[X13] strong", "<strong>x</strong>", "<b>x</b>"],
  ["[X13] em", "<em>x</em>", "<i>x</i>"],
  ["[X13] strike", "<strike>x</strike>", "<s>x</s>"],
  ["[X13] del", "<del>x</del>", "<s>x</s>"],
  ["[X13] strong closed as b", "<strong>x</b>", "<b>x</b>"],

  ["[X14] https", '<a href="https://e.org/">x</a>', SAME],
  ["[X14] http", '<a href="http://e.org/">x</a>', SAME],
  ["[X14] mailto", '<a href="mailto:a@e.org">x</a>', SAME],
  ["[X14] a node of ours", '<a href="#/0123456789ab">x</a>', SAME],
  ["[X14] single quotes", "<a href='https://e.org/'>x</a>", '<a href="https://e.org/">x</a>'],
  ["[X14] no quotes", "<a href=https://e.org/>x</a>", '<a href="https://e.org/">x</a>'],
  [
    "[X14] capitals and space",
    '<A HREF = "HTTPS://E.org/">x</A>',
    '<a href="HTTPS://E.org/">x</a>',
  ],
  [
    "[X14] other attributes go",
    '<a href="https://e.org/" target="_blank" onclick="x()">x</a>',
    '<a href="https://e.org/">x</a>',
  ],
  [
    "[X14] no space between attributes",
    '<a title="t"href="https://e.org/">x</a>',
    '<a href="https://e.org/">x</a>',
  ],
  [
    "[X14] the first of two",
    '<a href="https://e.org/" href="https://f.org/">x</a>',
    '<a href="https://e.org/">x</a>',
  ],
  [
    "[X14] ampersands in the address",
    '<a href="https://e.org/?a&b&amp;c">x</a>',
    '<a href="https://e.org/?a&amp;b&amp;c">x</a>',
  ],
  [
    "[X14] quotes and angles in the address",
    "<a href='https://e.org/\">'>x</a>",
    '<a href="https://e.org/&quot;&gt;">x</a>',
  ],
  [
    "[X14] space around the address",
    '<a href=" https://e.org/ ">x</a>',
    '<a href="https://e.org/">x</a>',
  ],
  ["[X14] javascript", '<a href="javascript:alert(1)">x</a>', "x"],
  ["[X14] javascript in capitals", '<a href="JaVaScRiPt:alert(1)">x</a>', "x"],
  ["[X14] javascript behind space", '<a href=" javascript:alert(1)">x</a>', "x"],
  ["[X14] javascript with a line break", '<a href="java\nscript:alert(1)">x</a>', "x"],
  ["[X14] javascript with a tab", '<a href="java\tscript:alert(1)">x</a>', "x"],
  ["[X14] javascript with a control character", '<a href="\u0001javascript:alert(1)">x</a>', "x"],
  ["[X14] javascript in entities", '<a href="&#106;avascript&colon;alert(1)">x</a>', "x"],
  ["[X14] javascript with an entity tab", '<a href="java&Tab;script:alert(1)">x</a>', "x"],
  ["[X14] data", '<a href="data:text/html,x">x</a>', "x"],
  ["[X14] vbscript", '<a href="vbscript:x">x</a>', "x"],
  ["[X14] file", '<a href="file:///etc/passwd">x</a>', "x"],
  ["[X14] a path", '<a href="/a">x</a>', "x"],
  ["[X14] another host without scheme", '<a href="//e.org">x</a>', "x"],
  ["[X14] a fragment", '<a href="#a">x</a>', "x"],
  ["[X14] empty", '<a href="">x</a>', "x"],
  ["[X14] none", "<a>x</a> <a name=y>z</a>", "x z"],
  [
    "[X14] refused inside allowed",
    '<a href="https://e.org/">x<a href="x:">y</a></a>',
    '<a href="https://e.org/">xy</a>',
  ],
  ["[X14] no text", 'x<a href="https://e.org/"></a>y', "xy"],

  ["[X15] a date", `${AUG_1}Sat, Aug 1, 2026</time>`, SAME],
  ["[X15] a date with a text of its own", `${AUG_1}my birthday</time>`, SAME],
  [
    "[X15] a date with time",
    '<time startYear="2026" startMonth="8" startDay="1" startHour="0" startMinute="5">x</time>',
    SAME,
  ],
  [
    "[X15] leading zeros",
    '<time startYear="2026" startMonth="08" startDay="01" startHour="09" startMinute="05">x</time>',
    '<time startYear="2026" startMonth="8" startDay="1" startHour="9" startMinute="5">x</time>',
  ],
  [
    "[X15] attributes in any order and case",
    "<TIME startday=1 STARTMONTH=8 endYear=2027 startYear=2026>x</TIME>",
    `${AUG_1}x</time>`,
  ],
  ["[X15] no such day", '<time startYear="2026" startMonth="2" startDay="30">x</time>', "x"],
  ["[X15] no such month", '<time startYear="2026" startMonth="0" startDay="1">x</time>', "x"],
  ["[X15] no day", '<time startYear="2026" startMonth="8">x</time>', "x"],
  ["[X15] other attributes only", '<time datetime="2026-08-01">x</time>', "x"],
  ["[X15] words for numbers", '<time startYear="2026" startMonth="Aug" startDay="1">x</time>', "x"],
  [
    "[X15] no such hour",
    '<time startYear="2026" startMonth="8" startDay="1" startHour="24" startMinute="0">x</time>',
    `${AUG_1}x</time>`,
  ],
  [
    "[X15] an hour without minute",
    '<time startYear="2026" startMonth="8" startDay="1" startHour="9">x</time>',
    `${AUG_1}x</time>`,
  ],
  ["[X15] no text", `x${AUG_1}</time>y`, "xy"],

  ["[X16] a coloured span", '<span class="colored c-red">x</span>', SAME],
  ["[X16] a coloured mark", '<mark class="colored bc-yellow">x</mark>', SAME],
  ["[X16] a bare mark", "<mark>x</mark>", SAME],
  [
    "[X16] colored anywhere in the list",
    '<span class="c-red  colored">x</span>',
    '<span class="c-red colored">x</span>',
  ],
  [
    "[X16] other attributes go",
    '<span class="colored c-red" style="x">x</span>',
    '<span class="colored c-red">x</span>',
  ],
  [
    "[X16] span and mark",
    '<span class="colored c-red"><mark class="colored bc-blue">x</mark></span>',
    SAME,
  ],
  ["[X16] a bare span", "<span>x</span>", "&lt;span&gt;x&lt;/span&gt;"],
  ["[X16] another class", '<span class="red">x</span>', '&lt;span class="red"&gt;x&lt;/span&gt;'],
  [
    "[X16] a class that only begins so",
    '<mark class="coloredx">x</mark>',
    '&lt;mark class="coloredx"&gt;x&lt;/mark&gt;',
  ],
  [
    "[X16] a class with other characters",
    '<span class="colored c:red">x</span>',
    '&lt;span class="colored c:red"&gt;x&lt;/span&gt;',
  ],
  [
    "[X16] a bare span in a coloured one",
    '<span class="colored c-red">a<span>b</span>c</span>',
    '<span class="colored c-red">a&lt;span&gt;b&lt;/span&gt;c</span>',
  ],

  ["[X17] another tag", "<div>x</div>", "&lt;div&gt;x&lt;/div&gt;"],
  ["[X17] a script", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"],
  ["[X17] a closing line break", "a</br>b", "a&lt;/br&gt;b"],
  [
    "[X17] no line break",
    "<br<b>x</b>, <brr>, <br-x>",
    "&lt;br<b>x</b>, &lt;brr&gt;, &lt;br-x&gt;",
  ],
  ["[X42] line breaks", "a<br>b<br/>c<br />d<BR>e", "a\nb\nc\nd\ne"],
  ["[X42] with attributes", 'a<br class="x"\n>b', "a\nb"],
  ["[X42] each of many, with the spaces around them", "a <br><br> b", "a \n\n b"],
  ["[X42] in a format", "<b>a<br>b</b>", "<b>a\nb</b>"],
  ["[X42] as text", "a&lt;br&gt;b", SAME],
  [
    "[X17] a tag that begins like an allowed one",
    "<big>x</big> <base>",
    "&lt;big&gt;x&lt;/big&gt; &lt;base&gt;",
  ],
  ["[X17] a comment", "<!-- x -->", "&lt;!-- x --&gt;"],
  ["[X17] a tag left open", "<b", "&lt;b"],
  ["[X17] a value left open", '<b title="x>y', '&lt;b title="x&gt;y'],
  [
    "[X17] no value behind a sign",
    "<b a=>x <b =a>y <b a==b>z",
    "&lt;b a=&gt;x &lt;b =a&gt;y &lt;b a==b&gt;z",
  ],
  ["[X13] space and slashes among attributes", "<b a = 'x' / c=d/ >y</b>", "<b>y</b>"],
  [
    "[X17] a sign in a name or a value",
    "<b a'b>x <b a='<'>y",
    "&lt;b a'b&gt;x &lt;b a='&lt;'&gt;y",
  ],
  ["[X17] a tag in a tag", "<b <i>x</i>", "&lt;b <i>x</i>"],
  ["[X17] a tag in another tag", '<img alt="<b>x</b>">', '&lt;img alt="<b>x</b>"&gt;'],
  ["[X17] space before the name", "< b>x</ b>", "&lt; b&gt;x&lt;/ b&gt;"],
  ["[X17] signs", "a < b > c & d", "a &lt; b &gt; c &amp; d"],
  ["[X17] quotes stay", "\"a\" 'b'", SAME],
  ["[X17] a foreign element", "<svg/onload=alert(1)>", "&lt;svg/onload=alert(1)&gt;"],

  ["[X18] the three that we write", "&amp; &lt; &gt;", SAME],
  ["[X18] named", "&nbsp;&copy;&eacute;&quot;&apos;", SAME],
  ["[X18] decimal", "&#39;&#169;", SAME],
  ["[X18] hexadecimal", "&#x27;&#XA9;", SAME],
  ["[X18] of two characters", "&fjlig;&NotEqualTilde;", SAME],
  ["[X18] in capitals", "&AMP;&LT;", SAME],
  ["[X18] never twice", "&amp;amp; &amp;lt;", SAME],
  ["[X18] the same one in a row", "&copy;&copy;", SAME],
  ["[X18] in a style", "<b>&copy;</b>", SAME],
  ["[X18] an unknown name", "&foo;", "&amp;foo;"],
  ["[X18] no semicolon", "&copy &amp &#39", "&amp;copy &amp;amp &amp;#39"],
  ["[X18] no name", "&; &#; &#x; &#xZZ;", "&amp;; &amp;#; &amp;#x; &amp;#xZZ;"],
  ["[X18] beyond Unicode", "&#1114112; &#xD800; &#0;", "&amp;#1114112; &amp;#xD800; &amp;#0;"],
  ["[X18] a control character", "&#1; &#x7f;", "&amp;#1; &amp;#x7f;"],
  ["[X18] tabs and line breaks", "a&#9;b&#10;c&Tab;d&NewLine;e", SAME],
  ["[X18] a replacement character", "&#xFFFD;", SAME],
  ["[X18] names of objects", "&constructor; &__proto__;", "&amp;constructor; &amp;__proto__;"],
  ["[X18] an escape of the markdown export", "&#0042;", "*"],

  ["[X19] left open", "<b>x", "<b>x</b>"],
  ["[X19] left open, nested", "<b>x<i>y", "<b>x<i>y</i></b>"],
  ["[X19] crossed", "<b>x<i>y</b>z</i>", "<b>x<i>y</i></b><i>z</i>"],
  ["[X19] closed and never opened", "x</b>y", "xy"],
  ["[X19] opened twice", "<b><b>x</b>y</b>z", "<b>xy</b>z"],
  ["[X19] empty", "x<b></b><i> </i>y", "x<i> </i>y"],
  ["[X21] bold in italic", "<i><b>x</b></i>", SAME],
  ["[X21] italic in bold", "<b><i>x</i></b>", SAME],
  ["[X21] the longer one outside", "<b><i>x</i></b><i>y</i>", "<i><b>x</b>y</i>"],
  ["[X21] a style around a link", '<b>a <a href="https://e.org">b</a> c</b>', SAME],
  ["[X21] a link around a style", '<a href="https://e.org">a <b>b</b> c</a>', SAME],
  ["[X21] neighbours", "<b>x</b><b>y</b>", "<b>xy</b>"],
  ["[X21] neighbours that share a tag", "<b>x</b><i><b>y</b></i>", "<b>x<i>y</i></b>"],
  [
    "[X21] all at once",
    `<code><u><s><i><b>${AUG_1}<mark><span class="colored c-red"><a href="https://e.org">x</a></span></mark></time></b></i></s></u></code>`,
    SAME,
  ],
];

describe("HTML fragments", () => {
  test.for(FRAGMENTS)("%s: %j", ([, sent, stored]) => {
    expect(htmlOfRichText(richTextOfHtml(sent))).toBe(stored === SAME ? sent : stored);
  });

  test("[X20] what was stored is read and written the same", () => {
    for (const [, sent] of FRAGMENTS) {
      const stored = htmlOfRichText(richTextOfHtml(sent));
      expect(htmlOfRichText(richTextOfHtml(stored))).toBe(stored);
      expect(richTextOfHtml(stored)).toEqual(richTextOfHtml(sent));
    }
  });

  test("[X18] a line break that is an entity is a space among the characters", () => {
    expect(richTextOfHtml("&#10;")).toEqual([{ insert: " ", attributes: { e: "&#10;" } }]);
  });

  test("[X20] characters and formats of a fragment", () => {
    expect(richTextOfHtml('a<b>b&copy;</b><a href="https://e.org">c</a>')).toEqual([
      { insert: "a" },
      { insert: "b", attributes: { b: true } },
      { insert: "©", attributes: { b: true, e: "&copy;" } },
      { insert: "c", attributes: { a: "https://e.org" } },
    ]);
  });
});

describe("HTML of code", () => {
  test("[X31, X42] tabs and line breaks stay, also around tags that have some in them", () => {
    const sent = 'a\t<b\t>b\t</b\t><br\t/><a\thref="https://e.org">\tc</a>';
    const stored = 'a\t<b>b\t</b>\n<a href="https://e.org">\tc</a>';
    const text = richTextOfHtml(sent, "code");
    expect(htmlOfRichText(text, "kept")).toBe(stored);
    expect(richTextOfHtml(stored, "code")).toEqual(text);
    expect(htmlOfRichText(text)).toBe(stored.replaceAll("\t", " "));
    expect(htmlOfRichText(richTextOfHtml(sent))).toBe(stored.replaceAll("\t", " "));
  });
});

describe("formats that another program wrote", () => {
  test.for([
    ["a script as an entity", { e: "<script>" }],
    ["an entity of another character", { e: "&copy;" }],
    ["an address that is refused", { a: "javascript:alert(1)" }],
    ["an address with space around", { a: " https://e.org" }],
    ["a class with a quote", { span: 'colored"><script>' }],
    ["a class that is not colored", { mark: "x" }],
    ["a date that does not exist", { d: "2026-02-30" }],
    ["a date with markup", { d: '2026-08-01"><script>' }],
    ["bold with a value", { b: "yes" }],
    ["an unknown key", { comment: "17" }],
    ["a key of objects", Object.fromEntries([["__proto__", "x"]])],
  ] as const)("[X38] %s writes nothing", ([, attributes]) => {
    expect(htmlOfRichText([{ insert: "<x>", attributes }])).toBe("&lt;x&gt;");
  });

  test("[X38] typing next to an entity stays as it was typed", () => {
    const text = [{ insert: "a©b©<", attributes: { e: "&copy;" } }];
    expect(htmlOfRichText(text)).toBe("a&copy;b&copy;&lt;");
  });
});

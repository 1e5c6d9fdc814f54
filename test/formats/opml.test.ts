import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newOutlineId } from "../../src/core/node-key.ts";
import { richTextOfHtml } from "../../src/core/text/html.ts";
import { plainText } from "../../src/core/text/rich-text.ts";
import { htmlOfDynalist } from "../../src/formats/dynalist-text.ts";
import { opmlOfEntries } from "../../src/formats/opml-export.ts";
import { OpmlImport } from "../../src/formats/opml-import.ts";
import { arbitraryEntries } from "./arbitrary-entries.ts";
import { readAll } from "./read-outline.ts";

const LIMITS = { maxNodes: 1000, maxDepth: 50, maxTextBytes: 100 };
/** The text itself. */
const SAME = "";
const OUTLINE = newOutlineId(() => 0.5);

function read(opml: string) {
  return readAll(new OpmlImport(LIMITS), opml);
}

describe("OPML import", () => {
  test("[F4] reads text, notes, completion and what other outliners write", () => {
    const opml = `<?xml version="1.0"?>
<opml version="2.0"><head><title>x</title></head><body>
  <outline text="a &lt;b&gt;bold&lt;/b&gt;" _note="one&#10;two" _complete="true">
    <outline text="todo" checkbox="true" complete="true"/>
    <outline title="old name" heading="2"></outline>
  </outline>
  <outline/>
  <outline text="two&#10; lines"/>
  <outline text="two&#10; lines" _layout="code-block"/>
</body></opml>`;
    expect(read(opml)).toEqual({
      kind: "read",
      entries: [
        {
          depth: 0,
          name: "a <b>bold</b>",
          note: "one\ntwo",
          layout: "bullets",
          completedAt: "unknown",
        },
        { depth: 1, name: "todo", layout: "todo", completedAt: "unknown" },
        { depth: 1, name: "old name", layout: "h2" },
        { depth: 0, name: "", layout: "bullets" },
        { depth: 0, name: "two lines", layout: "bullets" },
        { depth: 0, name: "two\n lines", layout: "code-block" },
      ],
    });
  });

  test("[W205] of WorkFlowy the names of people stay, without the mark around them", () => {
    const text =
      "ask &lt;mention id=&quot;2&quot; by=&quot;1&quot;&gt;@Anna&lt;/mention&gt; &amp;lt;mention&gt;";
    const opml = `<opml version="2.0"><body><outline text="${text}"/></body></opml>`;
    expect(read(opml)).toMatchObject({
      kind: "read",
      entries: [{ name: "ask @Anna &lt;mention>" }],
    });
  });

  test("[F4] a colour of Dynalist is behind the whole text", () => {
    const opml = `<opml version="2.0"><body><outline text="a &lt;b&gt;b&lt;/b&gt;" colorLabel="1"/>
<outline text="b" colorLabel="6"/><outline text="c" colorLabel="0"/><outline text="" colorLabel="2"/>
<outline text="x" _layout="code-block" colorLabel="2"/></body></opml>`;
    expect(read(opml)).toMatchObject({
      entries: [
        { name: '<mark class="colored bc-red">a <b>b</b></mark>' },
        { name: '<mark class="colored bc-purple">b</mark>' },
        { name: "c" },
        { name: "" },
        { name: "x" },
      ],
    });
  });

  test("[F4] of Dynalist the texts are markdown, with its dates", () => {
    const opml = `<opml version="2.0"><head><title></title><flavor>dynalist</flavor></head><body>
<outline text="Top **bold** and __slanted__ \`a__b__\` &lt; [link](https://x.y)" _note="!(2026-11-25 14:30)&#10;~~no~~">
<outline text="todo !(2026-11-25 | 1w) !(2026-13-45)" checkbox="true"/></outline></body></opml>`;
    const day = '<time startYear="2026" startMonth="11" startDay="25"';
    const readLong = (text: string) =>
      readAll(new OpmlImport({ ...LIMITS, maxTextBytes: 1000 }), text);
    expect(readLong(opml)).toEqual({
      kind: "read",
      entries: [
        {
          depth: 0,
          name: 'Top <b>bold</b> and <i>slanted</i> <code>a__b__</code> &lt; <a href="https://x.y">link</a>',
          note: `${day} startHour="14" startMinute="30">Wed, Nov 25, 2026 at 2:30pm</time>\n<s>no</s>`,
          layout: "bullets",
        },
        {
          depth: 1,
          name: `todo ${day}>Wed, Nov 25, 2026</time> (every week) !(2026-13-45)`,
          layout: "todo",
        },
      ],
    });
    expect(readLong(opml.replace("dynalist", "other"))).toMatchObject({
      entries: [{ name: expect.stringContaining("**bold**") }, {}],
    });
  });

  test.for([
    ["!(2026-11-25 | 1w)", "Wed, Nov 25, 2026 (every week)"],
    ["!(2026-11-25 14:30 | 2m) x", "Wed, Nov 25, 2026 at 2:30pm (every 2 months) x"],
    ["!(2026-11-25 | ~1w)", "Wed, Nov 25, 2026 (every ~1w)"],
    ["!(2026-11-25 - 2026-11-27)", "Wed, Nov 25, 2026 – Fri, Nov 27, 2026", 2],
    ["!(2026-11-25 09:00 - 10:00)", "Wed, Nov 25, 2026 at 9:00am – 10:00am"],
    [
      "!(2026-11-25 09:00 - 2026-11-26 10:00 | 1y)",
      "Wed, Nov 25, 2026 at 9:00am – Thu, Nov 26, 2026 at 10:00am (every year)",
      2,
    ],
    ["!(2026-11-25 - 2026-13-45) !(2026-11-25 - 25:00)", SAME, 0],
    ["!(2026-11-25 | a | b) !(2026-11-25 -) !(2026-11-25", SAME, 0],
    ["`!(2026-11-25)`", "!(2026-11-25)", 0],
    ["https://e.org/__init__.py", SAME, 0],
    ["==all== ^^of^^ it", "all of it", 0],
  ] as const)("[F4] of a date of Dynalist nothing is lost: %s", ([text, plain, dates = 1]) => {
    const html = htmlOfDynalist(text);
    expect(html.match(/<time /g)?.length ?? 0).toBe(dates);
    expect(plainText(richTextOfHtml(html))).toBe(plain === SAME ? text : plain);
  });

  test("[F3] a text of Dynalist is read in linear time", () => {
    for (const part of ["!(", "!(2026-11-25 | ", "__a ", "__", "`", "](", "http://", "<"]) {
      const text = part.repeat(100_000);
      expect(plainText(richTextOfHtml(htmlOfDynalist(text)))).toHaveLength(text.length);
    }
  });

  test("[F4, X44] a picture of Dynalist is a link to it, in names and notes", () => {
    const opml = `<opml version="2.0"><head><flavor>dynalist</flavor></head><body>
<outline text="![](https://x.y/one.png)" _note="![two](https://x.y/two.png) !(2026-11-25)"/></body></opml>`;
    expect(readAll(new OpmlImport({ ...LIMITS, maxTextBytes: 1000 }), opml)).toMatchObject({
      entries: [
        {
          name: '<a href="https://x.y/one.png">https://x.y/one.png</a>',
          note: expect.stringMatching(/^<a href="https:\/\/x.y\/two.png">two<\/a> <time /),
        },
      ],
    });
  });

  test.each([
    ["<opml><body>\n<outline text='a'>\n</body></opml>", 3, /^unexpected close tag$/],
    ["<opml>\n<body><outline text='a'/>", 2, /unclosed/],
    ["<rss/>", 1, /begins with <rss>/],
    ["<opml></opml>", 1, /no body/],
    ["not xml", 1, /document|text/],
    ["", 1, /root/],
    ["<opml><body>\n\n<outline text='&nbsp;'/></body></opml>", 3, /entity/],
    [`<opml><body>\n<outline text="${"x".repeat(101)}"/></body></opml>`, 2, /over 100 bytes/],
  ])("[F2] says line and reason: %s", (opml, line, reason) => {
    expect(read(opml)).toEqual({
      kind: "broken",
      place: `line ${line}`,
      reason: expect.stringMatching(reason),
    });
  });

  test("[F3] entities of a document type are never expanded", () => {
    const bomb = `<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<opml><body><outline text="&b;"/></body></opml>`;
    expect(read(bomb)).toMatchObject({ kind: "broken", place: "line 2" });
  });
});

describe("OPML export", () => {
  test("[F4] is read back as it was, however it is cut", () => {
    const limits = { maxNodes: 1000, maxDepth: 50, maxTextBytes: 10_000 };
    fc.assert(
      fc.property(arbitraryEntries, fc.integer({ min: 1, max: 50 }), (entries, pieceLength) => {
        const opml = [...opmlOfEntries(entries, { title: "a & b", outline: OUTLINE })].join("");
        expect(readAll(new OpmlImport(limits), opml, pieceLength)).toEqual({
          kind: "read",
          entries,
        });
      }),
      { numRuns: 300 },
    );
  });

  test("[F4] looks like this", () => {
    const entries = [
      { depth: 0, name: 'a "b" <b>c</b>', layout: "todo", note: "1\n2", completedAt: 5 },
      { depth: 1, name: "\u0001", layout: "bullets" },
    ] as const;
    expect([...opmlOfEntries(entries, { title: "me", outline: OUTLINE })].join("")).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<opml version="2.0">
  <head>
    <title>me</title>
  </head>
  <body>
    <outline text="a &quot;b&quot; &lt;b&gt;c&lt;/b&gt;" _note="1&#10;2" _complete="true" _layout="todo" _completed="5">
      <outline text="\ufffd"/>
    </outline>
  </body>
</opml>
`,
    );
  });
});

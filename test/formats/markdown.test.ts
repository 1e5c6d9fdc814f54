import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryEntries } from "./arbitrary-entries.ts";
import { placed } from "./placed.ts";
import { shownLayout, type Layout } from "../../src/core/node/layout.ts";
import { markdownOfEntries } from "../../src/formats/markdown-export.ts";
import { MarkdownImport } from "../../src/formats/markdown-import.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";

const LIMITS = { maxNodes: 1000, maxDepth: 100, maxTextBytes: 10_000 };

function entriesOf(markdown: string): readonly OutlineEntry[] {
  const reader = new MarkdownImport(LIMITS);
  reader.push(markdown);
  const result = reader.finish();
  if (result.kind === "broken") throw new Error(`${result.place}: ${result.reason}`);
  return result.entries;
}

/** `depth layout name` of each node, with what else it has behind it. */
function sketch(markdown: string): string[] {
  return entriesOf(markdown).map(({ depth, layout, name, note, completedAt }) => {
    const more = [
      note === undefined ? "" : ` // ${note}`,
      completedAt === undefined ? "" : " done",
    ];
    return `${"  ".repeat(depth)}${layout}: ${name}${more.join("")}`.replaceAll("\n", "⏎");
  });
}

describe("markdown import", () => {
  test("[F5] boxes of other programs make todo items, and stay where they say more", () => {
    expect(
      sketch(
        "- [-] a\n- [/] b\n- [>] c\n- [!]\n- {{[[TODO]]}} d\n- {{DONE}} e\n- [+] f\n- [-]g\n- {{[[POMO]]}} h",
      ),
    ).toEqual([
      "todo: a done",
      "todo: b",
      "todo: [&gt;] c",
      "todo: [!]",
      "todo: d",
      "todo: e done",
      "bullets: [+] f",
      "bullets: [-]g",
      "bullets: {{[[POMO]]}} h",
    ]);
  });

  test("[F5] what can be folded up is below its summary", () => {
    const markdown = `# A
<details open>
<summary>B **b**</summary>
c
## D

- e
  <details><summary>F</summary>

  g

  </details>
- h
</details>
<aside>
i
</aside>

\`<details>\` <details> j
</details>
<summary> </summary>`;
    expect(sketch(markdown)).toEqual([
      "h1: A",
      "  bullets: B <b>b</b>",
      "    bullets: c",
      "    h2: D",
      "      bullets: e",
      "        bullets: F",
      "          bullets: g",
      "      bullets: h",
      "  bullets: i",
      "  bullets: <code>&lt;details&gt;</code> &lt;details&gt; j",
      "  bullets: &lt;summary&gt; &lt;/summary&gt;",
    ]);
  });

  test("[F5] reads headings, lists, paragraphs, quotes and code", () => {
    const markdown = `
# Title
> about it

A paragraph
in two lines.

- [One](https://one.example) - first
  continued
    - \`code\` and **bold**
        * deep
    - sibling
- [ ] open
- [x] done
  > a note
  >
  > of three lines
1. first
2. second

   a paragraph of the second

## Section ##

> quoted
> more

\`\`\`js
const a = 1;

  if (a < b) {}
\`\`\`

    indented
      code

| a | b |
|---|---|
| 1 | 2 |

<!-- a
comment --> Under it
Setext
---
Text
***
#### Deeper
- # Heading in a list
- ~~~
  x
  ~~~
`;
    expect(sketch(markdown)).toEqual([
      "h1: Title // about it",
      "  bullets: A paragraph in two lines.",
      '  bullets: <a href="https://one.example">One</a> - first continued',
      "    bullets: <code>code</code> and <b>bold</b>",
      "      bullets: deep",
      "    bullets: sibling",
      "  todo: open",
      "  todo: done // a note⏎⏎of three lines done",
      "  bullets: first",
      "  bullets: second",
      "    bullets: a paragraph of the second",
      "  h2: Section",
      "    quote-block: quoted more",
      "    code-block: const a = 1;⏎⏎  if (a &lt; b) {}",
      "    code-block: indented⏎  code",
      "    bullets: | a | b |",
      "    bullets: | 1 | 2 |",
      "  h2: Under it Setext",
      "    bullets: Text",
      "    bullets: ***",
      "    bullets: <b>Deeper</b>",
      "      h1: Heading in a list",
      "      code-block: x",
    ]);
  });

  test("[F5] takes the meaning from a mark behind a backslash, but not in code", () => {
    expect(sketch("- \\- a \\*b\\* `c\\*` \\\\*d*\n- 1\\. e \\x")).toEqual([
      "bullets: - a *b* <code>c\\*</code> \\<i>d</i>",
      "bullets: 1. e \\x",
    ]);
  });

  test("[F8] front matter is the note of the first node, before the note that it has", () => {
    const front = "---\ntitle: <Trip>\n# of mine\naliases: [a, b]\ntags:\n- c\n\n---\n";
    const note = "title: &lt;Trip&gt;⏎# of mine⏎aliases: [a, b]⏎tags:⏎- c⏎";
    expect(sketch(`${front}\n# Trip\n> why\n\ntext`)).toEqual([
      `h1: Trip // ${note}⏎why`,
      "  bullets: text",
    ]);
    expect(sketch(front)).toEqual([`code-block: ${note}`]);
    expect(sketch("---\r\ndate: 2026-11-26\r\n...\r\n- a")).toEqual([
      "bullets: a // date: 2026-11-26",
    ]);
  });

  test.each([
    ["---\nplain text\n---\nmore", ["bullets: ---", "h2: plain text", "  bullets: more"]],
    ["---\na: b\nno field\n", ["bullets: ---", "bullets: a: b no field"]],
    ["---\na: b\n", ["bullets: ---", "bullets: a: b"]],
    ["---\n---\n", ["bullets: ---", "bullets: ---"]],
    ["text\n\n---\na: b\n---", ["bullets: text", "bullets: ---", "h2: a: b"]],
    [`---\n${"a: b\n".repeat(201)}---`, ["bullets: ---", `h2: ${"a: b ".repeat(201).trim()}`]],
  ])("[F8] what only begins like front matter is text: %j", (markdown, expected) => {
    expect(sketch(markdown)).toEqual(expected);
  });

  test("[F5] an unclosed fence runs to the end, an empty item is a node", () => {
    expect(sketch("-\n  - a\n-\n```\ncode\n- x")).toEqual([
      "bullets: ",
      "  bullets: a",
      "bullets: ",
      "code-block: code⏎- x",
    ]);
  });
});

/** What markdown can hold of a node. */
function inMarkdown({ depth, layout: kept, name, note, completedAt }: OutlineEntry): OutlineEntry {
  const isCompleted = completedAt !== undefined;
  const layout = shownLayout(kept);
  return {
    depth,
    layout: isCompleted && layout === "bullets" ? "todo" : layout,
    name,
    ...(note !== undefined && { note }),
    ...(isCompleted && { completedAt: "unknown" }),
  };
}

test("[F5, X43, X44] pictures and links without text keep their addresses", () => {
  const at = (address: string, text = address): string => `<a href="${address}">${text}</a>`;
  const [one, two] = ["https://x.y/one.png", "https://x.y/two"];
  expect(
    sketch(`![](${one})

a ![](${one}) end

- [](${two})
- ![alt](${one})
- see <${two}>, or \\<${two}>
- [![badge](${one})](${two})
  > ![](${one})
- \\![no picture](${two}) and !\\[text](${two})
- ![inline](data:image/png;base64,eA==)
- ![[vault.png]]
`),
  ).toEqual([
    `bullets: ${at(one)}`,
    `bullets: a ${at(one)} end`,
    `bullets: ${at(two)}`,
    `bullets: ${at(one, "alt")}`,
    `bullets: see ${at(two)}, or &lt;${two}&gt;`,
    `bullets: ${at(two, "badge")} // ${at(one)}`,
    `bullets: !${at(two, "no picture")} and ![text](${two})`,
    "bullets: inline",
    "bullets: ![[vault.png]]",
  ]);
});

test("[F5, X31] code keeps its tabs, below items too", () => {
  const markdown = "- a\n  ```go\n  func() {\n  \tx\ty\n  }\n  ```\n\n\tone\n\t\ttwo\n";
  const entries = entriesOf(markdown);
  expect(entries.map(({ layout, name }) => [layout, name])).toEqual([
    ["bullets", "a"],
    ["code-block", "func() {\n\tx\ty\n}"],
    ["bullets", "one two"],
  ]);
  expect(entriesOf("text\n\n\tone\n\t\ttwo\n")[1]).toMatchObject({ name: "one\n\ttwo" });
});

describe("markdown export", () => {
  test("[F5] what only looks like a picture, or a link in angles, is read back as text", () => {
    const link = '<a href="https://x.y">a</a>';
    const names = [
      "![a](https://x.y)",
      "![](data:x)",
      "[](https://x.y)",
      "&lt;https://x.y&gt;",
      `Look!${link}`,
      `<b>Look!${link}</b>`,
      `<a href="https://x.y/z">!</a>${link}`,
      '<a href="https://x.y/a_(b)">https://x.y/a_(b)</a>',
      '<a href="https://x.y/[a]*b*">https://x.y/[a]*b*</a>',
    ];
    const entries = names.map((name) => ({ depth: 0, name, layout: "bullets" as const }));
    const markdown = [...markdownOfEntries(placed(entries))].join("");
    expect(entriesOf(markdown)).toEqual(entries);
    expect(markdown.split("\n").slice(0, 5)).toEqual([
      "- !\\[a](https://x.y)",
      "- !\\[](data:x)",
      "- \\[](https://x.y)",
      "- &lt;https://x.y&gt;",
      "- Look\\![a](https://x.y)",
    ]);
  });

  test("[F5] is read back as it was", () => {
    fc.assert(
      fc.property(arbitraryEntries, (entries) => {
        const markdown = [...markdownOfEntries(placed(entries))].join("");
        expect(entriesOf(markdown), markdown).toEqual(entries.map(inMarkdown));
      }),
      { numRuns: 500 },
    );
  });

  test("[F5] keeps an entity behind an address whole", () => {
    const name = 'http://a.b/c*&amp;<a href="https://example.org/*x*">-</a>';
    const entries = [{ depth: 0, layout: "bullets", name }] as const;
    expect(entriesOf([...markdownOfEntries(placed(entries))].join(""))).toEqual(entries);
  });

  test("[F5] shows headings as headings where they can stand, and lists below them", () => {
    const entry = (depth: number, layout: Layout, name: string): OutlineEntry => ({
      depth,
      layout,
      name,
    });
    const entries = [
      entry(0, "bullets", "before"),
      entry(0, "h1", "Title"),
      entry(1, "bullets", "one"),
      entry(2, "todo", "two"),
      entry(1, "h2", "In the way"),
      entry(1, "bullets", "three"),
      entry(1, "h2", "Section"),
      { ...entry(2, "quote-block", "q"), note: "n" },
      entry(2, "code-block", "a\n\n``` b"),
      entry(0, "h1", "End"),
    ];
    expect([...markdownOfEntries(placed(entries))].join("")).toBe(`- before

# Title

- one
  - [ ] two
- ## In the way
- three

## Section

- > q
  >
  > n
- \`\`\`\`
  a

  \`\`\` b
  \`\`\`\`

# End
`);
  });
});

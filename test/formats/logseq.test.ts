import { describe, expect, test } from "vitest";
import type { NodeKey } from "../../src/core/node-key.ts";
import { richTextOfHtml } from "../../src/core/text/html.ts";
import { plainText } from "../../src/core/text/rich-text.ts";
import { MarkdownImport, type MarkdownSource } from "../../src/formats/markdown-import.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { readAll } from "./read-outline.ts";

const LIMITS = { maxNodes: 100_000, maxDepth: 100, maxTextBytes: 100_000 };
const ID = "6733a1f0-1111-4222-8333-aabbccddeeff";

/** Keys `k1` and so on, shorter than real ones. */
function counting(): MarkdownSource {
  let count = 0;
  return { newKey: () => `k${++count}` as NodeKey };
}

function entriesOf(text: string, source: MarkdownSource = counting()): readonly OutlineEntry[] {
  const result = readAll(new MarkdownImport(LIMITS, source), text);
  if (result.kind === "broken") throw new Error(`${result.place}: ${result.reason}`);
  return result.entries;
}

/** Each line with its depth, its key before and its note behind it. */
function sketch(text: string, source?: MarkdownSource): string[] {
  return entriesOf(text, source).map(({ depth, key, layout, name, note, completedAt }) =>
    [
      `${depth} `,
      key === undefined ? "" : `${key} `,
      name,
      layout === "bullets" ? "" : ` [${layout}]`,
      completedAt === undefined ? "" : " done",
      note === undefined ? "" : ` // ${note.replaceAll("\n", "⏎")}`,
    ].join(""),
  );
}

describe("a list of Logseq", () => {
  test("[F11] has tasks, notes, code and properties of the page", () => {
    const text = `title:: Garden
tags:: home

- TODO sow ^^beans^^
  collapsed:: true
  SCHEDULED: <2026-11-25 Wed 10:00 .+1w>
\t- DONE dig
\t  :LOGBOOK:
\t  CLOCK: [2026-11-01 Sun 10:00:00]
\t  :END:
\t  owner:: me
\t- # Tools
\t  \`\`\`js
\t  - TODO x
\t    a:: b

\t  \`\`\`
-
- plain`;
    const date =
      '<time startYear="2026" startMonth="11" startDay="25" startHour="10" startMinute="0">Wed, Nov 25, 2026 at 10:00am</time>';
    expect(sketch(text)).toEqual([
      `0 sow <mark>beans</mark> [todo] // title:: Garden⏎tags:: home⏎SCHEDULED: ${date} (.+1w)`,
      "1 dig [todo] done // owner:: me",
      "1 Tools [h1]",
      "2 - TODO x\n  a:: b\n [code-block]",
      "0 ",
      "0 plain",
    ]);
  });

  test("[F11] links to the one line of a name, and to a block by its id", () => {
    const text = `- Garden
  kind:: place
- ask **Ben** & co
  id:: ${ID}
- see [[garden]], ((${ID.toUpperCase()})) and [that one]([[Garden]])
  again [[Garden]]
- *[[Garden]]* \`[[Garden]]\` [[nobody]] #[[Garden]]
- twice
- Twice
- [[twice]] ((${ID.replace("6", "7")}))`;
    expect(sketch(text)).toEqual([
      "0 k1 Garden // kind:: place",
      "0 k2 ask <b>Ben</b> &amp; co",
      '0 see <a href="#/k1">garden</a>, <a href="#/k2">ask Ben &amp; co</a> and that one (<a href="#/k1">Garden</a>) // again <a href="#/k1">Garden</a>',
      '0 <i><a href="#/k1">Garden</a></i> <code>[[Garden]]</code> [[nobody]] #<a href="#/k1">Garden</a>',
      "0 twice",
      "0 Twice",
      `0 [[twice]] ((${ID.replace("6", "7")}))`,
    ]);
    expect(sketch("- a\n- [[a]]\n  collapsed:: true", {})).toEqual(["0 a", "0 [[a]]"]);
  });

  test("[F11] is told from other lists: an export may say TODO, brackets and colons", () => {
    const own = "- TODO a\n  - DONE [[b]]\n    > key:: value\n- b\n  ```\n  std:: x\n  ```";
    expect(sketch(own)).toEqual([
      "0 TODO a",
      "1 DONE [[b]] // key:: value",
      "0 b",
      "1 std:: x [code-block]",
    ]);
    expect(sketch("- TODO a\n- b", { isPasted: true })).toEqual(["0 a [todo]", "0 b"]);
    expect(sketch("- TODO a\n\t- DONE b")).toEqual(["0 a [todo]", "1 b [todo] done"]);
    expect(sketch("- TODO a\n\t- b\n\ntext")).toEqual(["0 TODO a", "1 b", "0 text"]);
    expect(sketch("- a:: b\n- std::x")).toEqual(["0 a:: b", "0 std::x"]);
    expect(sketch("a:: b")).toEqual(["0 a:: b"]);
  });

  test("[F2, F11] says the line of what is too long", () => {
    const text = `- a\n  collapsed:: true\n- ${"b".repeat(LIMITS.maxTextBytes + 1)}`;
    expect(readAll(new MarkdownImport(LIMITS, counting()), text)).toMatchObject({
      kind: "broken",
      place: "line 3",
    });
  });

  test("[F3] is read in linear time, and grows by its links to no more than a text may have", () => {
    for (const part of [
      "[[",
      "((",
      "[[a]]",
      `((${ID}))`,
      "[a]([[",
      "[a](((",
      "[a](((b)))",
      "DEADLINE: <2026-11-25 ",
    ]) {
      const line = part.repeat(LIMITS.maxTextBytes / 4 / part.length);
      const text = `- ${"n".repeat(50_000)}\n  id:: ${ID}\n- a\n- ${line}\n  ${line}\n`;
      for (const { name, note = "" } of entriesOf(text)) {
        expect(Math.max(name.length, note.length)).toBeLessThanOrEqual(LIMITS.maxTextBytes);
      }
    }
    const blocks = "- [[a]]\n  id:: x\n- a:: ((b))\n\t- TODO c\n".repeat(8_000);
    expect(entriesOf(blocks)).toHaveLength(24_000);
    expect(plainText(richTextOfHtml(entriesOf("- 😀\n  x:: y\n- [[😀]]")[1]?.name ?? ""))).toBe(
      "😀",
    );
  });
});

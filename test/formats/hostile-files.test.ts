import { describe, expect, test } from "vitest";
import { markdownOfEntries } from "../../src/formats/markdown-export.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";
import { OUTLINE_FORMATS } from "../../src/formats/outline-format.ts";
import { readerOf } from "../../src/formats/reader-of.ts";
import { textOfEntries } from "../../src/formats/text-export.ts";
import { placed } from "./placed.ts";
import { readAll } from "./read-outline.ts";

const MIB = 1024 * 1024;
const LIMITS = { maxNodes: 200_000, maxDepth: 10_000, maxTextBytes: MIB };

/** A chain of so many nodes in each format. */
const CHAINS: Record<(typeof OUTLINE_FORMATS)[number], (length: number) => string> = {
  json: (length) => '[{"nm":"x","ch":'.repeat(length) + "[]" + "}]".repeat(length),
  opml: (length) =>
    `<opml><body>${"<outline text='x'>".repeat(length)}${"</outline>".repeat(length)}</body></opml>`,
  // Tabs, or the indentation alone would be gigabytes; past 1,000 levels no line gets longer.
  markdown: (length) => listOf(length, "- x"),
  text: (length) => listOf(length, "x"),
};

function listOf(length: number, item: string): string {
  const lines: string[] = [];
  for (let depth = 0; depth < Math.min(length, 5000); depth++) {
    lines.push("\t".repeat(depth) + item);
  }
  return lines.join("\n");
}

/** One name of so many characters in each format. */
const NAMES: Record<(typeof OUTLINE_FORMATS)[number], (name: string) => string> = {
  json: (name) => JSON.stringify([{ name }]),
  opml: (name) => `<opml><body><outline text="${name}"/></body></opml>`,
  markdown: (name) => `- ${name}`,
  text: (name) => name,
};

describe.each(OUTLINE_FORMATS)("a hostile %s file", (format) => {
  test("[F3] that is 100,000 levels deep is refused", () => {
    const limits = { ...LIMITS, maxDepth: 4000 };
    const result = readAll(readerOf(format, limits), CHAINS[format](100_000));
    expect(result).toMatchObject({
      kind: "broken",
      reason: expect.stringMatching(/^more than \d+ levels/),
    });
  });

  test("[F3] that is 5,000 levels deep is read", () => {
    const result = readAll(readerOf(format, LIMITS), CHAINS[format](5000));
    expect(result.kind === "read" && result.entries.map(({ depth }) => depth)).toEqual(
      Array.from({ length: 5000 }, (_, depth) => depth),
    );
  });

  test("[F3] with a line of 1 MB is read, with one of 2 MB it is refused", () => {
    expect(readAll(readerOf(format, LIMITS), NAMES[format]("x".repeat(MIB)))).toEqual({
      kind: "read",
      entries: [{ depth: 0, name: "x".repeat(MIB), layout: "bullets" }],
    });
    expect(readAll(readerOf(format, LIMITS), NAMES[format]("x".repeat(2 * MIB)))).toMatchObject({
      kind: "broken",
      place: format === "json" ? "node 1" : "line 1",
    });
  });
});

describe("hostile JSON", () => {
  const read = (text: string, maxNodes = LIMITS.maxNodes) =>
    readAll(readerOf("json", { ...LIMITS, maxNodes }), text);

  test("[F3, Q75] brackets are counted before they are parsed, those in texts are not", () => {
    const levels = "more than 20004 levels of brackets";
    expect(read("[".repeat(20_005))).toEqual({ kind: "broken", reason: levels });
    const pairs = "more than 1600 pairs of brackets";
    expect(read(`[${"{},".repeat(1600)}{}]`, 100)).toEqual({ kind: "broken", reason: pairs });
    expect(read(`[${"[],".repeat(1600)}[]]`, 100)).toEqual({ kind: "broken", reason: pairs });
    const name = `\\"${"[{".repeat(20_005)}\\\\`;
    expect(read(`[{"name":"${name}"}]`, 100)).toMatchObject({ kind: "read" });
  });

  test("[F3] a number of a million digits is read", () => {
    const entries = [{ depth: 0, name: "a", layout: "bullets" }];
    const text = `[{"name":"a","priority":${"9".repeat(MIB)}}]`;
    expect(read(text)).toEqual({ kind: "read", entries });
  });

  test("[F3] members that every object inherits say nothing", () => {
    const inherited = '"__proto__":{"nm":"b","name":"b"},"constructor":{"name":"b"}';
    const entries = [{ depth: 0, name: "a", layout: "bullets" }];
    expect(read(`[{"name":"a",${inherited}}]`)).toEqual({ kind: "read", entries });
    expect(read(`[{${inherited}}]`)).toEqual({
      kind: "read",
      entries: [{ ...entries[0], name: "" }],
    });
  });
});

describe("hostile markdown", () => {
  // Quadratic work on any of these would take longer than a test may.
  test.each([
    ..."* _ ` [ ] ( ) < > & ~ ! # - + | = \\ \t".split(" "),
    ..."- |* |> |1. |# |[x] |[](|`` |<b>|</b>|<!--|-->|\\`|a#| #|**a|~~|&amp;|[2026-01-01]".split(
      "|",
    ),
    " ",
    "```",
    "- - ",
    "==",
    "==a ",
    "==<b>== ",
    "<summary>",
    "<details>",
    "<!-- c -->",
    "<!-- c --> x ",
    "^^a==b^^ ",
    "[a](http://b) ",
  ])(
    "[F3] a long line of %j is read in linear time",
    (part) => {
      const line = part.repeat(Math.floor(MIB / 16 / part.length));
      for (const text of [
        line,
        `- ${line}`,
        `# ${line}x`,
        `> ${line}x`,
        `x${line}\n${line}x`,
        `${line}\u2028x`,
      ]) {
        const result = readAll(readerOf("markdown", LIMITS), text);
        expect(result.kind).toBe("read");
      }
    },
    45_000,
  );

  test("[F3] runs of backticks that nothing closes are read in linear time", () => {
    const runs = Array.from({ length: 4000 }, (_, index) => "`".repeat(index + 1));
    const result = readAll(readerOf("markdown", LIMITS), `\\* ${runs.join(" ")}`);
    expect(result).toMatchObject({ kind: "broken", reason: expect.stringMatching(/^a name of/) });
  }, 20_000);

  test("[F3] a hundred thousand short lines of every kind are read", () => {
    const lines = [
      "- a",
      "  - b",
      "> q",
      "",
      "```",
      "x",
      "```",
      "# h",
      "text",
      "<!-- c -->",
      "    x",
      "<details><summary>s</summary>",
      "</details>",
    ];
    const text = Array.from({ length: 100_000 }, (_, index) => lines[(index * 7) % 13]).join("\n");
    expect(readAll(readerOf("markdown", LIMITS), text).kind).toBe("read");
  });
});

test.each(["markdown", "text"] as const)(
  "[F12] a chain of 3,000 nodes is written as %s with 100 levels, and read back",
  (format) => {
    const chain = Array.from({ length: 3000 }, (_, depth): OutlineEntry => ({
      depth,
      name: "x",
      note: "n",
      layout: "bullets",
    }));
    const write = {
      markdown: () => markdownOfEntries(placed(chain)),
      text: () => textOfEntries(chain),
    };
    const written = [...write[format]()].join("");
    expect(written.length).toBeLessThan(chain.length * 420);
    const result = readAll(readerOf(format, LIMITS), written);
    expect(result.kind === "read" && result.entries).toEqual(
      chain.map((entry) => ({ ...entry, depth: Math.min(entry.depth, 100) })),
    );
  },
);

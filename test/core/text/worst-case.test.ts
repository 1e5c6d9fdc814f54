import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { markdownOfRichText, richTextOfMarkdown } from "../../../src/core/text/markdown.ts";
import { draftsOfName } from "../../../src/core/text/name.ts";
import { draftOfUpdatedName } from "../../support/draft-of-updated-name.ts";
import { plainText } from "../../../src/core/text/rich-text.ts";
import { hunksBetween } from "../../../src/core/text/text-diff.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { htmlOfYText } from "../../../src/core/text/y-text.ts";

/*
 * What these assert is what becomes of the text. Work that grows with the square of its length takes
 * thousands of times as long as what is linear, and with its cube it does not end.
 */
const LENGTH = 1 << 16;

function filled(unit: string): string {
  return unit.repeat(Math.ceil(LENGTH / unit.length)).slice(0, LENGTH);
}

describe("long names that are hard to read", () => {
  test.for([
    "*",
    "[",
    "]",
    "~~",
    "\\",
    "_",
    "[[[[",
    "**a **a ",
    "*a **b ",
    "~~a ~~b ",
    ".*a",
    "[a](",
    "[a](b",
    '[a](u "',
    "[a](u (",
    "![",
    "![a",
    "[![a](",
    "![](",
    "[](",
    "[![](",
    "<https://",
    "<https://e.org ",
    "<mailto:a",
    "http://(",
    "#",
    "[2026-02-30](",
    "==",
    "==a ",
    "==a ^^b ",
    "[==a](b ",
  ])("[X40] %j over and over stays text", (unit) => {
    const text = filled(unit).trim();
    expect(plainText(richTextOfMarkdown(text, "files")) === text).toBe(true);
    expect(plainText(draftOfUpdatedName(text, "bullets", undefined).text) === text).toBe(true);
    expect(plainText(draftsOfName(text, undefined)[0].text) === text).toBe(true);
  });

  test.for(["<", "<b ", '<b a="', "<b a='\"", "&", "&#1", "&amp", "&foo;"])(
    "[X40] %j over and over is escaped",
    (unit) => {
      const text = filled(unit);
      const html = htmlOfRichText(richTextOfHtml(text));
      const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      expect(html === escaped).toBe(true);
      expect(htmlOfRichText(richTextOfHtml(html)) === html).toBe(true);
    },
  );

  test.for(["<b>", "<b><i>", "</b>", '<a href="x">', "<time>"])(
    "[X40] %j over and over is nothing",
    (unit) => {
      expect(richTextOfHtml(unit.repeat(LENGTH / 16))).toEqual([]);
    },
  );

  test.for([
    ["brackets", "[", "", "]"],
    ["parentheses in a link", "[a](https://e.org/", "", ")"],
    ["links", "[", "a", "](b c)"],
    ["pictures", "![", "a", "](b c)"],
  ] as const)("[X40] %s nested without end stay text", ([, opening, inner, closing]) => {
    const depth = LENGTH / 8;
    const text = opening.repeat(depth) + inner + closing.repeat(depth);
    expect(plainText(richTextOfMarkdown(text, "files")) === text).toBe(true);
  });

  test.for([
    ["[X40] links", "[](https://e.org)", "https://e.org"],
    ["[X40] pictures", "![](https://e.org)", "https://e.org"],
    ["[X40] pictures in links", "[![a](https://e.org)](https://e.org)", "a"],
    ["[X40] pictures in brackets", "[![a](https://e.org)", "[a"],
    ["[X40] addresses in angles", "<https://e.org>", "https://e.org"],
    ["[X40] contents", "![](data:x)", ""],
  ] as const)("%s over and over are what each of them is", ([, unit, shown]) => {
    const count = LENGTH / 32;
    const read = plainText(richTextOfMarkdown(unit.repeat(count), "files"));
    expect(read === shown.repeat(count)).toBe(true);
  });

  test("[X40] pictures in pictures, and a link around very many", () => {
    const count = LENGTH / 16;
    const nested = `${"![a".repeat(count)}${"](https://e.org)".repeat(count)}`;
    const inner = "![a](https://e.org)";
    const read = plainText(richTextOfMarkdown(nested, "files"));
    expect(read.startsWith(`${"![a".repeat(count - 1)}a](https://e.org)`)).toBe(true);
    const around = `${"[".repeat(count)}${inner.repeat(count)}](https://e.org)`;
    expect(
      plainText(richTextOfMarkdown(around, "files")) === "[".repeat(count - 1) + "a".repeat(count),
    ).toBe(true);
  });

  test("[X40] runs of backticks of every length", () => {
    const runs = Array.from({ length: 1400 }, (_, index) => "`".repeat(index + 1)).join(" ");
    expect(plainText(richTextOfMarkdown(runs)) === runs).toBe(true);
  });

  test("[X40] ten thousand words in bold are ten thousand words in bold", () => {
    const read = richTextOfMarkdown("**word** ".repeat(10_000).trim());
    expect(read.length).toBe(19_999);
    expect(read[19_998]).toEqual({ insert: "word", attributes: { b: true } });
  });

  test("[X40] the work for emphasis has an end, and what comes after it stays as it is", () => {
    const start = "*a* **b** ";
    const hard = ".*a".repeat(LENGTH / 4);
    const html = htmlOfRichText(richTextOfMarkdown(`${start}${hard} **c**`));
    expect(html.startsWith("<i>a</i> <b>b</b> .*a.*a")).toBe(true);
    expect(html.endsWith(".*a **c**")).toBe(true);
  });

  test("[X40] emphasis deeper than six stays as it is written", () => {
    const deep = `${"*a ".repeat(8)}x${" a*".repeat(8)}`;
    expect(htmlOfRichText(richTextOfMarkdown(deep))).toBe(
      "<i>a a a a a a *a *a x a* a* a a a a a a</i>",
    );
  });

  test("[X40] markdown is written for what is hard to read", () => {
    for (const unit of ["*a", "`a", "[a](b) ", "&"]) {
      const text = [{ insert: filled(unit) }];
      expect(plainText(richTextOfMarkdown(markdownOfRichText(text))) === text[0]?.insert).toBe(
        true,
      );
    }
  });
});

describe("differences of long texts", () => {
  test("[X34] two texts with nothing in common are one replacement", () => {
    const words = (offset: number): string =>
      Array.from({ length: 50_000 }, (_, index) => `${(index * 7919 + offset) % 65_537}`).join(" ");
    const hunks = hunksBetween(`a${words(1)}z`, `b${words(30_000)}y`);
    expect(hunks.length).toBe(1);
  });

  test("[X34] two small edits far apart in a long text are two small differences", () => {
    const words = Array.from({ length: 100_000 }, (_, index) => `w${index}`);
    const changed = words.with(10, "first").with(99_990, "second");
    const [old, now] = [words.join(" "), changed.join(" ")];
    const found = hunksBetween(old, now).map(({ from, to, start, end }) => [
      old.slice(from, to),
      now.slice(start, end),
    ]);
    expect(found).toEqual([
      ["w10", "first"],
      ["w99990", "second"],
    ]);
  });

  test("[X34] of very many words it is not asked which of them differ", () => {
    const signs = "a &".repeat(300_000);
    const hunks = hunksBetween(`one ${signs} two`, `three ${signs} four`);
    expect(hunks.length).toBe(1);
    const fewer = "a &".repeat(80_000);
    expect(hunksBetween(`one ${fewer} two`, `three ${fewer} four`).length).toBe(2);
  });

  test("[X34] a note of 1 MiB is written, changed and read", () => {
    const text = new Y.Doc().getText();
    const lines = Array.from({ length: 40_000 }, (_, index) =>
      index % 10 === 0 ? `line ${index} of <b>many</b> more\n` : `line ${index} of many more\n`,
    );
    writeRichText(text, richTextOfHtml(lines.join("")));
    const html = lines.with(20_000, "another <i>line</i>\n").join("");
    expect(writeRichText(text, richTextOfHtml(html))).toBe(true);
    expect(htmlOfYText(text) === html).toBe(true);
  });
});

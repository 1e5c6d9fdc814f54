import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { entityText } from "../../../src/core/text/entity.ts";
import { allowedHref, MAX_HREF_LENGTH } from "../../../src/core/text/href.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { markdownOfRichText, richTextOfMarkdown } from "../../../src/core/text/markdown.ts";
import { longestWritten } from "../../../src/core/text/render.ts";
import { plainText, type RichText, type Run } from "../../../src/core/text/rich-text.ts";
import { MAX_MARKS, marksOf, withinMarks } from "../../../src/core/text/text-limits.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { htmlOfYText, readRichText } from "../../../src/core/text/y-text.ts";

/** So many runs that each differ from their neighbours. */
function alternating(count: number): RichText {
  return Array.from({ length: count }, (_, index): Run =>
    index % 2 === 0 ? { insert: "a", attributes: { b: true } } : { insert: "c" },
  );
}

function marksIn(text: Y.Text): number {
  let marks = 0;
  for (let item = text._start; item !== null; item = item.right) {
    if (!item.deleted && item.content instanceof Y.ContentFormat) marks += 1;
  }
  return marks;
}

describe("how many formats a text is written with", () => {
  test("[Q30] those behind the last that it may have are left out, their text is not", () => {
    const most = alternating(MAX_MARKS);
    expect(withinMarks(most)).toBe(most);
    const more = alternating(MAX_MARKS + 10);
    const bounded = withinMarks(more);
    expect(marksOf(bounded)).toBeLessThanOrEqual(MAX_MARKS);
    expect(plainText(bounded)).toBe(plainText(more));
    const text = new Y.Doc().getText();
    writeRichText(text, more);
    expect(marksIn(text)).toBeLessThanOrEqual(MAX_MARKS);
    expect(plainText(readRichText(text))).toBe(plainText(more));
    expect(writeRichText(text, more)).toBe(false);
  });

  test("[Q30] formats in each other count each", () => {
    const runs = Array.from({ length: 3_000 }, (_, index): Run => ({
      insert: "x",
      attributes: { b: true, i: true, s: true, u: true, a: `https://e.org/${index}` },
    }));
    expect(marksOf(withinMarks(runs))).toBeLessThanOrEqual(MAX_MARKS);
  });
});

describe("reading formats", () => {
  test("[Q31] of unknown formats those of the first eight names of a text are read", () => {
    const text = new Y.Doc().getText();
    text.insert(
      0,
      "x",
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, true])),
    );
    text.insert(1, "y", { b: true, x499: "late" });
    const [first, second] = readRichText(text);
    expect(Object.keys(first?.attributes ?? {}).length).toBe(8);
    expect(
      Object.keys(second?.attributes ?? {}).filter((key) => key.length > 1).length,
    ).toBeLessThan(9);
    expect(second?.attributes?.["b"]).toBe(true);
    expect(htmlOfYText(text)).toBe("x<b>y</b>");
  });

  test("[Q31] a stored text with too many of them is written anew, without them", () => {
    const text = new Y.Doc().getText();
    const formats = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, true]));
    for (let index = 0; index < 50; index += 1) text.insert(0, `word${index} `, formats);
    const wanted = richTextOfHtml("<b>other</b> text and <i>more</i>");
    expect(writeRichText(text, wanted)).toBe(true);
    expect(readRichText(text)).toEqual(wanted);
    expect(marksIn(text)).toBe(4);
  });

  test("[Q31] equal formats are one object, wherever they stand", () => {
    const text = new Y.Doc().getText();
    writeRichText(text, alternating(1_000));
    const objects = new Set(readRichText(text).map(({ attributes }) => attributes));
    expect(objects.size).toBe(2);
  });

  test("[X21] formats that were opened in another order are other ones", () => {
    const html = "<b><i>x</i></b> <i><b>y</b></i>";
    const text = new Y.Doc().getText();
    writeRichText(text, richTextOfHtml(html));
    expect(htmlOfYText(text)).toBe(html);
  });
});

/** Written no longer than it may be, and the same when it is read and written again. */
function expectBounded(text: RichText): void {
  const html = htmlOfRichText(text);
  expect(html.length).toBeLessThanOrEqual(longestWritten(plainText(text).length));
  expect(htmlOfRichText(richTextOfHtml(html)) === html).toBe(true);
  const markdown = markdownOfRichText(text);
  expect(markdown.length).toBeLessThanOrEqual(longestWritten(plainText(text).length));
  expect(htmlOfRichText(richTextOfMarkdown(markdown)) === html).toBe(true);
}

describe("how long a text gets by being written", () => {
  test.for([
    ["an entity of 60,000 digits", "A", `&#${"0".repeat(60_000)}65;`, 10_000],
    ["the longest way to write a letter", "A", "&#00000065;", 10_000],
    // More than the markup that any text may have.
    ["the longest name of a sign", "`", "&DiacriticalGrave;", 2 ** 18 + 1],
    ["an entity that people use", "\u00a0", "&nbsp;", 10_000],
  ] as const)("[Q33] %s", ([, insert, e, count]) => {
    expectBounded([{ insert: insert.repeat(count), attributes: { e } }]);
    expectBounded([{ insert: insert.repeat(10_000), attributes: { b: true, e } }]);
  });

  test("[Q33] signs that are escaped", () => {
    expectBounded([{ insert: "&".repeat(2 ** 16) }]);
    expectBounded([{ insert: "*&".repeat(2 ** 13), attributes: { i: true } }]);
  });

  test("[Q33] addresses that are written again wherever a format around them ends", () => {
    const around = ["b", "i", "s", "u"];
    const runs: Run[] = [];
    for (let link = 0; link < 60; link += 1) {
      const a = `https://e.org/${link}${'"'.repeat(4_000)}`;
      for (const [index, count] of [4, 4, 3, 2, 1, 0].entries()) {
        const styles = around.slice(0, count).map((name) => [name, true] as const);
        const attributes = { ...Object.fromEntries(styles), ...(index > 0 && { a }) };
        runs.push({ insert: "x", attributes });
      }
    }
    expectBounded(runs);
    expect(htmlOfRichText(runs) === "x".repeat(360)).toBe(true);
    expect(htmlOfRichText(runs.slice(0, 6)).split("<a href=").length).toBe(6);
  });

  test("[Q33, X18] an entity has at most eight digits", () => {
    expect(entityText("&#00000065;")).toBe("A");
    expect(entityText("&#x0000041;")).toBe("A");
    expect(entityText("&#000000065;")).toBeUndefined();
    expect(entityText("&#x000000041;")).toBeUndefined();
    expect(htmlOfRichText(richTextOfHtml("&#000000065;"))).toBe("&amp;#000000065;");
  });

  test("[Q33, X14] an address has at most 4,096 characters", () => {
    const start = "https://e.org/";
    const longest = start + "x".repeat(MAX_HREF_LENGTH - start.length);
    expect(allowedHref(longest)).toBe(longest);
    expect(allowedHref(`${longest}x`)).toBeUndefined();
    expect(htmlOfRichText(richTextOfHtml(`<a href="${longest}x">text</a>`))).toBe("text");
    expect(htmlOfRichText([{ insert: "text", attributes: { a: `${longest}x` } }])).toBe("text");
    expect(htmlOfRichText(richTextOfMarkdown(`[text](${longest}x)`))).toBe("text");
  });
});

describe("what others have written into a document", () => {
  test("[X33] control characters and halves of characters don't come out", () => {
    const text = new Y.Doc().getText();
    text.insert(0, "a\u009b31mb\u0000\u001b]c\r\nd\te\ud800");
    expect(htmlOfYText(text)).toBe("a31mb]c\nd e\ufffd");
    text.insert(1, "\u0007", { b: true });
    expect(htmlOfYText(text)).toBe("a31mb]c\nd e\ufffd");
    // Those of a code block come out with its tabs.
    expect(htmlOfYText(text, "kept")).toBe("a31mb]c\nd\te\ufffd");
    expect(markdownOfRichText([{ insert: "a\u009bb" }])).toBe("ab");
    expect(markdownOfRichText([{ insert: "\u009b", attributes: { b: true } }])).toBe("");
  });

  test("[X33] marks of the direction of writing stay", () => {
    const hebrew = "\u2067\u05e9\u05dc\u05d5\u05dd\u2069 abc \u200f";
    expect(htmlOfRichText(richTextOfHtml(hebrew))).toBe(hebrew);
  });

  test.for([
    { classes: "colored scrim", kept: "colored" },
    { classes: "colored notices notice", kept: "colored" },
    { classes: "c-red scrim colored bc-yellow c-red", kept: "c-red colored bc-yellow" },
    { classes: "colored c-scrim bc-dialog", kept: "colored" },
  ])("[X16] of the classes $classes $kept is written", ({ classes, kept }) => {
    for (const name of ["span", "mark"]) {
      const html = `<${name} class="${kept}">x</${name}>`;
      expect(htmlOfRichText([{ insert: "x", attributes: { [name]: classes } }])).toBe(html);
      expect(htmlOfRichText(richTextOfHtml(`<${name} class="${classes}">x</${name}>`))).toBe(html);
    }
  });
});

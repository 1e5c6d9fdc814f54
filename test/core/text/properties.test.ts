import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLayout, LAYOUTS } from "../../../src/core/node/layout.ts";
import { entityText } from "../../../src/core/text/entity.ts";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import { markdownOfRichText, richTextOfMarkdown } from "../../../src/core/text/markdown.ts";
import { draftsOfName } from "../../../src/core/text/name.ts";
import { draftOfUpdatedName } from "../../support/draft-of-updated-name.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";
import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import { hostileText, richText } from "./arbitrary-text.ts";
import { runs } from "../../support/runs.ts";

const RUNS = { numRuns: runs(160, 500) };

const TAG =
  /<(?:\/?(?:b|i|s|u|code)|\/(?:a|span|mark|time)|mark|a href="(?:https?:\/\/|mailto:|#\/)[^"<>\n]*"|(?:span|mark) class="[\w -]*\bcolored\b[\w -]*"|time startYear="[1-9]\d{3}" startMonth="[1-9]\d?" startDay="[1-9]\d?"(?: startHour="\d\d?" startMinute="\d\d?")?)>/g;

/** What a fragment must look like, found out in another way than it is written. */
function expectSafe(html: string): void {
  const open: string[] = [];
  for (const [tag] of html.matchAll(TAG)) {
    const name = /[a-z]+/.exec(tag)?.[0] ?? "";
    if (tag.startsWith("</")) expect(open.pop()).toBe(name);
    else open.push(name);
  }
  expect(open).toEqual([]);
  const rest = html.replace(TAG, "");
  expect(rest).not.toMatch(/[<>]/);
  for (const [entity] of html.matchAll(/&[^;]*;?/g)) expect(entityText(entity)).toBeDefined();
  expect(html).not.toMatch(/(?!\n)[\p{Cc}\p{Cs}]/u);
}

function expectCanonical(text: RichText): void {
  for (const [index, { insert, attributes }] of text.entries()) {
    expect(insert).not.toBe("");
    expect(attributes).not.toEqual({});
    if (index > 0) expect(attributes ?? {}).not.toEqual(text[index - 1]?.attributes ?? {});
  }
}

describe("any string", () => {
  test("[X17, X40] is read without a failure and written with allowed tags only", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const ofFile = (line: string) => richTextOfMarkdown(line, "files");
        for (const read of [richTextOfHtml, richTextOfMarkdown, ofFile, richTextOfNote]) {
          const runs = read(text);
          expectCanonical(runs);
          expectSafe(htmlOfRichText(runs));
        }
      }),
      RUNS,
    );
  });

  test("[X20] is stored as a fragment that is read and written the same", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const read of [richTextOfHtml, richTextOfMarkdown]) {
          const runs = read(text);
          const html = htmlOfRichText(runs);
          expect(richTextOfHtml(html)).toEqual(runs);
          expect(htmlOfRichText(richTextOfHtml(html))).toBe(html);
        }
      }),
      RUNS,
    );
  });

  test("[X18] keeps its valid entities and its characters", () => {
    const entity = fc.constantFrom(
      "&copy;",
      "&nbsp;",
      "&#39;",
      "&#x1F600;",
      "&quot;",
      "&amp;",
      "&lt;",
    );
    const parts = fc.array(fc.oneof(entity, fc.constantFrom("a", " ", "&", "<", "amp;", "#")));
    fc.assert(
      fc.property(parts, (all) => {
        const text = all.join("");
        const html = htmlOfRichText(richTextOfHtml(text));
        const valid = /&(?:copy|nbsp|#39|#x1F600|quot|amp|lt);/g;
        const escaped = (rest: string): string =>
          rest.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        const kept = text.match(valid) ?? [];
        const expected = text
          .split(valid)
          .map((rest, index) => escaped(rest) + (kept[index] ?? ""))
          .join("");
        expect(html).toBe(expected);
      }),
      RUNS,
    );
  });

  test("[X31, X33] makes names that are trimmed and hold no control character", () => {
    fc.assert(
      fc.property(
        hostileText,
        fc.option(fc.constantFrom(...LAYOUTS), { nil: undefined }),
        (name, layout) => {
          const drafts = draftsOfName(name, layout);
          const updated = draftOfUpdatedName(name, "bullets", layout);
          for (const draft of [...drafts, updated]) {
            const isCode = draft.layout === "code-block";
            const plain = plainText(draft.text);
            expect(plain).not.toMatch(isCode ? /(?![\t\n])[\p{Cc}\p{Cs}]/u : /[\p{Cc}\p{Cs}]/u);
            const edges = [draft.text[0], draft.text.at(-1)];
            if (!isCode && edges.every((run) => run?.attributes?.["e"] === undefined)) {
              expect(plain.replace(/^[ \n]+|[ \n]+$/g, "")).toBe(plain);
            }
            if (draft.layout !== undefined) expect(isLayout(draft.layout)).toBe(true);
            expectSafe(htmlOfRichText(draft.text));
            if (!isCode) continue;
            const html = htmlOfRichText(draft.text, "kept");
            expect(richTextOfHtml(html, "code")).toEqual(draft.text);
          }
        },
      ),
      RUNS,
    );
  });
});

describe("any text", () => {
  test("[X20, X38] is written as a safe fragment that shows the same", () => {
    fc.assert(
      fc.property(richText, (text) => {
        const html = htmlOfRichText(text);
        expectSafe(html);
        expect(richTextOfHtml(html)).toEqual(text);
      }),
      RUNS,
    );
  });

  test("[X41] survives markdown", () => {
    fc.assert(
      fc.property(richText, (text) => {
        expect(richTextOfMarkdown(markdownOfRichText(text))).toEqual(text);
      }),
      RUNS,
    );
  });

  test("[X41] read from any markdown survives markdown", () => {
    fc.assert(
      fc.property(hostileText, (markdown) => {
        const text = richTextOfMarkdown(markdown);
        expect(richTextOfMarkdown(markdownOfRichText(text))).toEqual(text);
      }),
      RUNS,
    );
  });

  test("[X38] with arbitrary format values is written safely", () => {
    const values = fc.dictionary(
      fc.constantFrom("b", "i", "a", "d", "mark", "span", "e", "code", "x", "__proto__"),
      fc.oneof(fc.constant(true as const), hostileText),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(hostileText, values)), (runs) => {
        const clean = runs.map(([insert, attributes]) => ({
          insert: insert.replace(/(?!\n)[\p{Cc}\p{Cs}]/gu, ""),
          attributes,
        }));
        expectSafe(htmlOfRichText(clean));
      }),
      RUNS,
    );
  });
});

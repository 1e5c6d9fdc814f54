import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import { hunksBetween } from "../../../src/core/text/text-diff.ts";
import { writeRichText } from "../../../src/core/text/write-rich-text.ts";
import { htmlOfYText, readRichText } from "../../../src/core/text/y-text.ts";
import { richText } from "./arbitrary-text.ts";
import { runs } from "../../support/runs.ts";

const RUNS = { numRuns: runs(100, 300) };

function textOf(runs: RichText): Y.Text {
  const text = new Y.Doc().getText();
  writeRichText(text, runs);
  return text;
}

/** No item holds half of a surrogate pair. */
function expectWholePairs(text: Y.Text): void {
  for (let item = text._start; item !== null; item = item.right) {
    if (item.content instanceof Y.ContentString) expect(item.content.str).not.toMatch(/\p{Cs}/u);
  }
}

/** A text and what someone made of it: words changed, taken away and added. */
const edited = fc.tuple(richText, richText, richText).map(([a, b, c]) => ({
  before: [...a, ...b],
  after: [...a.slice(0, 2), ...c, ...b.slice(1)],
}));

function canonical(runs: RichText): RichText {
  return readRichText(textOf(runs));
}

describe("any two texts", () => {
  test("[X34, X35, X37] writing reaches what is wanted, and once more changes nothing", () => {
    fc.assert(
      fc.property(edited, ({ before, after }) => {
        const text = textOf(before);
        const wanted = canonical(after);
        writeRichText(text, wanted);
        expect(readRichText(text)).toEqual(wanted);
        expectWholePairs(text);
        expect(writeRichText(text, wanted)).toBe(false);
      }),
      RUNS,
    );
  });

  test("[X39] the fragment of a written text is the fragment of its runs", () => {
    fc.assert(
      fc.property(richText, (runs) => {
        const text = textOf(runs);
        expect(htmlOfYText(text)).toBe(htmlOfRichText(readRichText(text)));
        expect(htmlOfYText(text)).toBe(htmlOfRichText(runs));
      }),
      RUNS,
    );
  });

  test("[X34] differ in hunks that rebuild the one from the other and change something", () => {
    const word = fc.constantFrom(
      "a",
      "b",
      "c",
      " ",
      "\n",
      ",",
      "日",
      "😀",
      "😁",
      "\ud83c\ude00",
      "ab",
    );
    const words = fc.array(word, { maxLength: 30 }).map((all) => all.join(""));
    fc.assert(
      fc.property(words, words, (old, now) => {
        const hunks = hunksBetween(old, now);
        let [built, at, nowAt] = ["", 0, 0];
        for (const { from, to, start, end } of hunks) {
          expect(old.slice(at, from)).toBe(now.slice(nowAt, start));
          expect(from < to || start < end).toBe(true);
          for (const part of [old.slice(from, to), now.slice(start, end)]) {
            expect(part).not.toMatch(/\p{Cs}/u);
          }
          built += old.slice(at, from) + now.slice(start, end);
          [at, nowAt] = [to, end];
        }
        expect(built + old.slice(at)).toBe(now);
        expect(hunks.length === 0).toBe(old === now);
      }),
      RUNS,
    );
  });
});

describe("typing that races with a write", () => {
  const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
    minLength: 1,
    maxLength: 4,
  });

  /** Types marks that occur nowhere else, each between two whole characters. */
  function type(text: Y.Text, at: readonly number[]): readonly string[] {
    return at.map((place, index) => {
      const characters = Array.from(plainText(readRichText(text)));
      const before = characters.slice(0, Math.floor(place * (characters.length + 1)));
      const mark = String.fromCodePoint(0x2460 + index);
      text.insert(before.join("").length, mark);
      return mark;
    });
  }

  function expectOnce(text: string, marks: readonly string[]): void {
    for (const mark of marks) expect(text.split(mark).length - 1).toBe(1);
  }

  test("[X36] before it, with the base: survives once, and all the rest is as wanted", () => {
    fc.assert(
      fc.property(edited, places, ({ before, after }, at) => {
        const base = canonical(before);
        const wanted = canonical(after);
        const text = textOf(base);
        const marks = type(text, at);
        writeRichText(text, wanted, base);
        const result = plainText(readRichText(text));
        expectOnce(result, marks);
        expect(result.replace(/[\u2460-\u2463]/g, "")).toBe(plainText(wanted));
        expectWholePairs(text);
      }),
      RUNS,
    );
  });

  test("[X34] on another device: survives once, and both devices agree", () => {
    fc.assert(
      fc.property(edited, places, ({ before, after }, at) => {
        const ours = textOf(before);
        const theirDoc = new Y.Doc();
        const theirs = theirDoc.getText();
        const ourDoc = ours.doc ?? theirDoc;
        Y.applyUpdate(theirDoc, Y.encodeStateAsUpdate(ourDoc));
        const wanted = canonical(after);
        const marks = type(theirs, at);
        writeRichText(ours, wanted);
        Y.applyUpdate(theirDoc, Y.encodeStateAsUpdate(ourDoc));
        Y.applyUpdate(ourDoc, Y.encodeStateAsUpdate(theirDoc));
        expect(htmlOfYText(theirs)).toBe(htmlOfYText(ours));
        const result = plainText(readRichText(ours));
        expectOnce(result, marks);
        expect(result.replace(/[\u2460-\u2463]/g, "")).toBe(plainText(wanted));
      }),
      RUNS,
    );
  });

  test("[X36] a write that is sent again with its old base changes nothing more", () => {
    fc.assert(
      fc.property(edited, ({ before, after }) => {
        const base = canonical(before);
        const wanted = canonical(after);
        const text = textOf(base);
        writeRichText(text, wanted, base);
        expect(readRichText(text)).toEqual(wanted);
        expect(writeRichText(text, wanted, base)).toBe(false);
      }),
      RUNS,
    );
  });
});

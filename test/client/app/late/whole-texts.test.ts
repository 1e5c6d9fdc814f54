import fc from "fast-check";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { writeRichText as writeWhole } from "../../../../client/app/late/whole-texts.ts";
import type { RichText } from "../../../../src/core/text/rich-text.ts";
import { writeRichText } from "../../../../src/core/text/write-rich-text.ts";
import { readRichText } from "../../../../src/core/text/y-text.ts";
import { richText } from "../../../core/text/arbitrary-text.ts";

const textOf = (runs: RichText): Y.Text => {
  const text = new Y.Doc().getText();
  writeRichText(text, runs);
  return text;
};

test("[W300] without the comparison of texts a text becomes what the core would make of it", () => {
  fc.assert(
    fc.property(fc.tuple(richText, fc.oneof(richText, fc.constant([]))), ([before, wanted]) => {
      const [whole, compared] = [textOf(before), textOf(before)];
      writeWhole(whole, wanted);
      writeRichText(compared, wanted);
      expect(readRichText(whole)).toEqual(readRichText(compared));
    }),
  );
});

test("[W300] it says whether there was anything to do", () => {
  const text = textOf([{ insert: "one" }, { insert: "two", attributes: { b: true } }]);
  expect([writeWhole(text, []), writeWhole(text, [])]).toEqual([true, false]);
});

import { type RichText, RunBuilder } from "../../../src/core/text/rich-text.ts";

/** What is between two offsets of a text, in UTF-16 units. */
export function sliceOfText(text: RichText, from: number, to = Infinity): RichText {
  const runs = new RunBuilder();
  let at = 0;
  for (const { insert, attributes } of text) {
    runs.add(insert.slice(Math.max(0, from - at), Math.max(0, to - at)), attributes);
    at += insert.length;
  }
  return runs.finish();
}

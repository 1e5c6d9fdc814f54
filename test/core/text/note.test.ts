import { expect, test } from "vitest";
import { htmlOfRichText } from "../../../src/core/text/html-of-rich-text.ts";
import { richTextOfNote } from "../../../src/core/text/note.ts";

test.for([
  ["[X32] HTML", "<b>a</b> <script> & &copy;", "<b>a</b> &lt;script&gt; &amp; &copy;"],
  ["[X32] line breaks", "a\n\n b\r\nc", "a\n\n b\nc"],
  ["[X32] no markdown", "# **a** `b` [c](https://e.org)", "# **a** `b` [c](https://e.org)"],
  ["[X32] no dates", "[2026-08-01]", "[2026-08-01]"],
  ["[X32] a line break in a tag's text", "<i>a\nb</i>", "<i>a\nb</i>"],
  ["[X32] control characters and tabs", "a\u0000\tb", "a b"],
  ["[X32, X42] a line break tag", "a<br>b<br/><br />c", "a\nb\n\nc"],
] as const)("%s: %j", ([, note, html]) => {
  expect(htmlOfRichText(richTextOfNote(note))).toBe(html);
});

test("[X32] an empty note is no text", () => {
  expect(richTextOfNote("")).toEqual([]);
});

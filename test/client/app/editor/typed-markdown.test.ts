import { expect, test } from "vitest";
import { segmentsOf } from "../../../../client/app/editor/segments.ts";
import { typedFormat, typedPrefix } from "../../../../client/app/editor/typed-markdown.ts";

/** The text that a keystroke at the end would format, and how. */
function closed(text: string): string | undefined {
  const found = typedFormat(text, text.length);
  if (found === undefined) return undefined;
  const value = found.value === true ? "" : ` ${found.value}`;
  return `${found.format} ${text.slice(found.text.from, found.text.to)}${value}`;
}

test.each([
  ["a **b**", "b b"],
  ["**b c**", "b b c"],
  ["*i*", "i i"],
  ["(*i*", "i i"],
  ["~~s~~", "s s"],
  ["`c*d`", "code c*d"],
  ["see [t x](https://a.org/b)", "a t x https://a.org/b"],
  ["[t](#/0123456789ab)", "a t #/0123456789ab"],
])("[W8] %s is %s", (text, format) => {
  expect(closed(text)).toBe(format);
});

test.each([
  "**b*",
  "a*b*",
  "2 * 3 *",
  "* i*",
  "*i *",
  "***",
  "****",
  "~s~",
  "~~~~",
  "``",
  "``c`",
  "\\*i*",
  "[t](javascript:alert(1))",
  "[t](no address)",
  "![t](https://a.org)",
  "[](https://a.org)",
  "*a\nb*",
  "",
])("[W8] %j closes nothing", (text) => {
  expect(closed(text)).toBeUndefined();
});

test("[W8] a mark that was opened very long ago is not looked for", () => {
  expect(closed(`*${"a".repeat(1_000)}*`)).toBeDefined();
  expect(closed(`*${"a".repeat(100_000)}*`)).toBeUndefined();
});

test("[W9] prefixes count only from the start up to the caret", () => {
  expect(typedPrefix("# x", 2)).toEqual({ layout: "h1", isCompleted: false, length: 2 });
  expect(typedPrefix("- [x] ", 6)).toEqual({ layout: "todo", isCompleted: true, length: 6 });
  expect([typedPrefix("x# ", 3), typedPrefix("# x", 3), typedPrefix("#", 1)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("[W12] of very many tags the first 200 are shown as such", () => {
  const segments = segmentsOf([{ insert: "#a ".repeat(300) }]);
  expect(segments.filter(({ tag }) => tag !== undefined)).toHaveLength(200);
  expect(segments.map(({ text }) => text).join("")).toBe("#a ".repeat(300));
});

test("[W12] tags begin at a word's start, end before punctuation, and are none in links and code", () => {
  const tags = (text: string): readonly (string | undefined)[] =>
    segmentsOf([{ insert: text }]).flatMap(({ tag }) => tag ?? []);
  expect(tags("#a, (#b) @c. x#d #e-f/g:h! ## @ #日本 #é1 a@b.c &#38;")).toEqual([
    "#a",
    "#b",
    "@c",
    "#e-f/g:h",
    "#日本",
    "#é1",
  ]);
  const link = { insert: "#x", attributes: { a: "https://a.org" } };
  expect(segmentsOf([link])).toEqual([{ text: "#x", formats: link.attributes, tag: undefined }]);
  expect(segmentsOf([{ insert: "a" }, { insert: "#b", attributes: { b: true } }], true)).toEqual([
    { text: "a#b", formats: undefined, tag: undefined },
  ]);
});

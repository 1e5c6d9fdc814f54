import fc from "fast-check";
import { type Formats, type RichText, RunBuilder } from "../../../src/core/text/rich-text.ts";

const FRAGMENTS = [
  "*",
  "**",
  "***",
  "~~",
  "~",
  "`",
  "``",
  "[",
  "]",
  "](",
  "(",
  ")",
  "](https://e.org)",
  "](javascript:x)",
  "[2026-08-01]",
  "[2026-02-30 10:00]",
  "https://e.org/",
  "<b>",
  "</b>",
  "<i>",
  "</i>",
  "<STRONG >",
  "</strong>",
  "<s>",
  "</s>",
  "<u>",
  "</u>",
  "<code>",
  "</code>",
  '<a href="https://e.org/?a&b">',
  "<a href='javascript:alert(1)'>",
  "</a>",
  '<span class="colored c-red">',
  "<span>",
  "</span>",
  "<mark>",
  '<mark class="x">',
  "</mark>",
  '<time startYear="2026" startMonth="8" startDay="1">',
  '<time startYear="2026" startMonth="2" startDay="30">',
  "</time>",
  "<script>",
  "<img src=x onerror=alert(1)>",
  "<b ",
  'title="',
  "'",
  '"',
  "<",
  ">",
  "&",
  ";",
  "&amp;",
  "&lt;",
  "&copy;",
  "&nbsp;",
  "&fjlig;",
  "&#42;",
  "&#0042;",
  "&#1;",
  "&foo;",
  "\\",
  "_",
  "#",
  "- ",
  "> ",
  "- [x] ",
  "```",
  " ",
  "  ",
  "\n",
  "\r\n",
  "\t",
  "\u0000",
  "\u00a0",
  "\ud83d\ude00",
  "\ud83d\ude01",
  "\ud800",
  "\udc00",
  "e\u0301",
  "日本",
  "a",
  "b c",
  "milk",
  "",
];

/** Text in which everything that means something to a reader is likely, in any order. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...FRAGMENTS) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 4 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

const formats: fc.Arbitrary<Formats> = fc.record(
  {
    b: fc.constant(true as const),
    i: fc.constant(true as const),
    s: fc.constant(true as const),
    u: fc.constant(true as const),
    code: fc.constant(true as const),
    a: fc.constantFrom("https://e.org/", 'https://e.org/(a)?b&c="d"', "#/0123456789ab"),
    d: fc.constantFrom("2026-08-01", "2026-12-31 23:59"),
    mark: fc.constantFrom("", "colored bc-blue"),
    span: fc.constant("colored c-red"),
  },
  { requiredKeys: [] },
);

const characters = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "milk ",
    "2% ",
    " ",
    "*",
    "**",
    "~~",
    "`",
    "``",
    "[",
    "](x)",
    "<",
    "&",
    "&copy;",
    ">",
    "http://e.org/*",
    "Sat, Aug 1, 2026",
    "\ud83d\ude00",
    "\ud83d\ude01",
    "日本",
    ".",
  ),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 4 }),
);

const run = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(characters, fc.option(formats, { nil: undefined })) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("©"),
      formats.map((all) => ({ ...all, e: "&copy;" })),
    ),
  },
);

/** Canonical text in all formats. */
export const richText: fc.Arbitrary<RichText> = fc.array(run, { maxLength: 8 }).map((runs) => {
  const builder = new RunBuilder();
  for (const [text, attributes] of runs) builder.add(text, attributes);
  return builder.finish();
});

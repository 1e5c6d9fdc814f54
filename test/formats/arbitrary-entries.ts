import fc from "fast-check";
import { isLayout, type Layout, LAYOUTS } from "../../src/core/node/layout.ts";
import { isReservedKey, type NodeKey } from "../../src/core/node-key.ts";
import { htmlOfRichText } from "../../src/core/text/html-of-rich-text.ts";
import { richTextOfHtml } from "../../src/core/text/html.ts";
import { trimRichText } from "../../src/core/text/rich-text.ts";
import type { OutlineEntry } from "../../src/formats/outline-entry.ts";

/** Texts that mean something in one of the formats. */
const AWKWARD = [
  ..."- |* |+ |# |### |> |1. |12) |[ ] |[x] |[|](|)|*|**|_|~~|~|`|``|```|---|===|==|^^|\\|\\*|!".split(
    "|",
  ),
  ...'<b>|</b>|<details>|</details>|[-] |{{TODO}} |<|>|&|&amp;|&copy;|"|<!--|-->|]]>|<time>|http://a.b/c_d*e*|#tag|@me|é|𝄞|😀|،|C#| #|##'.split(
    "|",
  ),
  " ",
  "word",
  "two words",
];

const plain = fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: "grapheme", maxLength: 6 }));

const tagged = fc.tuple(
  plain,
  fc.constantFrom(
    ["<b>", "</b>"],
    ["<i>", "</i>"],
    ["<s>", "</s>"],
    ["<u>", "</u>"],
    ["<code>", "</code>"],
    ["<mark>", "</mark>"],
    ['<a href="https://example.org/a_(b)?c=1&amp;d=*x*">', "</a>"],
    ['<span class="colored c-red">', "</span>"],
    ['<time startYear="2026" startMonth="8" startDay="1">', "</time>"],
  ),
);

/** An HTML fragment as the service stores it: canonical, one line, trimmed. */
const arbitraryName = fc
  .array(
    fc.oneof(
      plain.map((text) => htmlOfRichText([{ insert: text }])),
      tagged.map(([text, [open = "", close = ""]]) =>
        text === "" ? "" : `${open}${htmlOfRichText([{ insert: text }])}${close}`,
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => canonical(parts.join("").replaceAll(/\s+/g, " ")));

/** Lines of names; formats end with their line. */
const arbitraryNote = fc
  .array(arbitraryName, { minLength: 1, maxLength: 4 })
  .map((lines) => lines.join("\n"))
  .filter((note) => note !== "");

const arbitraryCode = fc
  .array(
    fc.oneof(
      plain,
      fc.constantFrom("", "  x", "    y", "\tz", "\t\tif\tx", "````", "> q", "- i", "~~~"),
    ),
    {
      maxLength: 4,
    },
  )
  .map((lines) => lines.join("\n"))
  .map((code) => (code.trim() === "" ? "" : htmlOfRichText([{ insert: code }], "kept")));

function canonical(html: string): string {
  return htmlOfRichText(trimRichText(richTextOfHtml(html)));
}

/** Of other programs; one is the name of something that every object has. */
const OTHER_LAYOUTS = ["table", "constructor"].filter((word) => isLayout(word));

const time = fc.integer({ min: 1, max: 4_000_000_000 });

const arbitraryNode = fc.record(
  {
    layout: fc.constantFrom(...LAYOUTS, ...OTHER_LAYOUTS),
    name: arbitraryName,
    code: arbitraryCode,
    note: fc.option(arbitraryNote, { nil: undefined, freq: 3 }),
    createdAt: time,
    modifiedAt: time,
    completedAt: fc.option(time, { nil: undefined, freq: 2 }),
    rise: fc.nat(3),
  },
  { noNullPrototype: true },
);

/** A forest as an outline exports it: every time known, every key its own. */
export const arbitraryEntries: fc.Arbitrary<readonly OutlineEntry[]> = fc
  .array(arbitraryNode, { maxLength: 15 })
  .chain((nodes) =>
    fc
      .uniqueArray(arbitraryKey(), { minLength: nodes.length, maxLength: nodes.length })
      .map((keys) => entriesOf(nodes, keys)),
  );

function arbitraryKey(): fc.Arbitrary<NodeKey> {
  return fc
    .bigInt({ min: 0n, max: (1n << 48n) - 1n })
    .map((value) => value.toString(16).padStart(12, "0") as NodeKey)
    .filter((key) => !isReservedKey(key));
}

type ArbitraryNode = typeof arbitraryNode extends fc.Arbitrary<infer T> ? T : never;

function entriesOf(nodes: readonly ArbitraryNode[], keys: readonly NodeKey[]): OutlineEntry[] {
  let depth = -1;
  return nodes.map(({ rise, code, name, note, completedAt, ...rest }, index) => {
    // Mostly one deeper, a sibling, or back out.
    depth = Math.max(0, rise === 0 ? depth + 1 : depth - rise + 1);
    const key = keys[index];
    const isCode: boolean = rest.layout === ("code-block" satisfies Layout);
    return {
      ...rest,
      depth,
      name: isCode ? code : name,
      ...(note !== undefined && { note }),
      ...(completedAt !== undefined && { completedAt }),
      ...(key !== undefined && { key }),
    };
  });
}

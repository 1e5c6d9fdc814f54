import { DEFAULT_LAYOUT } from "../../../src/core/node/layout.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import { richTextOfHtml } from "../../../src/core/text/html.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";
import { withoutEnd } from "../../../src/core/text/without-end.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";
import { entriesOfHtml } from "./entries-of-html.ts";
import { entriesOfText, isOpml } from "./entries-of-text.ts";
import { STYLE_ATTRIBUTE } from "./html-line.ts";
import { inertPage } from "./inert-page.ts";
import { entriesOfOwnText, lineOfOwnText, OWN_TYPE } from "./own-format.ts";

/** What a paste brings: something for the line that is written, or lines of their own. */
export type Pasted =
  | { readonly kind: "nothing" }
  /** What is literal means nothing but its letters. */
  | { readonly kind: "inline"; readonly text: RichText; readonly isLiteral?: boolean }
  | {
      readonly kind: "lines";
      readonly entries: readonly OutlineEntry[];
      /** As it is on the clipboard, for what has lines itself; absent when that says less. */
      readonly plain?: string;
    };

/** The texts on a clipboard, by type; empty when there is none of it. */
export type ClipboardTexts = (type: string) => string;

const NOTHING: Pasted = { kind: "nothing" };

/**
 * Reads a clipboard: our own format, then a page with a structure or formats, then its text.
 * @param newKey makes keys for lines that others of it link to; without it these links are text
 */
export function pastedOf(texts: ClipboardTexts, newKey?: () => NodeKey): Pasted {
  const own = texts(OWN_TYPE);
  const ownEntries = entriesOfOwnText(own);
  if (ownEntries !== undefined) return { kind: "lines", entries: ownEntries };
  const ownLine = lineOfOwnText(own);
  if (ownLine !== undefined) return { kind: "inline", text: ownLine };
  const html = texts("text/html");
  const plain = texts("text/plain");
  if (html !== "") {
    const entries = entriesOfPage(html, plain);
    if (entries.length > 0) return oneOrMore(entries, plain);
  }
  const line = withoutEnd(plain, "\r\n");
  if (line === "") return NOTHING;
  if (!/[\r\n]/.test(line) && !isOpml(line)) return { kind: "inline", text: [{ insert: line }] };
  return { kind: "lines", entries: entriesOfText(plain, newKey), plain };
}

/** What only says how text looks is left to the text beside it, which keeps its indentation. */
const STRUCTURE = "li, h1, h2, h3, h4, h5, h6, hr, table, blockquote, pre";
const MEANING = `a[href], img[src], b, strong, i, em, s, del, u, mark, code, p, br, [${STYLE_ATTRIBUTE}*=font-weight]`;

function entriesOfPage(html: string, plain: string): readonly OutlineEntry[] {
  const page = inertPage(withStylesAsData(html));
  const isIndented = /\n[ \t]/.test(plain);
  const isWorthIt =
    plain.trim() === "" ||
    page.body.querySelector(STRUCTURE) !== null ||
    (!isIndented && page.body.querySelector(MEANING) !== null);
  return isWorthIt ? entriesOfHtml(page.body) : [];
}

/** Renames what says how a page looks, as far as that can be done without a parser. */
function withStylesAsData(html: string): string {
  return html.replaceAll(/<\/?[a-z][^<>]*/gi, (tag) =>
    tag
      // As little seen, and read in the same way.
      .replace(/^<(\/?)style(?=[\s/]|$)/i, "<$1title")
      .replaceAll(/([\s"'])style(?=\s*=)/gi, `$1${STYLE_ATTRIBUTE}`),
  );
}

function oneOrMore(entries: readonly OutlineEntry[], plain: string): Pasted {
  const [first] = entries;
  if (first === undefined) return NOTHING;
  const isPlain =
    entries.length === 1 && first.layout === DEFAULT_LAYOUT && first.completedAt === undefined;
  return isPlain
    ? { kind: "inline", text: richTextOfHtml(first.name) }
    : { kind: "lines", entries, ...(plain.trim() !== "" && { plain }) };
}

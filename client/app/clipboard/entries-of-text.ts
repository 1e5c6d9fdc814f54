import { isReservedKey, type NodeKey } from "../../../src/core/node-key.ts";
import { hasFrontMatter } from "../../../src/formats/front-matter.ts";
import { isLogseq } from "../../../src/formats/logseq-text.ts";
import type { ImportLimits, OutlineEntry } from "../../../src/formats/outline-entry.ts";
import type { OutlineFormat } from "../../../src/formats/outline-format.ts";
import { readerOf } from "../../../src/formats/reader-of.ts";
import { literalEntries } from "./literal-entries.ts";
import { withListsIndented } from "./pasted-lists.ts";
import { withPlainBlanks } from "./unseen.ts";

/** What one paste may bring. */
export const PASTE_LIMITS: ImportLimits = {
  maxNodes: 100_000,
  maxDepth: 1000,
  maxTextBytes: 1_000_000,
};

/**
 * Reads a pasted text: OPML, markdown where it is clearly that, else indented text. What one reader
 * can't take the next one takes; the last one takes everything.
 * @param newKey makes keys for lines that others of the text link to; without it these links are text
 */
export function entriesOfText(text: string, newKey?: () => NodeKey): readonly OutlineEntry[] {
  const lines = withPlainBlanks(withRowsAsLines(text.replaceAll(/\r\n?/g, "\n")));
  const isOfLogseq = isLogseq(lines);
  const clean = isOfLogseq ? lines : withBoxes(lines);
  const formats: OutlineFormat[] = ["text"];
  if (isOfLogseq || isMarkdown(clean)) formats.unshift("markdown");
  if (isOpml(clean)) formats.unshift("opml");
  const source = { isPasted: true, ...(newKey !== undefined && { newKey }) };
  for (const format of formats) {
    const reader = readerOf(format, PASTE_LIMITS, source);
    reader.push(isOfLogseq ? clean : prepared(clean, format));
    const result = reader.finish();
    if (result.kind === "read" && result.entries.length > 0) return result.entries.map(copyOf);
  }
  return literalEntries(clean);
}

// What is before a quote is looked at behind it: at each place of a run of tabs that would take long.
const FIRST_CELL = /"(?<=^\t*")([^"]*(?:""[^"]*)*)"(?=\t)/gm;
const LATER_CELL = /"(?<=\S\t+")([^"]*(?:""[^"]*)*)"(?=[\t\n]|$)/g;

/** Tables put a cell with line breaks in quotes; its row stays one line. */
function withRowsAsLines(text: string): string {
  return text.replaceAll(FIRST_CELL, cellOnLine).replaceAll(LATER_CELL, cellOnLine);
}

function cellOnLine(cell: string, inside: string): string {
  if (!inside.includes("\n")) return cell;
  return inside.replaceAll(/\s+/g, " ").replaceAll('""', '"');
}

/** WorkFlowy writes of a completed item in words that it is one. */
function withBoxes(text: string): string {
  return text.replaceAll(/^([ \t]*- )\[COMPLETE\] /gm, "$1[x] ");
}

function prepared(text: string, format: OutlineFormat): string {
  switch (format) {
    case "markdown":
      return withNumbersAsText(text);
    case "text":
      return withListsIndented(text);
    default:
      return text;
  }
}

/** Whether a text says that it is OPML; many programs write it as a single line. */
export function isOpml(text: string): boolean {
  return /^\s*<(?:\?xml|opml)\b/i.test(text);
}

/** What is pasted stays where it is pasted: a copy of an inbox is no inbox. */
function copyOf({ key, ...entry }: OutlineEntry): OutlineEntry {
  return key === undefined || isReservedKey(key) ? entry : { ...entry, key };
}

const LIST_ITEM = /^[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+\S/;
const NOTE_OF_ITEM = /^[ \t]+> /;
const RULE = /^[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const HEADING = /^#{1,6}[ \t]+\S/;
const FENCE = /^[ \t]*(?:```|~~~)/;

/**
 * Whether a text is markdown rather than lines that happen to begin like it: it has front matter, fenced
 * code, or headings that stand apart, or nothing but list items and headings, also with rules between.
 * Comments speak against it, as the reader of markdown leaves them out.
 */
function isMarkdown(text: string): boolean {
  if (text.includes("<!--")) return false;
  const lines = text.split("\n");
  if (hasFrontMatter(lines)) return true;
  if (lines.filter((line) => FENCE.test(line)).length >= 2) return true;
  const isBlank = (index: number): boolean => (lines[index] ?? "").trim() === "";
  const headings = [...lines.keys()].filter((index) => HEADING.test(lines[index] ?? ""));
  const areApart = headings.every(
    (index) => isBlank(index - 1) || index === 0 || isBlank(index + 1),
  );
  if (headings.length > 0 && areApart && lines.some((_, index) => isBlank(index))) return true;
  const filled = lines.filter((line) => line.trim() !== "" && !RULE.test(line));
  if (filled.length === 0) return false;
  return filled.every(
    (line, index) =>
      LIST_ITEM.test(line) || HEADING.test(line) || (index > 0 && NOTE_OF_ITEM.test(line)),
  );
}

/** An outline has no numbered lists: the numbers become part of the text. */
function withNumbersAsText(markdown: string): string {
  let fence = "";
  return markdown
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[0].trim() ?? "";
      if (mark !== "" && (fence === "" || fence === mark)) fence = fence === "" ? mark : "";
      if (fence !== "") return line;
      return line.replace(/^([ \t]*)(\d{1,9})([.)])([ \t]+)(?=\S)/, "$1- $2\\$3 ");
    })
    .join("\n");
}

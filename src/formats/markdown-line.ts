/**
 * What a line of markdown begins, by CommonMark's block syntax as far as an outline can show it.
 * Every pattern is matched in linear time.
 */
export type MarkdownLine =
  | { readonly kind: "fence"; readonly mark: string }
  /** The text is without its marks. */
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "quote"; readonly text: string }
  /** `width` is that of the mark with the blanks behind it. */
  | {
      readonly kind: "item";
      readonly width: number;
      readonly isFirst: boolean;
      readonly text: string;
    }
  /** Nothing of its own: it ends what is before it. */
  | { readonly kind: "break" }
  /** A line across the page, as it is written: `---`, `* * *`. */
  | { readonly kind: "rule"; readonly text: string }
  | { readonly kind: "comment"; readonly text: string }
  | { readonly kind: "row"; readonly text: string }
  /** The beginning of something that can be folded up, with what is then seen of it, or an end. */
  | { readonly kind: "fold"; readonly isEnd: boolean; readonly summary?: string }
  | { readonly kind: "text"; readonly text: string };

/** What a comment begins with. */
export const COMMENT = "<!--";

const FENCE = /^(?:(`{3,})[^`]*$|(~{3,}))/;
const HEADING = /^(#{1,6})(?=[ \t]|$)/;
const ITEM = /^(?:[-+*]|([0-9]{1,9})[.)])(?:[ \t]+|$)/;
const FOLD = /^<(\/?(?:details|aside))(?:[ \t][^<>]*)?>/i;
const SUMMARY = /^<summary(?:[ \t][^<>]*)?>(.*)<\/summary>$/i;
/** The line between the head and the rows of a table. */
const ROW_RULE = /^[|:\-\t ]+$/;

/** @param text a line without its indentation */
export function markdownLineOf(text: string): MarkdownLine {
  const inner = innerLineOf(text);
  if (inner.kind !== "text") return inner;
  if (isRule(text)) return { kind: "rule", text: text.trim() };
  const item = ITEM.exec(text);
  if (item !== null) {
    const [mark, ordinal] = item;
    const isFirst = ordinal === undefined || ordinal === "1";
    return { kind: "item", width: mark.length, isFirst, text: text.slice(mark.length).trimEnd() };
  }
  if (text.startsWith(COMMENT)) return { kind: "comment", text: text.slice(COMMENT.length) };
  if (text.startsWith("<")) return foldOf(text.trim()) ?? inner;
  if (text.startsWith("|")) {
    return ROW_RULE.test(text) ? { kind: "break" } : { kind: "row", text: text.trim() };
  }
  return inner;
}

function foldOf(text: string): MarkdownLine | undefined {
  const [mark = "", tag = ""] = FOLD.exec(text) ?? [];
  const rest = text.slice(mark.length).trim();
  if (rest === "") return { kind: "fold", isEnd: tag.toLowerCase() === "/details" };
  const summary = tag.startsWith("/") ? "" : (SUMMARY.exec(rest)?.[1]?.trim() ?? "");
  return summary === "" ? undefined : { kind: "fold", isEnd: false, summary };
}

/** The same for what follows the mark of an item. */
export function innerLineOf(
  text: string,
): Extract<MarkdownLine, { kind: "fence" | "heading" | "quote" | "text" }> {
  const fence = FENCE.exec(text);
  if (fence !== null) return { kind: "fence", mark: fence[1] ?? fence[2] ?? "" };
  const marks = HEADING.exec(text)?.[1];
  if (marks !== undefined) {
    return { kind: "heading", level: marks.length, text: headingText(text.slice(marks.length)) };
  }
  if (text.startsWith(">")) {
    return { kind: "quote", text: text.slice(text.startsWith("> ") ? 2 : 1) };
  }
  return { kind: "text", text: text.trim() };
}

/** At least three of one mark and nothing else. */
function isRule(text: string): boolean {
  const mark = text.charAt(0);
  if (!["-", "*", "_"].includes(mark)) return false;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === mark) count++;
    else if (character !== " " && character !== "\t") return false;
  }
  return count >= 3;
}

/** Without the blanks around it and the marks that may close a heading. */
function headingText(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (trimmed.charAt(end - 1) === "#") end--;
  const isClosed = end === 0 || [" ", "\t"].includes(trimmed.charAt(end - 1));
  return isClosed ? trimmed.slice(0, end).trimEnd() : trimmed;
}

/** True when a line of this text alone makes another block of it. */
export function needsEscape(text: string): boolean {
  return markdownLineOf(text).kind !== "text" || boxOf(text) !== undefined;
}

/** What other programs have for a box: of Obsidian one that is under way or given up, of Roam all. */
const OTHER_BOX = /^(?:\[([-/])\]|\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\})(?:[ \t]+|$)/;
/** A sign in a box that says more than that; it stays. */
const SIGN = /^\[[><!?]\](?:[ \t]|$)/;

/** The box in front of the text of an item, by its length; undefined for an item without one. */
export function boxOf(
  text: string,
): { readonly length: number; readonly isDone: boolean } | undefined {
  const box = CHECKBOX.exec(text);
  if (box !== null) return { length: box[0].length, isDone: box[1] !== " " };
  const other = OTHER_BOX.exec(text);
  if (other !== null) {
    return { length: other[0].length, isDone: other[1] === "-" || other[2] === "DONE" };
  }
  return SIGN.test(text) ? { length: 0, isDone: false } : undefined;
}

/** The box of a todo item. */
export const CHECKBOX = /^\[([ xX])\](?:[ \t]+|$)/;

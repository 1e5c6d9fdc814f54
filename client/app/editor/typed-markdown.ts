import type { Layout } from "../../../src/core/node/layout.ts";
import { allowedHref } from "../../../src/core/text/href.ts";

/** The formats that are switched on and off. */
export type FormatName = "b" | "i" | "s" | "u" | "code";

/** Markdown that a keystroke has closed: marks to take away around a text, and the text's format. */
export interface TypedFormat {
  /** Where the opening mark begins. */
  readonly from: number;
  /** The text between the marks. */
  readonly text: { readonly from: number; readonly to: number };
  readonly format: string;
  readonly value: true | string;
}

/** A prefix that was typed at the start of a name. */
export interface TypedPrefix {
  readonly length: number;
  readonly layout: Layout;
  readonly isCompleted: boolean;
}

/** The text stands between the marks and does not touch them with a space. */
const CLOSED: readonly {
  readonly closing: string;
  readonly pattern: RegExp;
  readonly format: FormatName;
}[] = [
  { closing: "*", pattern: /(?<![*\p{L}\p{N}\\])\*\*(?![\s*])([^*\n]*[^\s*])\*\*$/u, format: "b" },
  { closing: "*", pattern: /(?<![*\p{L}\p{N}\\])\*(?![\s*])([^*\n]*[^\s*])\*$/u, format: "i" },
  { closing: "~", pattern: /(?<![~\\])~~(?![\s~])([^~\n]*[^\s~])~~$/u, format: "s" },
  { closing: "`", pattern: /(?<![`\\])`(?!\s)([^`\n]*[^\s`])`$/u, format: "code" },
];
const LINK = /(?<![!\\])\[([^[\]\n]+)\]\(([^()\s]+)\)$/u;
/** So far back is looked for the opening mark. */
const REACH = 2_000;

/**
 * Whether what was typed can close markdown or a prefix at all. What comes in larger pieces was
 * pasted, or is a word of an input method.
 */
export function mayCloseMarkdown(typed: string): boolean {
  return typed.length === 1 && "*~`) ".includes(typed);
}

/** What the character before `caret` has closed; undefined for nothing. */
export function typedFormat(text: string, caret: number): TypedFormat | undefined {
  const start = Math.max(0, caret - REACH);
  const before = text.slice(start, caret);
  const last = before.at(-1);
  for (const { closing, pattern, format } of CLOSED) {
    const match = last === closing ? pattern.exec(before) : null;
    if (match === null) continue;
    const inner = match[1] ?? "";
    const from = start + match.index;
    const mark = (match[0].length - inner.length) / 2;
    return { from, text: { from: from + mark, to: caret - mark }, format, value: true };
  }
  const link = last === ")" ? LINK.exec(before) : null;
  const href = link === null ? undefined : allowedHref(link[2] ?? "");
  if (link === null || href === undefined) return undefined;
  const from = start + link.index;
  const inner = { from: from + 1, to: from + 1 + (link[1] ?? "").length };
  return { from, text: inner, format: "a", value: href };
}

const PREFIXES: ReadonlyMap<string, Omit<TypedPrefix, "length">> = new Map([
  ["# ", { layout: "h1", isCompleted: false }],
  ["## ", { layout: "h2", isCompleted: false }],
  ["### ", { layout: "h3", isCompleted: false }],
  ["- [ ] ", { layout: "todo", isCompleted: false }],
  ["[ ] ", { layout: "todo", isCompleted: false }],
  ["[] ", { layout: "todo", isCompleted: false }],
  ["- [x] ", { layout: "todo", isCompleted: true }],
  ["> ", { layout: "quote-block", isCompleted: false }],
  ["```", { layout: "code-block", isCompleted: false }],
]);

/** The prefix that ends at `caret` and begins with the name; undefined for none. */
export function typedPrefix(text: string, caret: number): TypedPrefix | undefined {
  if (caret > 6) return undefined;
  const prefix = PREFIXES.get(text.slice(0, caret));
  return prefix === undefined ? undefined : { ...prefix, length: caret };
}

import type { Layout } from "../node/layout.ts";

/** `<br>`, which programs send for a line break: with a slash or attributes, in any case. */
const BREAKS = /<br(?:[ \t\n/][^<>]*)?>/gi;
const BREAK_HERE = /<br(?:[ \t\n/][^<>]*)?>/iy;

/**
 * What the breaks of a text become: a line break each, or a space with the spaces around them, and
 * nothing at its ends. In code they are kept, and so are tabs.
 */
export type Lines = "kept" | "joined" | "code";

/** Only code has lines in its name. */
export function linesOfName(layout: Layout): Lines {
  return layout === "code-block" ? "code" : "joined";
}

/** A literal text with line breaks in place of its tags. */
export function withLineBreaks(text: string): string {
  return text.replace(BREAKS, "\n");
}

/** Where a break stands, and what it becomes. */
export interface LineBreak {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The break at a `<`, if there is one. @param start where what is before it begins */
export function lineBreakAt(
  text: string,
  at: number,
  start: number,
  lines: Lines,
): LineBreak | undefined {
  let to = breakEnd(text, at);
  if (to === undefined) return undefined;
  if (lines !== "joined") return { from: at, to, text: "\n" };
  let from = at;
  while (from > start && isSpace(text, from - 1)) from -= 1;
  for (let next: number | undefined = to; next !== undefined; next = breakEnd(text, to)) {
    to = next;
    while (isSpace(text, to)) to += 1;
  }
  return { from, to, text: from === 0 || to === text.length ? "" : " " };
}

function breakEnd(text: string, at: number): number | undefined {
  // Most tags are others, and a pattern takes its time to say so.
  if (text[at + 1] !== "b" && text[at + 1] !== "B") return undefined;
  BREAK_HERE.lastIndex = at;
  return BREAK_HERE.test(text) ? BREAK_HERE.lastIndex : undefined;
}

function isSpace(text: string, at: number): boolean {
  return text[at] === " " || text[at] === "\n";
}

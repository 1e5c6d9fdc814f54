import { cleanText } from "./clean-text.ts";
import { dateLabel } from "./dates.ts";
import { BOLD, DELIMITER, emphasisOf, ITALIC, STRUCK } from "./emphasis.ts";
import { MARKDOWN_ESCAPES } from "./entity.ts";
import { htmlOfRichText, richTextOfHtml } from "./html.ts";
import { type Piece, piecesOfMarkdown } from "./markdown-pieces.ts";
import { charactersOfRun, escapeText, type Markup, renderRuns, tagsOfRun } from "./render.ts";
import { type Formats, type RichText, type Run, RunBuilder, sameRichText } from "./rich-text.ts";

/**
 * Reads the markdown of a name's text, with allowed HTML in it: the tokens of the specification and
 * nothing else. Any string is accepted. A line break is a space to the rules and stays.
 */
export function richTextOfMarkdown(text: string): RichText {
  const line = cleanText(text);
  if (!/[*~`[]/.test(line)) return richTextOfHtml(line);
  const runs = new RunBuilder();
  addPieces(runs, piecesOfMarkdown(line), undefined, 0);
  return runs.finish();
}

/** @param href of the link that the pieces are the text of; @param style that the link has as a whole */
function addPieces(
  runs: RunBuilder,
  pieces: readonly Piece[],
  href: string | undefined,
  style: number,
): void {
  const marks = emphasisOf(pieces.map((piece) => piece.mask).join(""));
  let at = 0;
  for (const piece of pieces) {
    const outer = href === undefined ? piece.formats : { ...piece.formats, a: href };
    if (piece.link !== undefined) {
      // Its pieces hold no further link.
      addPieces(runs, piece.link.pieces, piece.link.href, marks[at] ?? 0);
    } else if (piece.mask.length !== piece.text.length) {
      runs.add(piece.text, styled(outer, style | (marks[at] ?? 0)));
    } else {
      addStretches(runs, piece.text, outer, style, marks.subarray(at, at + piece.text.length));
    }
    at += piece.mask.length;
  }
}

/** Adds a text whose characters have different marks, without the delimiters among them. */
function addStretches(
  runs: RunBuilder,
  text: string,
  formats: Formats | undefined,
  style: number,
  marks: Uint8Array,
): void {
  let start = 0;
  for (let end = 1; end <= text.length; end += 1) {
    const mark = marks[start] ?? 0;
    if (end < text.length && marks[end] === mark) continue;
    if ((mark & DELIMITER) === 0) runs.add(text.slice(start, end), styled(formats, style | mark));
    start = end;
  }
}

function styled(formats: Formats | undefined, style: number): Formats | undefined {
  if (style === 0) return formats;
  return {
    ...formats,
    ...((style & BOLD) !== 0 && { b: true }),
    ...((style & ITALIC) !== 0 && { i: true }),
    ...((style & STRUCK) !== 0 && { s: true }),
  };
}

/**
 * Writes a text as markdown that {@link richTextOfMarkdown} reads back equal, as far as the text
 * shows in HTML: with markdown's own tokens when that works, else with the characters that would
 * mean something written as entities, and last with tags instead of tokens.
 */
export function markdownOfRichText(text: RichText): string {
  const [first, ...others] = text;
  if (first === undefined) return "";
  if (others.length === 0 && first.attributes === undefined && !/[*~`[<>&]/.test(first.insert)) {
    return first.insert;
  }
  const shown = richTextOfHtml(htmlOfRichText(text));
  for (const write of [escapeText, escapeMarkdown]) {
    const markdown = renderRuns(shown, tokensOfRun, (run) => tokenTextOfRun(run, write));
    if (sameRichText(richTextOfMarkdown(markdown), shown)) return markdown;
  }
  return renderRuns(shown, tagsOfRun, (run) => charactersOfRun(run, escapeMarkdown));
}

function escapeMarkdown(text: string): string {
  return escapeText(text).replace(/[*[`~]/g, (char) => MARKDOWN_ESCAPES.get(char) ?? char);
}

/** As the tags of a run, with markdown's tokens for those that have one. */
function tokensOfRun(run: Run): readonly Markup[] {
  const { a, d } = run.attributes ?? {};
  return tagsOfRun(run).map((tag) => {
    switch (tag.close) {
      case "</b>":
        return { open: "**", close: "**" };
      case "</i>":
        return { open: "*", close: "*" };
      case "</s>":
        return { open: "~~", close: "~~" };
      case "</code>":
        return codeFence(run.insert);
      case "</a>":
        return { open: "[", close: `](${escapeText(String(a))})` };
      case "</time>":
        return run.insert === dateLabel(String(d)) ? { open: "[", close: "]" } : tag;
      default:
        return tag;
    }
  });
}

function codeFence(code: string): Markup {
  if (!code.includes("`")) return { open: "`", close: "`" };
  const runs = code.match(/`+/g) ?? [];
  const fence = "`".repeat(runs.reduce((longest, run) => Math.max(longest, run.length), 0) + 1);
  return { open: `${fence} `, close: ` ${fence}` };
}

function tokenTextOfRun(run: Run, write: (text: string) => string): string {
  const { d, code } = run.attributes ?? {};
  if (typeof d === "string" && run.insert === dateLabel(d)) return d;
  return charactersOfRun(run, code === true ? escapeText : write);
}

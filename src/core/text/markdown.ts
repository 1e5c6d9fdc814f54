import { cleanText } from "./clean-text.ts";
import { dateLabel } from "./dates.ts";
import { DELIMITER, emphasisOf, stylesOf } from "./emphasis.ts";
import { MARKDOWN_ESCAPES } from "./entity.ts";
import { inOneGo } from "../in-one-go.ts";
import { htmlOfRichText } from "./html-of-rich-text.ts";
import { htmlInSteps, richTextOfHtml } from "./html.ts";
import { type Dialect, type Piece, piecesOfMarkdown } from "./markdown-pieces.ts";
import {
  charactersOfRun,
  escapeText,
  longestWritten,
  type Markup,
  renderRuns,
  tagWriter,
} from "./render.ts";
import {
  cleanRichText,
  plainText,
  type Formats,
  type RichText,
  type Run,
  RunBuilder,
  sameRichText,
} from "./rich-text.ts";

/** Without any of these a line is HTML and nothing more. */
const MEANINGFUL: Readonly<Record<Dialect, RegExp>> = {
  names: /[*~`[]/,
  files: /[*~`[]|==|\^\^|<(?:https?|mailto):/i,
};

/** UTF-16 units that are made runs in a step. */
const STEP = 2 ** 15;

/**
 * Reads the markdown of a name's text, with allowed HTML in it: the tokens of the specification and
 * nothing else, or what files have. Any string is accepted. A line break is a space to the rules and stays; `<br>` is one.
 */
export function richTextOfMarkdown(text: string, dialect: Dialect = "names"): RichText {
  return inOneGo(markdownInSteps(text, dialect));
}

/** The same in steps of a few milliseconds. */
export function* markdownInSteps(
  text: string,
  dialect: Dialect = "names",
): Generator<void, RichText> {
  const line = cleanText(text);
  if (!MEANINGFUL[dialect].test(line)) return yield* htmlInSteps(line, "joined");
  const runs = new RunBuilder();
  yield* addPieces(runs, yield* piecesOfMarkdown(line, dialect), undefined);
  return runs.finish();
}

/** @param around the formats of the link that the pieces are the text of */
function* addPieces(
  runs: RunBuilder,
  pieces: readonly Piece[],
  around: Formats | undefined,
): Generator<void> {
  const marks = emphasisOf(pieces.map((piece) => piece.mask).join(""));
  let at = 0;
  let yieldAt = 0;
  for (const piece of pieces) {
    if (at >= yieldAt) {
      if (at > 0 || marks.length > STEP) yield;
      yieldAt = at + STEP;
    }
    const { formats, mask, link } = piece;
    if (link === undefined) {
      // First for the order, which is how they are nested, and last for the values.
      const outer = around === undefined ? formats : { ...around, ...formats, ...around };
      yield* addPiece(runs, piece, outer, marks.subarray(at, at + mask.length));
    } else {
      const style = styled(around, marks[at] ?? 0);
      // Its pieces hold no further link, but for pictures in what is no link after all.
      yield* addPieces(
        runs,
        link.pieces,
        link.href === undefined ? style : { ...style, a: link.href },
      );
    }
    at += mask.length;
  }
}

/** Adds the text of a piece, cut where its characters have different marks, without delimiters. */
function* addPiece(
  runs: RunBuilder,
  { text, token, mask }: Piece,
  outer: Formats | undefined,
  marks: Uint8Array,
): Generator<void> {
  const add = (stretch: string, mark: number): void => {
    const formats = styled(outer, mark);
    runs.add(stretch, token === undefined ? formats : { ...formats, ...token });
  };
  if (mask.length !== text.length) {
    add(text, marks[0] ?? 0);
    return;
  }
  let start = 0;
  for (let end = 1; end <= text.length; end += 1) {
    if (end % STEP === 0) yield;
    const mark = marks[start] ?? 0;
    if (end < text.length && marks[end] === mark) continue;
    if (mark !== DELIMITER) add(text.slice(start, end), mark);
    start = end;
  }
}

function styled(formats: Formats | undefined, mark: number): Formats | undefined {
  const styles = stylesOf(mark);
  if (styles.length === 0) return formats;
  return { ...formats, ...Object.fromEntries(styles.map((style) => [style, true as const])) };
}

/**
 * Writes a text as markdown that {@link richTextOfMarkdown} reads back equal, as far as the text
 * shows in HTML: with markdown's own tokens when that works, else with the characters that would
 * mean something written as entities, and last with tags instead of tokens.
 */
export function markdownOfRichText(text: RichText): string {
  const [first, ...others] = cleanRichText(text);
  if (first === undefined) return "";
  if (others.length === 0 && first.attributes === undefined && !/[*~`[<>&]/.test(first.insert)) {
    return first.insert;
  }
  const shown = richTextOfHtml(htmlOfRichText(text));
  const plain = plainText(shown);
  const maxLength = longestWritten(plain.length);
  for (const write of [escapeText, escapeMarkdown]) {
    const markdown = renderRuns(shown, {
      markupOf: tokenWriter(),
      charactersOf: (run) => tokenTextOfRun(run, write),
      maxLength,
    });
    if (markdown !== undefined && sameRichText(richTextOfMarkdown(markdown), shown)) {
      return markdown;
    }
  }
  const tagged = renderRuns(shown, {
    markupOf: tagWriter(),
    charactersOf: (run) => charactersOfRun(run, escapeMarkdown),
    maxLength,
  });
  return tagged ?? escapeMarkdown(plain);
}

function escapeMarkdown(text: string): string {
  return escapeText(text).replace(/[*[`~]/g, (char) => MARKDOWN_ESCAPES.get(char) ?? char);
}

/** As the tags of a run, with markdown's tokens for those that have one. */
function tokenWriter(): (run: Run) => readonly Markup[] {
  const tagsOf = tagWriter();
  return (run) => tagsOf(run).map((tag) => tokenOf(tag, run));
}

function tokenOf(tag: Markup, run: Run): Markup {
  const { a, d } = run.attributes ?? {};
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

import { htmlOfRichText } from "../core/text/html-of-rich-text.ts";
import { htmlInSteps } from "../core/text/html.ts";
import { markdownOfRichText, richTextOfMarkdown } from "../core/text/markdown.ts";
import {
  charactersOfRun,
  longestWritten,
  type Markup,
  renderRuns,
  tagWriter,
} from "../core/text/render.ts";
import { type Formats, plainText, type RichText, type Run } from "../core/text/rich-text.ts";
import { piecesOf } from "../core/text/y-text.ts";
import { needsEscape } from "./markdown-line.ts";

/*
 * In markdown files a backslash takes the meaning from the punctuation behind it; in the API's names
 * it is an ordinary character. So an escaped character travels through the API's markdown as one of
 * the 32 noncharacters U+FDD0 to U+FDEF, which mean nothing to it: there are just as many of them as
 * of ASCII punctuation, and no text may contain them.
 */
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
const FIRST_STANDIN = 0xfdd0;
const STANDINS = /[\ufdd0-\ufdef]/g;
const ESCAPE = /\\[!-/:-@[-`{-~]/g;
const ESCAPE_OR_TICKS = /\\[!-/:-@[-`{-~]|`+/g;
const TICKS = /`+/g;
const BACKSLASH_BEFORE_MARK = /\\(?=[!-/:-@[-`{-~]|$)/g;
const ENTITY_FOR_MARK = /&#0(?:042|091|096|126);/;
const MARKS = /[*[`~]/g;

/** Two of a kind, neither within a word nor between spaces: what may begin or end a highlight. */
const HIGHLIGHT_MARK = /([=^])(?<!\1\1)\1(?!\1)(?<!\w\1\1(?=\w))(?<!\s\1\1(?=\s))/g;

/** What means something within a line, and changes of format: of more, all are escaped. */
const MEANINGFUL = /[\\*[`~<&]/g;
const ESCAPED = /[\\*[`~<&=^]/g;
const MOST_MEANINGFUL = 1000;
const MOST_RUNS = 250;

function standinOf(character: string): string {
  return String.fromCharCode(FIRST_STANDIN + PUNCTUATION.indexOf(character));
}

function characterOf(standin: string): string {
  return PUNCTUATION.charAt(standin.charCodeAt(0) - FIRST_STANDIN);
}

/** The HTML fragment of a line of markdown text. */
export function htmlOfMarkdown(text: string): string {
  const runs = richTextOfMarkdown(withStandins(text.replace(STANDINS, "\ufffd")), "files");
  return htmlOfRichText(withoutStandins(runs));
}

function withStandins(text: string): string {
  if (!text.includes("\\")) return text;
  return mapCode(text, {
    code: (code) => code,
    other: (other) => other.replace(ESCAPE, (escape) => standinOf(escape.charAt(1))),
  });
}

/** Changes the code spans of a line, and what is between them. In code a backslash is ordinary. */
function mapCode(
  text: string,
  change: { readonly code: (text: string) => string; readonly other: (text: string) => string },
): string {
  const lastByLength = new Map(
    Array.from(text.matchAll(TICKS), ({ 0: run, index }) => [run.length, index]),
  );
  let result = "";
  let from = 0;
  let passed = 0;
  for (const { 0: token, index } of text.matchAll(ESCAPE_OR_TICKS)) {
    if (index < passed || token.startsWith("\\")) continue;
    passed = index + token.length;
    // To look for an end that is not there would go through the rest of the text for each token.
    const isClosed = (lastByLength.get(token.length) ?? -1) >= passed;
    const end = isClosed ? endOfCode(text, passed, token.length) : undefined;
    if (end === undefined) continue;
    result += change.other(text.slice(from, index)) + change.code(text.slice(index, end));
    from = end;
    passed = end;
  }
  return result + change.other(text.slice(from));
}

/** Behind the run of as many backticks that closes a code span; undefined when there is none. */
function endOfCode(text: string, from: number, ticks: number): number | undefined {
  const runs = new RegExp(TICKS);
  runs.lastIndex = from;
  for (let run = runs.exec(text); run !== null; run = runs.exec(text)) {
    if (run[0].length === ticks) return runs.lastIndex;
  }
  return undefined;
}

function withoutStandins(text: RichText): RichText {
  return text.map(({ insert, attributes }): Run => {
    if (attributes === undefined) return { insert: restored(insert) };
    const entries = Object.entries(attributes).map(
      ([name, value]) => [name, value === true ? value : restored(value)] as const,
    );
    return { insert: restored(insert), attributes: Object.fromEntries(entries) };
  });
}

function restored(text: string): string {
  return text.replace(STANDINS, characterOf);
}

/**
 * The markdown of one line of an HTML fragment, which no reader takes for another block, in steps of a
 * few milliseconds.
 */
export function* markdownOfHtml(html: string): Generator<void, string> {
  const text = yield* htmlInSteps(html);
  // To find out which marks may stay takes time with all of them together.
  return isFullOfMarks(text) ? yield* escapedText(text) : shortestText(text);
}

function isFullOfMarks(runs: RichText): boolean {
  if (runs.length > MOST_RUNS) return true;
  let left = MOST_MEANINGFUL;
  for (const { insert } of runs) {
    for (const _ of insert.matchAll(MEANINGFUL)) if (left-- === 0) return true;
  }
  return false;
}

/** With every mark escaped and tags for formats. */
function* escapedText(text: RichText): Generator<void, string> {
  const written = new Map<Run, string>();
  for (const [index, run] of text.entries()) {
    if (run.attributes?.["e"] !== undefined) continue;
    const safe = run.insert.replace(STANDINS, "\ufffd");
    const place = { isFirst: index === 0, isLast: index === text.length - 1 };
    const ends = run.attributes === undefined ? escapedEnds(safe, place) : safe;
    let escaped = "";
    for (const piece of piecesOf(ends)) {
      escaped += escapedThroughout(piece);
      yield;
    }
    written.set(run, escaped);
  }
  const tagsOf = tagWriter();
  const tagged = renderRuns(text, {
    markupOf: (run) => tagsOf(run).map(escapedTag),
    charactersOf: (run) => written.get(run) ?? charactersOfRun(run, escapedThroughout),
    maxLength: longestWritten(plainText(text).length),
  });
  return tagged ?? [...written.values()].join("");
}

function escapedThroughout(text: string): string {
  const escaped = text.replace(ESCAPED, "\\$&");
  return escaped.replace(STANDINS, (standin) => `\\${characterOf(standin)}`);
}

function escapedTag({ open, close }: Markup): Markup {
  return { open: open.replaceAll("\\", "\\\\"), close };
}

/** With markdown's own tokens, and what need not be escaped as it is. */
function shortestText(shown: RichText): string {
  const hasHighlights = mayHaveHighlights(plainText(shown));
  const text = shown.map(({ insert, attributes }, index, all): Run => {
    const readable = insert
      .replace(STANDINS, "\ufffd")
      .replace(BACKSLASH_BEFORE_MARK, standinOf("\\"));
    const marked = hasHighlights ? withoutHighlights(readable) : readable;
    const safe = isBeforeLink(all, index) ? marked.replace(/!$/, standinOf("!")) : marked;
    if (attributes !== undefined) return { insert: safe, attributes: withoutEscapes(attributes) };
    return {
      insert: escapedEnds(safe, { isFirst: index === 0, isLast: index === all.length - 1 }),
    };
  });
  const markdown = markdownOfRichText(text);
  // In files a backslash reads better than the entities that names need.
  const final = ENTITY_FOR_MARK.test(markdown)
    ? markdownOfRichText(text.map(escapedMarks))
    : markdown;
  return mapCode(final, {
    code: restored,
    other: (other) => other.replace(STANDINS, (standin) => `\\${characterOf(standin)}`),
  });
}

function mayHaveHighlights(text: string): boolean {
  return ["==", "^^"].some((mark) => text.indexOf(mark) !== text.lastIndexOf(mark));
}

function withoutHighlights(text: string): string {
  return text.replace(HIGHLIGHT_MARK, (_, unit: string) => standinOf(unit) + unit);
}

/** Where an exclamation mark would make a picture of the link behind it. */
function isBeforeLink(text: RichText, index: number): boolean {
  const { a, code } = text[index]?.attributes ?? {};
  return a === undefined && code === undefined && text[index + 1]?.attributes?.["a"] !== undefined;
}

/** An address may have backslashes, too. */
function withoutEscapes(formats: Formats): Formats {
  const { a } = formats;
  return typeof a === "string"
    ? { ...formats, a: a.replace(BACKSLASH_BEFORE_MARK, standinOf("\\")) }
    : formats;
}

function escapedMarks(run: Run): Run {
  if (run.attributes?.["code"] === true) return run;
  return { ...run, insert: run.insert.replace(MARKS, standinOf) };
}

/** Plain text that begins or ends a line, where it could be taken for the mark of a block. */
function escapedEnds(text: string, place: { isFirst: boolean; isLast: boolean }): string {
  let safe = text;
  if (place.isFirst && needsEscape(restored(text))) {
    // The mark of a numbered item is what follows its number.
    const at = /^[0-9]*/.exec(safe)?.[0].length ?? 0;
    safe = safe.slice(0, at) + standinOf(safe.charAt(at)) + safe.slice(at + 1);
  }
  // Behind a heading these would be closing marks.
  if (place.isLast && /(?:^|[ \t])#+$/.test(safe)) safe = safe.slice(0, -1) + standinOf("#");
  return safe;
}

import { partsOfName } from "./name-parts.ts";
import { type RichText, RunBuilder } from "./rich-text.ts";

/**
 * Places in a text of one node at which formats may change. What Yjs does to change such a text
 * takes some 10 µs for each.
 */
export const MAX_FORMAT_MARKS = 10_000;

/**
 * Marks that a text may be written with: each format of each run starts with one and ends with one.
 * What others write at the same time comes on top of that.
 */
export const MAX_MARKS = 2 * MAX_FORMAT_MARKS;

/** UTF-16 units that a name or a note may have for the server to take it in one go. */
export const MAX_TEXT_LENGTH = 2 ** 20;

/** Lines of one name. */
export const MAX_NAME_LINES = 50_000;

const MARKDOWN = /[*~`[]|<(?!br\b)\/?[a-z]|&#?\w+;|(?<!["'(<=])https?:\/\//gi;
const HTML = /<(?!br\b)\/?[a-z]|&#?\w+;/gi;
const LITERAL = /&#?\w+;/g;
const LINE_END = /\n|<br\b/gi;

/** How many marks a text is written with. */
export function marksOf(text: RichText): number {
  let marks = 0;
  for (const { attributes } of text) {
    if (attributes !== undefined) marks += 2 * Object.keys(attributes).length;
  }
  return marks;
}

/** The text with as many of its formats, from its start on, as it may have. */
export function withinMarks(text: RichText): RichText {
  if (marksOf(text) <= MAX_MARKS) return text;
  const runs = new RunBuilder();
  let marks = 0;
  for (const run of text) {
    marks += marksOf([run]);
    runs.add(run.insert, marks > MAX_MARKS ? undefined : run.attributes);
  }
  return runs.finish();
}

/** Why a name or a note is more than can be handled in one go. */
export type TextExcess = "lines" | "formats";

/**
 * Whether a name of a new node is too much. Linear in its length, and takes no time to speak of for
 * short names. @param isCode whether the whole name is meant as code
 */
export function excessOfName(name: string, isCode: boolean): TextExcess | undefined {
  if (name.length <= MAX_FORMAT_MARKS) return undefined;
  if (isMoreThan(MAX_NAME_LINES, name, LINE_END)) return "lines";
  const isTooMuch = isCode
    ? isMoreThan(MAX_FORMAT_MARKS, name, LITERAL)
    : partsOfName(name).some((part) =>
        part.kind === "code"
          ? isMoreThan(MAX_FORMAT_MARKS, part.code, LITERAL)
          : isMoreThan(MAX_FORMAT_MARKS, part.line, MARKDOWN),
      );
  return isTooMuch ? "formats" : undefined;
}

/** The same for an update, in which all lines make one node. */
export function excessOfUpdatedName(name: string, isCode: boolean): TextExcess | undefined {
  if (name.length <= MAX_FORMAT_MARKS) return undefined;
  if (isMoreThan(MAX_NAME_LINES, name, LINE_END)) return "lines";
  const [first, ...others] = partsOfName(name);
  const isLiteral = isCode || (first?.kind === "code" && others.length === 0);
  return isMoreThan(MAX_FORMAT_MARKS, name, isLiteral ? LITERAL : MARKDOWN) ? "formats" : undefined;
}

export function excessOfNote(note: string): TextExcess | undefined {
  return isMoreThan(MAX_FORMAT_MARKS, note, HTML) ? "formats" : undefined;
}

function isMoreThan(limit: number, text: string, pattern: RegExp): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text.matchAll(pattern)) if (++count > limit) return true;
  return false;
}

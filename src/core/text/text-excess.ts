import { partsOfName } from "./name-parts.ts";
import { MAX_FORMAT_MARKS, MAX_NAME_LINES } from "./text-limits.ts";

const MARKDOWN = /[*~`[]|<(?!br\b)\/?[a-z]|&#?\w+;|(?<!["'(<=])https?:\/\//gi;
const HTML = /<(?!br\b)\/?[a-z]|&#?\w+;/gi;
const LITERAL = /&#?\w+;/g;
const LINE_END = /\n|<br\b/gi;

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

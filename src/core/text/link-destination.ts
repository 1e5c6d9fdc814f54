import { decodedText } from "./entity.ts";
import { allowedHref } from "./href.ts";

export interface Destination {
  /** Undefined when a link may not carry the address: then only its text stays. */
  readonly href: string | undefined;
  /** Behind the closing parenthesis. */
  readonly end: number;
}

/** As in CommonMark's own parsers: parentheses in an address are not nested deeper. */
const MAX_PARENTHESES = 32;
const NEWLINE = 10;
const SPACE = 32;
const OPENING_PARENTHESIS = 40;
const CLOSING_PARENTHESIS = 41;
const OPENING = /\([ \n]*/y;
const IN_ANGLES = /<([^<>\n]*)>/y;
const CLOSING = /(?:[ \n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \n]*\)/y;

/**
 * Reads `(address)` or `(address "title")` at `start`, what follows the text of a markdown link; the
 * title is dropped. Undefined when it is something else. Each character of a line is looked at a
 * bounded number of times, however many links are tried on it.
 */
export function destinationAt(line: string, start: number): Destination | undefined {
  OPENING.lastIndex = start;
  if (!OPENING.test(line)) return undefined;
  const from = OPENING.lastIndex;

  IN_ANGLES.lastIndex = from;
  const inAngles = IN_ANGLES.exec(line)?.[1];
  const to = inAngles === undefined ? addressEnd(line, from) : IN_ANGLES.lastIndex;
  if (to === undefined) return undefined;

  CLOSING.lastIndex = to;
  if (!CLOSING.test(line)) return undefined;
  const address = decodedText(inAngles ?? line.slice(from, to));
  return { href: allowedHref(address), end: CLOSING.lastIndex };
}

/** Where an address ends: before a space or the parenthesis that nothing in it has opened. */
function addressEnd(line: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < line.length; at += 1) {
    switch (line.charCodeAt(at)) {
      case SPACE:
      case NEWLINE:
        return depth === 0 ? at : undefined;
      case OPENING_PARENTHESIS:
        depth += 1;
        if (depth > MAX_PARENTHESES) return undefined;
        break;
      case CLOSING_PARENTHESIS:
        if (depth === 0) return at;
        depth -= 1;
        break;
    }
  }
  return undefined;
}

import { decodedText } from "./entity.ts";
import { allowedHref } from "./href.ts";

export interface Destination {
  /** Undefined when a link may not carry the address: then only its text stays. */
  readonly href: string | undefined;
  /** What is shown where there is no other text; empty for an address that says nothing. */
  readonly shown: string;
  /** Behind the closing parenthesis. */
  readonly end: number;
}

/** As in CommonMark's own parsers: parentheses in an address are not nested deeper. */
const MAX_PARENTHESES = 32;
/** The content itself, what lasts as long as a page, programs, and places in a file that is elsewhere. */
const NO_ADDRESS = /^(?:(?:data|blob|javascript|vbscript):|#(?!\/))/i;
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
  const address = decodedText(inAngles ?? line.slice(from, to)).trim();
  const shown = NO_ADDRESS.test(address) ? "" : address;
  return { href: allowedHref(address), shown, end: CLOSING.lastIndex };
}

const AUTOLINK = /<((?:https?:\/\/|mailto:)[^ \n<>]+)>/iy;

/** An address in angles (`<https://…>`), and where it ends; undefined for everything else. */
export function autolinkAt(
  line: string,
  start: number,
): { readonly href: string; readonly end: number } | undefined {
  // Most are tags, and a pattern takes its time to say so.
  if (!"hHmM".includes(line.charAt(start + 1) || " ")) return undefined;
  AUTOLINK.lastIndex = start;
  const address = AUTOLINK.exec(line)?.[1];
  const href = address === undefined ? undefined : allowedHref(decodedText(address));
  return href === undefined ? undefined : { href, end: AUTOLINK.lastIndex };
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

import { parseDateMark, dateLabel } from "./dates.ts";
import { type DecodedPart, decodedParts, formatsOfPart } from "./entity.ts";
import { BacktickRuns } from "./backtick-runs.ts";
import { tagAt } from "./html-tag.ts";
import { lineBreakAt } from "./line-break.ts";
import { autolinkAt, type Destination, destinationAt } from "./link-destination.ts";
import { OpenElements } from "./open-elements.ts";
import type { Formats } from "./rich-text.ts";
import { textOfUnits } from "./text-of-units.ts";

/** A stretch of a markdown line, after everything but emphasis has been found. */
export interface Piece {
  /** What is shown; empty for a tag. */
  readonly text: string;
  /** Of the elements that are open there. */
  readonly formats: Formats | undefined;
  /** What the piece is by itself: code, a date, a character that was an entity. */
  readonly token?: Formats | undefined;
  /**
   * What stands for it when emphasis is looked for: characters that emphasis rules treat alike, none
   * of which means something else. As long as `text`, unless nothing in `text` can be a delimiter.
   */
  readonly mask: string;
  /** A link: its own content, in which emphasis is looked for separately. `text` is empty. */
  readonly link?: {
    readonly href: string | undefined;
    readonly pieces: readonly Piece[];
    /** Of a picture what it is said to show: all that is left of it in the text of a link. */
    readonly alt?: readonly Piece[];
  };
}

/** UTF-16 units that are looked at in a step. */
const STEP = 2 ** 15;

/** Stands for a tag, a code span or a link: punctuation, as their first and last characters are. */
const MARKUP = "-";
/** What makes a picture of a link. */
const PICTURE = "!";
const LESS_THAN = 0x3c;
const BACKTICK = 0x60;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const UPPER_H = 0x48;
const LOWER_H = 0x68;
const EQUALS = 0x3d;
const CARET = 0x5e;
/** 1 for the units that mean something. */
const SPECIAL = new Uint8Array(128);
for (const char of "<`[]Hh=^") SPECIAL[char.charCodeAt(0)] = 1;
const ADDRESS_START = /(?<![A-Za-z0-9])https?:\/\//iy;
const DATE = /\[(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)\]/y;
const ADDRESS_IN_BRACKETS = /[^ \n<\]]+/y;
const ADDRESS = /[^ \n<]+/y;
/** 1 for the punctuation that only other markdown uses. */
const OTHER_MARKDOWN = new Uint8Array(128);
for (const char of "_\\`[]<>!") OTHER_MARKDOWN[char.charCodeAt(0)] = 1;
const STAR = 0x2a;
const TILDE = 0x7e;
const DASH = 0x2d;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
/** Delimiters in a row that mean something. */
const MAX_STARS = 100;
const TILDES = 2;
const HIGHLIGHT_LENGTH = 2;
const SPACE_OR_END = /^\s?$/;
const OF_WORD = /^[A-Za-z0-9_]$/;

/**
 * Names have the tokens of the specification; files and pastes have pictures, `<https://…>` and
 * highlights (`==x==`, `^^x^^`), too.
 */
export type Dialect = "names" | "files";

/**
 * Finds tags, code spans, links, pictures, dates and addresses of a markdown line, leftmost first, in time
 * linear in its length, in steps of a few milliseconds.
 */
export function piecesOfMarkdown(
  line: string,
  dialect: Dialect,
): Generator<void, readonly Piece[]> {
  return new MarkdownScanner(line, dialect).scan();
}

/** A piece that may turn out to open a link. */
interface Bracket {
  /** Where in `#pieces` it stands. */
  readonly at: number;
  readonly isPicture: boolean;
}

class MarkdownScanner {
  readonly #line: string;
  readonly #dialect: Dialect;
  readonly #open = new OpenElements();
  readonly #pieces: Piece[] = [];
  /** Where the text starts that is in no piece yet. */
  #textStart = 0;
  /** The `[` and `![` that may still open a link or a picture. */
  #brackets: Bracket[] = [];
  /** Where in `#pieces` the last picture stands; a picture holds no other one. */
  #lastPicture = -1;
  /** By its unit, where in `#pieces` the mark stands that may still begin a highlight. */
  readonly #highlights = new Map<number, number>();
  /** No `[` behind it opens a link. */
  readonly #lastLink: number;
  #backticks: BacktickRuns | undefined;

  constructor(line: string, dialect: Dialect) {
    this.#line = line;
    this.#dialect = dialect;
    this.#lastLink = line.lastIndexOf("](");
  }

  *scan(): Generator<void, readonly Piece[]> {
    let yieldAt = STEP;
    const line = this.#line;
    for (let at = 0; at < line.length;) {
      if (at >= yieldAt) {
        yield;
        yieldAt = at + STEP;
      }
      const unit = line.charCodeAt(at);
      at = unit < SPECIAL.length && SPECIAL[unit] === 1 ? this.#pass(unit, at) : at + 1;
    }
    this.#endText(line.length);
    return this.#pieces;
  }

  /** @returns where to go on: behind what is there, or behind what turns out to be text */
  #pass(unit: number, at: number): number {
    switch (unit) {
      case LESS_THAN:
        return this.#passTag(at);
      case BACKTICK:
        return this.#open.isCode ? at + 1 : this.#passCode(at);
      case OPENING_BRACKET:
        return this.#open.isCode ? at + 1 : this.#passOpeningBracket(at);
      case CLOSING_BRACKET:
        return this.#open.isCode ? at + 1 : this.#passClosingBracket(at);
      case UPPER_H:
      case LOWER_H:
        return this.#open.isCode ? at + 1 : this.#passAddress(at);
      case EQUALS:
      case CARET:
        return this.#dialect === "names" ? at + 1 : this.#passHighlight(unit, at);
      default:
        return at + 1;
    }
  }

  #passTag(at: number): number {
    const lineBreak = lineBreakAt(this.#line, at, this.#textStart, "joined");
    if (lineBreak !== undefined) {
      this.#endText(lineBreak.from);
      this.#add(lineBreak, lineBreak.text);
      return this.#startText(lineBreak.to);
    }
    const mayBeAddress = this.#dialect === "files" && !this.#open.isCode;
    const autolink = mayBeAddress ? autolinkAt(this.#line, at) : undefined;
    if (autolink !== undefined) {
      this.#endText(at);
      this.#addLink(autolink.href, [this.#addressAsText(autolink.href)]);
      return this.#startText(autolink.end);
    }
    const tag = tagAt(this.#line, at);
    if (tag === undefined) return at + 1;
    this.#endText(at);
    if (!this.#open.pass(tag)) return at + 1;
    this.#pieces.push({ text: "", formats: undefined, mask: MARKUP });
    return this.#startText(at + tag.source.length);
  }

  #passCode(at: number): number {
    this.#backticks ??= new BacktickRuns(this.#line);
    const length = this.#backticks.lengthAt(at);
    const end = this.#backticks.nextOfLength(length, at + length);
    if (end === undefined) return at + length;
    this.#endText(at);
    let code = this.#line.slice(at + length, end);
    if (/^ .* $/s.test(code) && /[^ ]/.test(code)) code = code.slice(1, -1);
    for (const part of decodedParts(code)) this.#add(part, MARKUP, { code: true });
    return this.#startText(end + length);
  }

  #passOpeningBracket(at: number): number {
    DATE.lastIndex = at;
    const date = DATE.exec(this.#line)?.[1];
    if (date !== undefined && parseDateMark(date) !== undefined) {
      const end = at + date.length + 2;
      if (destinationAt(this.#line, end) === undefined) {
        this.#endText(at);
        this.#add({ text: dateLabel(date) }, MARKUP, { d: date });
        return this.#startText(end);
      }
    }
    if (at > this.#lastLink) return at + 1;
    const isPicture =
      this.#dialect === "files" && at > this.#textStart && this.#line[at - 1] === PICTURE;
    this.#endText(isPicture ? at - 1 : at);
    this.#brackets.push({ at: this.#pieces.length, isPicture });
    if (isPicture) this.#add({ text: PICTURE }, MARKUP);
    this.#add({ text: "[" }, MARKUP);
    return this.#startText(at + 1);
  }

  #passClosingBracket(at: number): number {
    const opening = this.#brackets.pop();
    if (opening === undefined || (opening.isPicture && opening.at <= this.#lastPicture)) {
      return at + 1;
    }
    const destination = destinationAt(this.#line, at + 1);
    if (destination === undefined) return at + 1;
    this.#endText(at);
    const inside = this.#pieces.splice(opening.at).slice(opening.isPicture ? 2 : 1);
    // A highlight that begins in a link ends there or is none.
    for (const [unit, at] of this.#highlights) {
      if (at >= opening.at) this.#highlights.delete(unit);
    }
    if (opening.isPicture) this.#addPicture(destination, inside);
    else this.#addLink(destination.href, this.#textOfLink(destination, inside));
    return this.#startText(destination.end);
  }

  /** Two of a kind, one of which begins a highlight and the other ends it; neither is within a word. */
  #passHighlight(unit: number, at: number): number {
    let end = at + 1;
    while (this.#line.charCodeAt(end) === unit) end += 1;
    if (end - at !== HIGHLIGHT_LENGTH || this.#open.isCode) return end;
    const before = this.#line.charAt(at - 1);
    const after = this.#line.charAt(end);
    const opening = this.#highlights.get(unit);
    if (opening !== undefined && !SPACE_OR_END.test(before) && !OF_WORD.test(after)) {
      this.#highlights.delete(unit);
      this.#endText(at);
      const inside = this.#pieces.slice(opening + 1);
      if (!isBlank(inside)) {
        const mark = { text: "", formats: undefined, mask: MARKUP };
        this.#pieces.length = opening;
        for (const piece of [mark, ...inside.map(highlighted), mark]) this.#pieces.push(piece);
        return this.#startText(end);
      }
    }
    if (SPACE_OR_END.test(after) || OF_WORD.test(before)) return end;
    this.#endText(at);
    this.#highlights.set(unit, this.#pieces.length);
    this.#add({ text: this.#line.slice(at, end) }, MARKUP.repeat(HIGHLIGHT_LENGTH));
    return this.#startText(end);
  }

  #addLink(href: string | undefined, pieces: readonly Piece[]): void {
    this.#pieces.push({ text: "", formats: undefined, mask: MARKUP, link: { href, pieces } });
    // A link holds no other link: the brackets around this one are ordinary characters.
    this.#brackets = [];
    this.#lastPicture = -1;
  }

  /** A picture is a link to it. */
  #addPicture({ href, shown }: Destination, inside: readonly Piece[]): void {
    const alt = isBlank(inside) ? [] : inside;
    const pieces = alt.length > 0 ? alt : [this.#addressAsText(shown)];
    this.#lastPicture = this.#pieces.length;
    this.#pieces.push({ text: "", formats: undefined, mask: MARKUP, link: { href, pieces, alt } });
  }

  /** Pictures are what they show, and its address stands where there is nothing else. */
  #textOfLink({ href, shown }: Destination, inside: readonly Piece[]): readonly Piece[] {
    const pieces =
      href === undefined ? inside : inside.flatMap((piece) => piece.link?.alt ?? piece);
    return isBlank(pieces) ? [this.#addressAsText(shown)] : pieces;
  }

  #addressAsText(address: string): Piece {
    return { text: address, formats: this.#open.formats, mask: withoutDelimiters(address) };
  }

  #passAddress(at: number): number {
    ADDRESS_START.lastIndex = at;
    if (!ADDRESS_START.test(this.#line)) return at + 1;
    const pattern = this.#brackets.length > 0 ? ADDRESS_IN_BRACKETS : ADDRESS;
    pattern.lastIndex = at;
    const address = withoutTail(pattern.exec(this.#line)?.[0] ?? "");
    this.#endText(at);
    for (const part of decodedParts(address)) {
      this.#add(part, withoutDelimiters(part.text));
    }
    return this.#startText(at + address.length);
  }

  #startText(at: number): number {
    this.#textStart = at;
    return at;
  }

  /** Makes pieces of the text that ends here. */
  #endText(at: number): void {
    const { isCode } = this.#open;
    for (const part of decodedParts(this.#line.slice(this.#textStart, at))) {
      const isGuarded = isCode || part.entity !== undefined;
      this.#add(part, isGuarded ? withoutDelimiters(part.text) : neutral(part.text));
    }
    this.#textStart = at;
  }

  #add(part: DecodedPart, mask: string, token?: Formats): void {
    if (part.text === "") return;
    const { formats } = this.#open;
    this.#pieces.push({ text: part.text, formats, token: formatsOfPart(part, token), mask });
  }
}

/** Recursion ends at the picture in a link. */
function highlighted(piece: Piece): Piece {
  const { formats, link } = piece;
  if (link === undefined) return { ...piece, formats: { mark: "", ...formats } };
  const { alt } = link;
  const pieces = link.pieces.map(highlighted);
  return {
    ...piece,
    link: { ...link, pieces, ...(alt !== undefined && { alt: alt.map(highlighted) }) },
  };
}

/** Whether pieces show nothing. */
function isBlank(pieces: readonly Piece[]): boolean {
  return pieces.every(({ text, link }) =>
    link === undefined ? text.trim() === "" : isBlank(link.pieces),
  );
}

/** The characters for emphasis rules, without those that mean something else or only elsewhere. */
function neutral(text: string): string {
  return masked(text, (unit, length) => (unit === STAR ? length > MAX_STARS : length !== TILDES));
}

/** As {@link neutral}, with no delimiter left. */
function withoutDelimiters(text: string): string {
  return masked(text, () => true);
}

/** @param isNone whether `*` or `~`, so many in a row, are no delimiter */
function masked(text: string, isNone: (unit: number, length: number) => boolean): string {
  const units = new Uint16Array(text.length);
  let isSame = true;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === STAR || unit === TILDE) {
      let end = at + 1;
      while (end < text.length && text.charCodeAt(end) === unit) end += 1;
      const isMasked = isNone(unit, end - at);
      units.fill(isMasked ? DASH : unit, at, end);
      if (isMasked) isSame = false;
      at = end - 1;
    } else if (unit === LINE_FEED || (unit < OTHER_MARKDOWN.length && OTHER_MARKDOWN[unit] === 1)) {
      units[at] = unit === LINE_FEED ? SPACE : DASH;
      isSame = false;
    } else {
      units[at] = unit;
    }
  }
  return isSame ? text : textOfUnits(units, text.length);
}

const ENTITY_AT_END = /&#?[a-zA-Z0-9]+;$/;
const MAX_ENTITY = 40;

/** A bare address without the punctuation that ends the sentence around it. */
function withoutTail(address: string): string {
  let surplus = 0;
  for (const char of address) surplus += char === ")" ? 1 : char === "(" ? -1 : 0;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const char = address[end - 1] ?? "";
    const entity =
      char === ";" ? ENTITY_AT_END.exec(address.slice(0, end).slice(-MAX_ENTITY)) : null;
    // An entity is one character, which is left to the text behind the address as a whole.
    if (entity !== null) end -= entity[0].length - 1;
    else if (char === ")" && surplus > 0) surplus -= 1;
    else if (!"?!.,:;*_~'\"".includes(char)) break;
  }
  return address.slice(0, end);
}

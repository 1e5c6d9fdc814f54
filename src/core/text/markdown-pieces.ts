import { parseDateMark, dateLabel } from "./dates.ts";
import { decodedParts, formatsOfPart } from "./entity.ts";
import { BacktickRuns } from "./backtick-runs.ts";
import { tagAt } from "./html-tag.ts";
import { destinationAt } from "./link-destination.ts";
import { OpenElements } from "./open-elements.ts";
import type { Formats } from "./rich-text.ts";

/** A stretch of a markdown line, after everything but emphasis has been found. */
export interface Piece {
  /** What is shown; empty for a tag. */
  readonly text: string;
  readonly formats: Formats | undefined;
  /**
   * What stands for it when emphasis is looked for: characters that emphasis rules treat alike, none
   * of which means something else. As long as `text`, unless nothing in `text` can be a delimiter.
   */
  readonly mask: string;
  /** A link: its own content, in which emphasis is looked for separately. `text` is empty. */
  readonly link?: { readonly href: string | undefined; readonly pieces: readonly Piece[] };
}

/** Stands for a tag, a code span or a link: punctuation, as their first and last characters are. */
const MARKUP = "-";
const SPECIAL = /[<`[\]]|(?<![A-Za-z0-9])https?:\/\//gi;
const DATE = /\[(\d{4}-\d\d-\d\d(?: \d\d:\d\d)?)\]/y;
const ADDRESS_IN_BRACKETS = /[^ \n<\]]+/y;
const ADDRESS = /[^ \n<]+/y;
/** Punctuation that only other markdown uses, and delimiters that are none. */
const NOT_EMPHASIS = /[_\\`[\]<>!]|\*{101,}|~{3,}|(?<!~)~(?!~)/g;

/**
 * Finds tags, code spans, links, dates and bare addresses of a markdown line, leftmost first, in time
 * linear in its length.
 */
export function piecesOfMarkdown(line: string): readonly Piece[] {
  return new MarkdownScanner(line).scan();
}

class MarkdownScanner {
  readonly #line: string;
  readonly #open = new OpenElements();
  readonly #pieces: Piece[] = [];
  /** Where in `#pieces` the `[` stand that may still open a link. */
  #brackets: number[] = [];
  #backticks: BacktickRuns | undefined;

  constructor(line: string) {
    this.#line = line;
  }

  scan(): readonly Piece[] {
    let at = 0;
    for (;;) {
      SPECIAL.lastIndex = at;
      const special = SPECIAL.exec(this.#line);
      this.#addText(this.#line.slice(at, special?.index));
      if (special === null) return this.#pieces;
      at = this.#passSpecial(special[0], special.index);
    }
  }

  /** @returns where to go on, behind what was there */
  #passSpecial(special: string, at: number): number {
    if (special === "<") return this.#passTag(at);
    if (this.#open.isCode) return this.#passText(at, special.length);
    switch (special) {
      case "`":
        return this.#passCode(at);
      case "[":
        return this.#passOpeningBracket(at);
      case "]":
        return this.#passClosingBracket(at);
      default:
        return this.#passAddress(at);
    }
  }

  #passTag(at: number): number {
    const tag = tagAt(this.#line, at);
    if (tag === undefined || !this.#open.pass(tag)) return this.#passText(at, 1);
    this.#pieces.push({ text: "", formats: undefined, mask: MARKUP });
    return at + tag.source.length;
  }

  #passCode(at: number): number {
    this.#backticks ??= new BacktickRuns(this.#line);
    const length = this.#backticks.lengthAt(at);
    const end = this.#backticks.nextOfLength(length, at + length);
    if (end === undefined) return this.#passText(at, length);
    let code = this.#line.slice(at + length, end);
    if (/^ .* $/s.test(code) && /[^ ]/.test(code)) code = code.slice(1, -1);
    const formats = { ...this.#open.formats, code: true } as const;
    for (const part of decodedParts(code)) {
      this.#add(part.text, formatsOfPart(part, formats), MARKUP);
    }
    return end + length;
  }

  #passOpeningBracket(at: number): number {
    DATE.lastIndex = at;
    const date = DATE.exec(this.#line)?.[1];
    if (date !== undefined && parseDateMark(date) !== undefined) {
      const end = at + date.length + 2;
      if (destinationAt(this.#line, end) === undefined) {
        this.#add(dateLabel(date), { ...this.#open.formats, d: date }, MARKUP);
        return end;
      }
    }
    this.#brackets.push(this.#pieces.length);
    this.#pieces.push({ text: "[", formats: this.#open.formats, mask: MARKUP });
    return at + 1;
  }

  #passClosingBracket(at: number): number {
    const opening = this.#brackets.pop();
    const destination = opening === undefined ? undefined : destinationAt(this.#line, at + 1);
    if (opening === undefined || destination === undefined) return this.#passText(at, 1);
    const [, ...pieces] = this.#pieces.splice(opening);
    const link = { href: destination.href, pieces };
    this.#pieces.push({ text: "", formats: undefined, mask: MARKUP, link });
    // A link holds no other link: the brackets around this one are ordinary characters.
    this.#brackets = [];
    return destination.end;
  }

  #passAddress(at: number): number {
    const pattern = this.#brackets.length > 0 ? ADDRESS_IN_BRACKETS : ADDRESS;
    pattern.lastIndex = at;
    const address = withoutTail(pattern.exec(this.#line)?.[0] ?? "");
    for (const part of decodedParts(address)) {
      this.#add(part.text, formatsOfPart(part, this.#open.formats), guarded(part.text));
    }
    return at + address.length;
  }

  #passText(at: number, length: number): number {
    this.#addText(this.#line.slice(at, at + length));
    return at + length;
  }

  #addText(text: string): void {
    const { formats, isCode } = this.#open;
    for (const part of decodedParts(text)) {
      const isGuarded = isCode || part.entity !== undefined;
      const mask = isGuarded ? guarded(part.text) : neutral(part.text);
      this.#add(part.text, formatsOfPart(part, formats), mask);
    }
  }

  #add(text: string, formats: Formats | undefined, mask: string): void {
    if (text !== "") this.#pieces.push({ text, formats, mask });
  }
}

/** The characters for emphasis rules, without those that mean something else or only elsewhere. */
function neutral(text: string): string {
  return text.replace(NOT_EMPHASIS, (found) => MARKUP.repeat(found.length)).replaceAll("\n", " ");
}

/** As {@link neutral}, with no delimiter left. */
function guarded(text: string): string {
  return neutral(text).replace(/[*~]/g, MARKUP);
}

/** A bare address without the punctuation that ends the sentence around it. */
function withoutTail(address: string): string {
  let surplus = 0;
  for (const char of address) surplus += char === ")" ? 1 : char === "(" ? -1 : 0;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const char = address[end - 1] ?? "";
    if (char === ")" && surplus > 0) surplus -= 1;
    else if (!"?!.,:;*_~'\"".includes(char)) break;
  }
  return address.slice(0, end);
}

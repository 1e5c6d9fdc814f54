import { Lexer, type Token, Tokenizer, type Tokens } from "marked";

/** The format keys of emphasis. */
export type Style = "b" | "i" | "s";

/** The mark of a character that is a delimiter and not shown. */
export const DELIMITER = 255;

const STYLES: readonly Style[] = ["b", "i", "s"];

/** Every way to nest styles, outermost first; the first is none. */
const NESTINGS: (readonly Style[])[] = [[]];
for (const inner of NESTINGS) {
  for (const style of STYLES) if (!inner.includes(style)) NESTINGS.push([style, ...inner]);
}

/** For each style and each nesting the nesting with that style around it; a style counts once. */
const AROUND = new Map(
  STYLES.map((style) => [style, NESTINGS.map((inner) => around(style, inner))]),
);

function around(style: Style, inner: readonly Style[]): number {
  const nested = [style, ...inner.filter((other) => other !== style)].join();
  return NESTINGS.findIndex((nesting) => nesting.join() === nested);
}

const STYLE_BY_TOKEN: ReadonlyMap<string, Style> = new Map([
  ["strong", "b"],
  ["em", "i"],
  ["del", "s"],
]);

/** Emphasis in emphasis goes this deep; what is nested deeper stays as it is written. */
const MAX_DEPTH = 6;
/**
 * Steps that finding the ends of emphasis may take in one line; a step is a delimiter looked at, or
 * some characters between. Real text needs a small multiple of its delimiters; a line made to be slow
 * keeps the rest of its `*` and `~` as characters.
 */
const MAX_STEPS = 200_000;
const CHARACTERS_PER_STEP = 64;
const STEPS_PER_ATTEMPT = 8;

/**
 * Marked's tokenizer, of which only emphasis and strikethrough are left. Its steps are counted, since
 * an opening delimiter without an end makes it look at all that follows, again for each of them.
 */
class EmphasisTokenizer extends Tokenizer {
  readonly #stepsPerCharacter: number;
  #steps = 0;
  #depth = 0;

  constructor(line: string) {
    super();
    const delimiters = line.match(/[*~]/g)?.length ?? 0;
    this.#stepsPerCharacter = delimiters / line.length + 1 / CHARACTERS_PER_STEP;
  }

  override escape(): undefined {}
  override tag(): undefined {}
  override link(): undefined {}
  override reflink(): undefined {}
  override codespan(): undefined {}
  override br(): undefined {}
  override autolink(): undefined {}
  override url(): undefined {}

  override emStrong(
    src: string,
    maskedSrc: string,
    prevChar?: string,
  ): Tokens.Em | Tokens.Strong | undefined {
    if (!src.startsWith("*")) return undefined;
    return this.#attempt(src, () => super.emStrong(src, maskedSrc, prevChar));
  }

  override del(src: string, maskedSrc: string, prevChar?: string): Tokens.Del | undefined {
    if (!src.startsWith("~~")) return undefined;
    return this.#attempt(src, () => super.del(src, maskedSrc, prevChar));
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const rest = this.#steps < MAX_STEPS ? /^(?:~+|[^])[^*~]*/.exec(src)?.[0] : src;
    const raw = rest ?? src;
    return { type: "text", raw, text: raw };
  }

  #attempt<T extends { readonly raw: string }>(
    src: string,
    find: () => T | undefined,
  ): T | undefined {
    if (this.#steps >= MAX_STEPS || this.#depth >= MAX_DEPTH) return undefined;
    this.#steps += STEPS_PER_ATTEMPT + src.length * this.#stepsPerCharacter;
    this.#depth += 1;
    const found = find();
    this.#depth -= 1;
    if (found !== undefined) {
      this.#steps -= (src.length - found.raw.length) * this.#stepsPerCharacter;
    }
    return found;
  }
}

/**
 * Where a line has emphasis, by CommonMark's rules for `*`, `**` and GitHub's for `~~`. `line` holds
 * no other character that means something in markdown.
 * @returns for each UTF-16 unit of the line a mark: DELIMITER, or its styles for {@link stylesOf}
 */
export function emphasisOf(line: string): Uint8Array {
  const marks = new Uint8Array(line.length);
  if (!line.includes("*") && !line.includes("~~")) return marks;
  const lexer = new Lexer({ gfm: true, tokenizer: new EmphasisTokenizer(line) });
  paint(lexer.inlineTokens(line), 0, marks);
  return marks;
}

/** The styles that a mark stands for, outermost first. */
export function stylesOf(mark: number): readonly Style[] {
  return NESTINGS[mark] ?? [];
}

/** Recursion ends at MAX_DEPTH, which the tokenizer keeps. */
function paint(tokens: readonly Token[], start: number, marks: Uint8Array): void {
  let at = start;
  for (const token of tokens) {
    const end = at + token.raw.length;
    const style = STYLE_BY_TOKEN.get(token.type);
    if (style !== undefined && "tokens" in token) {
      const width = style === "i" ? 1 : 2;
      paint(token.tokens ?? [], at + width, marks);
      const marksAround = AROUND.get(style);
      for (let index = at + width; index < end - width; index += 1) {
        marks[index] = marksAround?.[marks[index] ?? 0] ?? DELIMITER;
      }
      marks.fill(DELIMITER, at, at + width).fill(DELIMITER, end - width, end);
    }
    at = end;
  }
}

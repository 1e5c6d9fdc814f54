const QUOTE = 34;
const BACKSLASH = 92;
const OPENING_BRACKET = 91;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

interface BracketLimits {
  /** Brackets that are open at once. */
  readonly maxDepth: number;
  /** Pairs of brackets. */
  readonly maxPairs: number;
}

/**
 * Follows the brackets of a JSON text while it comes: a pair of two characters becomes an object of
 * some 100 bytes in whoever parses the text. Knows nothing else of JSON.
 */
export class BracketScan {
  readonly #limits: BracketLimits;
  #depth = 0;
  #deepest = 0;
  #pairs = 0;
  #isInText = false;
  #isEscaped = false;

  constructor(limits: BracketLimits) {
    this.#limits = limits;
  }

  /** Why the text should not be parsed; undefined as long as it may be. */
  get excess(): string | undefined {
    const { maxDepth, maxPairs } = this.#limits;
    if (this.#deepest > maxDepth) return `more than ${maxDepth} levels of brackets`;
    return this.#pairs > maxPairs ? `more than ${maxPairs} pairs of brackets` : undefined;
  }

  push(piece: string): void {
    // Fields of the instance take twice as long.
    let depth = this.#depth;
    let deepest = this.#deepest;
    let pairs = this.#pairs;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (isEscaped) isEscaped = false;
      else if (unit === QUOTE) isInText = !isInText;
      else if (isInText) isEscaped = unit === BACKSLASH;
      else if (unit === OPENING_BRACKET || unit === OPENING_BRACE) {
        pairs++;
        if (++depth > deepest) deepest = depth;
      } else if (unit === CLOSING_BRACKET || unit === CLOSING_BRACE) depth--;
    }
    this.#depth = depth;
    this.#deepest = deepest;
    this.#pairs = pairs;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
  }
}

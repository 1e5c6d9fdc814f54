/**
 * Which pairs of neighbouring letters a text has, as 60 bits that several pairs share. A text that lacks
 * one of a word's does not have the word: most words that are not there are ruled out without a look at
 * the text.
 */
export interface LetterPairs {
  readonly low: number;
  readonly high: number;
}

/** Every text has these. */
export const NO_PAIRS: LetterPairs = { low: 0, high: 0 };

/** Small whole numbers on every engine. */
const BITS = 30;

/** The pairs of a folded text. Linear in its length. */
export function pairsOf(text: string): LetterPairs {
  let [low, high] = [0, 0];
  for (let at = 1; at < text.length; at++) {
    const pair = text.charCodeAt(at - 1) * 31 + text.charCodeAt(at);
    const bit = (Math.imul(pair, 0x9e3779b1) >>> 16) % (2 * BITS);
    if (bit < BITS) low |= 1 << bit;
    else high |= 1 << (bit - BITS);
  }
  return { low, high };
}

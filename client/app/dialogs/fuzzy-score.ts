const WHOLE = 60;
const AT_START = 30;
const AT_WORD = 20;
const INSIDE = 8;
const SCATTERED = 1;
/** A long name has many letters, so matching it says less. */
const LENGTH_COST = 0.05;
const LONGEST_COUNTED = 200;

/** The words of a query, as `fuzzyScore` takes them. */
export function fuzzyWords(query: string): readonly string[] {
  return query.trim().toLowerCase().split(/\s+/).filter(Boolean);
}

/**
 * How well a text fits a query: all of its words must be in it, in any order, or the letters of a
 * word of three or more in their order.
 * @param text in lower case
 * @returns undefined when it does not fit; the better, the greater
 */
export function fuzzyScore(text: string, words: readonly string[]): number | undefined {
  let score = -Math.min(text.length, LONGEST_COUNTED) * LENGTH_COST;
  for (const word of words) {
    const points = scoreOfWord(text, word);
    if (points === undefined) return undefined;
    score += points;
  }
  return score;
}

function scoreOfWord(text: string, word: string): number | undefined {
  const at = text.indexOf(word);
  if (at === -1) return word.length >= 3 && hasScattered(text, word) ? SCATTERED : undefined;
  if (at === 0) return text.length === word.length ? WHOLE : AT_START;
  for (let from = at; from !== -1; from = text.indexOf(word, from + 1)) {
    if (!isLetter(text.charCodeAt(from - 1))) return AT_WORD;
  }
  return INSIDE;
}

/** Whether the letters of a word are there in their order, the first at the start of a word. */
function hasScattered(text: string, word: string): boolean {
  let at = text.indexOf(word.charAt(0));
  while (at > 0 && isLetter(text.charCodeAt(at - 1))) at = text.indexOf(word.charAt(0), at + 1);
  for (let index = 1; index < word.length && at !== -1; index += 1) {
    at = text.indexOf(word.charAt(index), at + 1);
  }
  return at !== -1;
}

/** Small letters and digits; beyond ASCII everything counts as one. */
function isLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || unit > 127;
}

/** Accents, and what nobody sees: soft hyphens, where a line may break, and directions of writing. */
const UNSEEN = /[\p{M}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;
// oxlint-disable-next-line no-control-regex -- the range is ASCII as a whole
const ASCII = /^[\u0000-\u007f]*$/;

/** Letters that are no plain ones with an accent, and signs that programs put where people type plain ones. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  þ: "th",
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ħ: "h",
  ı: "i",
  ς: "σ",
  "‘": "'",
  "’": "'",
  ʼ: "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "\u2010": "-",
  "\u2011": "-",
  "\u2212": "-",
};
/** Spaces, ligatures, then digits and letters of another width. */
const FORMS = "\u00a0\u202f\ufb00-\ufb06\uff10-\uff19\uff41-\uff5a\uff66-\uffdc";
const OTHER = new RegExp(`[${Object.keys(PLAIN).join("")}${FORMS}]`, "g");

/**
 * A text as search compares it: without case and accents, in plain letters and signs, each the same
 * wherever it stands.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Thousands of accents behind one letter take `normalize` the square of their number to put in order.
  const letters = text.replace(UNSEEN, "").normalize("NFD");
  return letters.replace(UNSEEN, "").toLowerCase().replace(OTHER, plainOf);
}

function plainOf(letter: string): string {
  return PLAIN[letter] ?? letter.normalize("NFKD").replace(UNSEEN, "");
}

/** Characters of a long text that are folded, or looked through for a word, in a step of some milliseconds. */
export const PART = 16 * 1024;

/** The same of a long text, in steps: each letter is folded by itself. */
export function* foldInSteps(text: string): Generator<void, string> {
  let folded = "";
  for (let from = 0; from < text.length;) {
    // Both halves of a letter stay in one part.
    const isWithinLetter = (text.charCodeAt(from + PART - 1) & 0xfc00) === 0xd800;
    const end = from + PART - (isWithinLetter ? 1 : 0);
    folded += foldText(text.slice(from, end));
    from = end;
    if (from < text.length) yield;
  }
  return folded;
}

const ACCENTS = /\p{M}/gu;
// oxlint-disable-next-line no-control-regex -- the range is ASCII as a whole
const ASCII = /^[\u0000-\u007f]*$/;

/** A text as search compares it: without case and accents, each letter the same wherever it stands. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  // Thousands of accents behind one letter take `normalize` the square of their number to put in order.
  const letters = text.replace(ACCENTS, "").normalize("NFD");
  return letters.replace(ACCENTS, "").toLowerCase().replaceAll("ς", "σ");
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

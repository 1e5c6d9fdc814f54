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

const ACCENTS = /\p{M}/gu;
// oxlint-disable-next-line no-control-regex -- the range is ASCII as a whole
const ASCII = /^[\u0000-\u007f]*$/;

/** A text as search compares it: without case and accents, each letter the same wherever it stands. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFD").replace(ACCENTS, "").toLowerCase().replaceAll("ς", "σ");
}

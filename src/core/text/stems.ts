/** Characters of a stem. What is longer is no word that somebody wrote anew. */
const MAX_STEM = 100;
/** Letters of scripts that have no spaces between words. */
const NO_SPACES = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const AT_END = new RegExp(String.raw`[^\s${NO_SPACES}]*$`, "u");
const AT_START = new RegExp(String.raw`^[^\s${NO_SPACES}]*`, "u");

/** The beginning of a word that ends where a text ends: up to a space, without the signs before it. */
export function leftStem(text: string): string {
  const stem = AT_END.exec(text.slice(-MAX_STEM - 1))?.[0] ?? "";
  return stem.length > MAX_STEM ? "" : stem.replace(/^[^\p{L}\p{M}\p{N}_]+/u, "");
}

/** The end of a word that begins where a text begins: up to a space, without the signs behind it. */
export function rightStem(text: string): string {
  const stem = AT_START.exec(text.slice(0, MAX_STEM + 1))?.[0] ?? "";
  return stem.length > MAX_STEM ? "" : stem.replace(/[^\p{L}\p{M}\p{N}_]+$/u, "");
}

/** Without a look ahead, since nearly every text is only asked whether it is clean. */
const UNWANTED = /[^\P{Cc}\n]|\p{Cs}/u;
const CONTROLS = /(?!\n)\p{Cc}/gu;
const LONE_SURROGATES = /\p{Cs}/gu;

/**
 * Text as it may be stored: control characters are gone except line breaks (`\r\n` is one `\n`), a
 * tab is a space, lone surrogates are U+FFFD. Cleaning twice changes nothing more.
 */
export function cleanText(text: string): string {
  if (!UNWANTED.test(text)) return text;
  return text.replaceAll("\t", " ").replace(CONTROLS, "").replace(LONE_SURROGATES, "\uFFFD");
}

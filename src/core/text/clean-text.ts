import { textOfUnits } from "./text-of-units.ts";

const UNWANTED = /[^\P{Cc}\n]|\p{Cs}/u;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const REPLACEMENT = 0xfffd;

/**
 * Text as it may be stored: control characters are gone except line breaks (`\r\n` is one `\n`), a
 * tab is a space, lone surrogates are U+FFFD. Cleaning twice changes nothing more.
 */
export function cleanText(text: string): string {
  // As nearly every text is.
  if (!UNWANTED.test(text)) return text;
  // Unit by unit: replacing takes ten times as long where there are very many.
  const units = new Uint16Array(text.length);
  let count = 0;
  // What stands between the halves of a character may go.
  let isHalf = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isUnwanted(unit)) continue;
    if (isHalf && !isLow(unit)) units[count - 1] = REPLACEMENT;
    const isLone = isLow(unit) && !isHalf;
    isHalf = isHigh(unit);
    units[count++] = isLone ? REPLACEMENT : unit === TAB ? SPACE : unit;
  }
  if (isHalf) units[count - 1] = REPLACEMENT;
  return textOfUnits(units, count);
}

function isUnwanted(unit: number): boolean {
  return (unit < SPACE && unit !== LINE_FEED && unit !== TAB) || (unit >= 0x7f && unit < 0xa0);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

import type { Layout } from "../node/layout.ts";
import { textOfUnits } from "./text-of-units.ts";

/** What becomes of the tabs of a text. */
export type Tabs = "spaces" | "kept";

const UNWANTED: Readonly<Record<Tabs, RegExp>> = {
  spaces: /[^\P{Cc}\n]|\p{Cs}/u,
  kept: /[^\P{Cc}\n\t]|\p{Cs}/u,
};

const TAB = 0x09;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const REPLACEMENT = 0xfffd;

/**
 * Text as it may be stored: control characters are gone except line breaks (`\r\n` is one `\n`), a
 * tab is a space unless it is kept, lone surrogates are U+FFFD. Cleaning twice changes nothing more.
 */
export function cleanText(text: string, tabs: Tabs = "spaces"): string {
  // As nearly every text is.
  if (!UNWANTED[tabs].test(text)) return text;
  const tab = tabs === "kept" ? TAB : SPACE;
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
    units[count++] = isLone ? REPLACEMENT : unit === TAB ? tab : unit;
  }
  if (isHalf) units[count - 1] = REPLACEMENT;
  return textOfUnits(units, count);
}

/** Only the text of a code block is literal: there a tab says something. */
export function tabsOfName(layout: Layout): Tabs {
  return layout === "code-block" ? "kept" : "spaces";
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

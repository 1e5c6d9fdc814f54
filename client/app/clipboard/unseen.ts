import { plainText, type RichText } from "../../../src/core/text/rich-text.ts";
import { sliceOfText } from "../../lib/edit/slice-of-text.ts";
import { type HtmlNode, STYLE_ATTRIBUTE } from "./html-line.ts";

/** Elements whose inside is nothing a person sees. */
const UNSEEN: ReadonlySet<string> = new Set(
  "script style template noscript head title meta link iframe object embed annotation".split(" "),
);
/** The last two leave a point of a text that is there for screen readers only. */
const HIDING =
  /(?:^|[;\s])(?:display:\s*none|visibility:\s*hidden|mso-hide:\s*all|clip:\s*rect\(|clip-path:\s*inset\((?:50|100)%)/i;

/** Whether nothing of an element is shown. A box to tick may be drawn by the page in its place. */
export function isUnseen(element: HtmlNode, tag: string): boolean {
  if (UNSEEN.has(tag)) return true;
  if (tag === "input") return false;
  return (
    typeof element.getAttribute?.("hidden") === "string" ||
    HIDING.test(element.getAttribute?.(STYLE_ATTRIBUTE) ?? "")
  );
}

/** Spaces of every kind, and characters without a width that join no others. */
const UNSEEN_CHARACTER = /[\s\u200b\u2060]/;
const SEEN_CHARACTER = /[^\s\u200b\u2060]/;

/** A text without what shows nothing at its ends. */
export function withoutUnseenEnds(text: RichText): RichText {
  const plain = plainText(text);
  const from = plain.search(SEEN_CHARACTER);
  if (from < 0) return [];
  let to = plain.length;
  while (UNSEEN_CHARACTER.test(plain.charAt(to - 1))) to -= 1;
  return sliceOfText(text, from, to);
}

/** A text with spaces for those that do not break in front of its lines, and lines that show nothing empty. */
export function withPlainBlanks(text: string): string {
  return text
    .replaceAll(/^[ \t]*[\u00a0\u200b\u2060\ufeff][ \t\u00a0\u200b\u2060\ufeff]*$/gm, "")
    .replace(/^\ufeff/, "")
    .replaceAll(/^[ \t\u00a0]+/gm, (blanks) => blanks.replaceAll("\u00a0", " "))
    .replaceAll(/^([ \t]*[-*+•◦▪▫‣⁃●○■□☐☑☒✅✓✔])\u00a0+/gmu, "$1 ");
}

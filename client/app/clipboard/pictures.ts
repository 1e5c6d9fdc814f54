import { allowedHref } from "../../../src/core/text/href.ts";
import type { HtmlNode } from "./html-line.ts";

/** What is left of a picture on a page. */
export interface PastedPicture {
  /** What it is said to show; empty when nothing is said. */
  readonly text: string;
  /** Undefined where it stands for a character, and for one that is only in the page itself. */
  readonly href: string | undefined;
}

/** Emoji and the like, which many programs show as pictures: as themselves, or as `:smile:`. */
const SIGN = /^(?:[\p{Extended_Pictographic}\p{Emoji_Component}]+|:[\w+-]+:)$/u;
const DIGITS = /^[\d#*]+$/;

/** Undefined for what nobody sees: boxes that are read elsewhere, and what only counts readers. */
export function pictureOf(element: HtmlNode): PastedPicture | undefined {
  const said = (name: string): string => element.getAttribute?.(name)?.trim() ?? "";
  if (said("aria-roledescription") === "checkbox") return undefined;
  if (/^[01](?:px)?$/.test(said("width")) && /^[01](?:px)?$/.test(said("height"))) return undefined;
  const text = said("alt");
  const isSign = SIGN.test(text) && !DIGITS.test(text);
  const href = /^https?:/i.test(said("src")) ? allowedHref(said("src")) : undefined;
  return { text, href: isSign ? undefined : href };
}

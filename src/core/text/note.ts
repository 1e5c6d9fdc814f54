import { richTextOfHtml } from "./html.ts";
import type { RichText } from "./rich-text.ts";

/** Reads a note: HTML with its line breaks, no markdown. An empty note is `[]`: it is cleared. */
export function richTextOfNote(note: string): RichText {
  return richTextOfHtml(note);
}

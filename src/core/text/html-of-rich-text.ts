import type { Tabs } from "./clean-text.ts";
import { charactersOfRun, escapeText, longestWritten, renderRuns, tagWriter } from "./render.ts";
import { cleanRichText, plainText, type RichText } from "./rich-text.ts";

/**
 * Writes a text as an HTML fragment. Unknown formats, values that are not allowed, and characters that
 * may not be stored write nothing, so the fragment is safe whatever the document holds. A text whose
 * formats would make it many times as long is written without them. Reading the fragment gives the
 * same one again.
 */
export function htmlOfRichText(text: RichText, tabs?: Tabs): string {
  const clean = cleanRichText(text, tabs);
  const plain = plainText(clean);
  const html = renderRuns(clean, {
    markupOf: tagWriter(),
    charactersOf: (run) => charactersOfRun(run, escapeText),
    maxLength: longestWritten(plain.length),
  });
  return html ?? escapeText(plain);
}

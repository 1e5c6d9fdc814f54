import { cleanText } from "./clean-text.ts";
import { decodedParts, formatsOfPart } from "./entity.ts";
import { tagAt } from "./html-tag.ts";
import { OpenElements } from "./open-elements.ts";
import { charactersOfRun, escapeText, renderRuns, tagsOfRun } from "./render.ts";
import { type Formats, type RichText, RunBuilder } from "./rich-text.ts";

/** Adds a text in which only entities mean something. */
function addDecoded(runs: RunBuilder, text: string, formats: Formats | undefined): void {
  for (const part of decodedParts(text)) {
    runs.add(part.text, formatsOfPart(part, formats));
  }
}

/** Text that is taken as it is, tags too, except that valid entities stand for their characters. */
export function richTextOfLiteral(text: string): RichText {
  const runs = new RunBuilder();
  addDecoded(runs, cleanText(text), undefined);
  return runs.finish();
}

/**
 * Reads an HTML fragment. Allowed tags become formats, whatever else looks like a tag is text; any
 * string is accepted, crossed and unclosed tags too. Takes time linear in the length.
 */
export function richTextOfHtml(html: string): RichText {
  const text = cleanText(html);
  // As nearly every name and note is.
  if (!/[<&]/.test(text)) return text === "" ? [] : [{ insert: text }];
  const runs = new RunBuilder();
  const open = new OpenElements();
  let end = 0;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    const tag = tagAt(text, at);
    if (tag === undefined) continue;
    const { formats } = open;
    if (!open.pass(tag)) continue;
    addDecoded(runs, text.slice(end, at), formats);
    end = at + tag.source.length;
  }
  addDecoded(runs, text.slice(end), open.formats);
  return runs.finish();
}

/**
 * Writes a text as an HTML fragment. Unknown formats, and values that are not allowed, write nothing,
 * so the fragment is safe whatever the document holds. Reading it gives the same fragment again.
 */
export function htmlOfRichText(text: RichText): string {
  return renderRuns(text, tagsOfRun, (run) => charactersOfRun(run, escapeText));
}

import { cleanText } from "./clean-text.ts";
import { decodedParts, formatsOfPart } from "./entity.ts";
import { inOneGo } from "../in-one-go.ts";
import { tagAt } from "./html-tag.ts";
import { lineBreakAt, type Lines } from "./line-break.ts";
import { OpenElements } from "./open-elements.ts";
import { type Formats, type RichText, RunBuilder } from "./rich-text.ts";

/** UTF-16 units that are read in a step. */
const STEP = 2 ** 15;

/** Adds a text in which only entities mean something. */
function addDecoded(runs: RunBuilder, text: string, formats: Formats | undefined): void {
  for (const part of decodedParts(text)) {
    runs.add(part.text, formatsOfPart(part, formats));
  }
}

/** The same in steps, each of which ends before an entity may begin. */
function* addInSteps(
  runs: RunBuilder,
  text: string,
  formats: Formats | undefined,
): Generator<void> {
  for (let from = 0; from < text.length;) {
    const cut = text.indexOf("&", from + STEP);
    const to = cut === -1 ? text.length : cut;
    addDecoded(runs, text.slice(from, to), formats);
    from = to;
    if (from < text.length) yield;
  }
}

/** Text that is taken as it is, tags and tabs too, except that valid entities stand for their characters. */
export function richTextOfLiteral(text: string): RichText {
  const runs = new RunBuilder();
  addDecoded(runs, cleanText(text, "kept"), undefined);
  return runs.finish();
}

/**
 * Reads an HTML fragment. Allowed tags become formats, whatever else looks like a tag is text; any
 * string is accepted, crossed and unclosed tags too. Takes time linear in the length.
 * @param lines what becomes of `<br>` and tabs; the lines of names that are not code are joined
 */
export function richTextOfHtml(html: string, lines: Lines = "kept"): RichText {
  return inOneGo(htmlInSteps(html, lines));
}

/** The same in steps of a few milliseconds. */
export function* htmlInSteps(html: string, lines: Lines = "kept"): Generator<void, RichText> {
  const text = cleanText(html, lines === "code" ? "kept" : "spaces");
  // As nearly every name and note is.
  if (!/[<&]/.test(text)) return text === "" ? [] : [{ insert: text }];
  const runs = new RunBuilder();
  const open = new OpenElements();
  let end = 0;
  let yieldAt = STEP;
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    if (at >= yieldAt) {
      yield;
      yieldAt = at + STEP;
    }
    const { formats } = open;
    const lineBreak = lineBreakAt(text, at, end, lines);
    if (lineBreak !== undefined) {
      yield* addInSteps(runs, text.slice(end, lineBreak.from), formats);
      runs.add(lineBreak.text, formats);
      end = lineBreak.to;
      at = end - 1;
      continue;
    }
    const tag = tagAt(text, at);
    if (tag === undefined) continue;
    if (!open.pass(tag)) continue;
    yield* addInSteps(runs, text.slice(end, at), formats);
    end = at + tag.source.length;
  }
  yield* addInSteps(runs, text.slice(end), open.formats);
  return runs.finish();
}

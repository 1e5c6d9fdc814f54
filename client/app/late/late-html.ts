import { cleanText } from "../../../src/core/text/clean-text.ts";
import type * as Html from "../../../src/core/text/html.ts";
import type { Lines } from "../../../src/core/text/line-break.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";

let read: typeof Html | undefined;

/** Fetches the reader of HTML. Whoever brings lines from outside awaits this first. */
export async function loadHtml(): Promise<void> {
  read ??= await import("../../../src/core/text/html.ts");
}

/** Stands in for that of `html.ts`. Until that is loaded a text is taken as it is written. */
export const richTextOfHtml: typeof Html.richTextOfHtml = (html, lines) =>
  read === undefined ? literal(html, lines) : read.richTextOfHtml(html, lines);

/** The same. */
export const htmlInSteps: typeof Html.htmlInSteps = function* (html, lines) {
  return read === undefined ? literal(html, lines) : yield* read.htmlInSteps(html, lines);
};

/** Stands in for that of `note.ts`. */
export function richTextOfNote(note: string): RichText {
  return richTextOfHtml(note);
}

function literal(html: string, lines: Lines = "kept"): RichText {
  const text = cleanText(html, lines === "code" ? "kept" : "spaces");
  return text === "" ? [] : [{ insert: text }];
}

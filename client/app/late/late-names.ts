import { cleanText } from "../../../src/core/text/clean-text.ts";
import { htmlInSteps } from "../../../src/core/text/html.ts";
import type { RichText } from "../../../src/core/text/rich-text.ts";

let read: ((text: string) => Generator<void, RichText>) | undefined;

/**
 * Fetches the reader of markdown, which weighs as much as a quarter of the app. Whoever makes a line of
 * what a person wrote as markdown awaits this first; what is typed into a line needs none.
 */
export async function loadMarkdown(): Promise<void> {
  read ??= (await import("../../../src/core/text/markdown.ts")).markdownInSteps;
}

/** Stands in for that of `markdown.ts`. Until that is loaded a text stays as it is written. */
export function* markdownInSteps(text: string): Generator<void, RichText> {
  if (read !== undefined) return yield* read(text);
  return yield* htmlInSteps(cleanText(text), "joined");
}

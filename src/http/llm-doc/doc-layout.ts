import { DEFAULT_LAYOUT, isLayout, type Layout } from "../../core/node/layout.ts";

/** The words of these documents, where they are others than the API's. */
const LAYOUT_OF_WORD: Readonly<Record<string, Layout>> = {
  bullet: DEFAULT_LAYOUT,
  code: "code-block",
  quote: "quote-block",
};
const WORD_OF_LAYOUT: ReadonlyMap<Layout, string> = new Map([
  ["code-block", "code"],
  ["quote-block", "quote"],
]);

/** The layout that a word asks for; undefined for the word for none. */
export function layoutOfWord(word: string): Layout | undefined {
  if (Object.hasOwn(LAYOUT_OF_WORD, word)) return LAYOUT_OF_WORD[word];
  return isLayout(word) ? word : undefined;
}

/** The word for a layout; undefined for bullets, which are not said. */
export function wordOfLayout(layout: Layout): string | undefined {
  return layout === DEFAULT_LAYOUT ? undefined : (WORD_OF_LAYOUT.get(layout) ?? layout);
}

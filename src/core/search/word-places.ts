import { PART } from "./fold-text.ts";
import type { Criterion } from "./query.ts";

/** What is looked for in texts. */
export type WordCriterion = Extract<Criterion, { readonly kind: "text" | "tag" }>;

/** How a tag goes on: `#home` is in `#home/garden` and `#home.`, and not in `#homework` or `#home.de`. */
const MORE_OF_TAG = /[:.-]*[\p{L}\p{N}_]/uy;
const BEFORE_TAG = /[\p{L}\p{N}_&/#@]/u;

export function isWord(criterion: Criterion): criterion is WordCriterion {
  return criterion.kind === "text" || criterion.kind === "tag";
}

/** Whether a folded text has a word or a tag. */
export function hasWord(text: string, criterion: WordCriterion): boolean {
  if (criterion.kind === "text") return text.includes(criterion.text);
  return wordPlaces(text, criterion, 0, text.length).next().done !== true;
}

/** The same of a long text, in steps: to look for a long word in a text like it takes its length for each letter. */
export function* hasWordInSteps(text: string, criterion: WordCriterion): Generator<void, boolean> {
  for (let from = 0; from < text.length; from += PART) {
    if (wordPlaces(text, criterion, from, from + PART).next().done !== true) return true;
    yield;
  }
  return false;
}

/** Where a word or a tag that begins in a part of a folded text stands there. */
export function* wordPlaces(
  text: string,
  criterion: WordCriterion,
  start: number,
  end: number,
): Generator<readonly [from: number, to: number]> {
  const word = criterion.kind === "text" ? criterion.text : criterion.tag;
  // Nothing is left of an accent that stands alone.
  if (word === "") return;
  const part = text.slice(start, end + word.length - 1);
  for (let at = part.indexOf(word); at >= 0; at = part.indexOf(word, at + 1)) {
    const from = start + at;
    const to = from + word.length;
    if (criterion.kind === "text" || isWholeTag(text, from, to)) yield [from, to];
  }
}

function isWholeTag(text: string, from: number, to: number): boolean {
  MORE_OF_TAG.lastIndex = to;
  return !BEFORE_TAG.test(text.charAt(from - 1)) && !MORE_OF_TAG.test(text);
}

import { foldText } from "./fold-text.ts";
import type { Query } from "./query.ts";
import { tagPlaces } from "./searched-node.ts";

/** A stretch of a text, in UTF-16 units, the end not included. */
export type Span = readonly [from: number, to: number];

/** Of one text: nobody looks at more. */
const MOST_SPANS = 100;

/**
 * Where a plain text has what a query looks for: the words and tags that may be there, not those that
 * may not. In order, without overlaps, the first hundred. Linear in the text for each term.
 */
export function spansIn(text: string, query: Query): readonly Span[] {
  const { folded, places } = foldedPlaces(text);
  const found: Span[] = [];
  for (const { criterion, isNot } of query.groups.flat()) {
    if (isNot) continue;
    if (criterion.kind === "text") addAll(found, wordPlaces(folded, criterion.text));
    else if (criterion.kind === "tag") addAll(found, tagPlaces(folded, criterion.tag));
  }
  const spans = found.map(([from, to]): Span => [startOf(places, from), endOf(places, to)]);
  const joined: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined.slice(0, MOST_SPANS);
}

function addAll(found: Span[], places: Iterable<Span>): void {
  let left = MOST_SPANS;
  for (const place of places) {
    found.push(place);
    left -= 1;
    if (left === 0) return;
  }
}

function* wordPlaces(text: string, word: string): Generator<Span> {
  // Nothing is left of an accent that stands alone.
  if (word === "") return;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    yield [at, at + word.length];
  }
}

/** Of each unit of a folded text, which units of the text it comes from. Undefined: the same ones. */
type Places = readonly Span[] | undefined;

function foldedPlaces(text: string): { readonly folded: string; readonly places: Places } {
  const folded = foldText(text);
  // Folding letter by letter comes to the same; where none becomes several, there is nothing to note.
  const hasAccents = /\p{M}/u.test(text) || /\p{M}/u.test(text.normalize("NFD"));
  if (folded.length === text.length && !hasAccents) {
    return { folded, places: undefined };
  }
  const places: Span[] = [];
  let at = 0;
  for (const letter of text) {
    const end = at + letter.length;
    const { length } = foldText(letter);
    // An accent of its own belongs to the letter before it.
    const last = places.length - 1;
    const before = places[last];
    if (length === 0 && before !== undefined) places[last] = [before[0], end];
    for (let unit = 0; unit < length; unit++) places.push([at, end]);
    at = end;
  }
  return { folded, places };
}

function startOf(places: Places, from: number): number {
  return places === undefined ? from : (places[from]?.[0] ?? 0);
}

function endOf(places: Places, to: number): number {
  return places === undefined ? to : (places[to - 1]?.[1] ?? 0);
}

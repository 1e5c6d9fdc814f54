import { inOneGo } from "../in-one-go.ts";
import { foldInSteps, foldText, PART } from "./fold-text.ts";
import type { Query } from "./query.ts";
import { isWord, wordPlaces } from "./word-places.ts";

/** A stretch of a text, in UTF-16 units, the end not included. */
export type Span = readonly [from: number, to: number];

/** Of one text: nobody looks at more. */
const MOST_SPANS = 100;

/**
 * Where a plain text has what a query looks for: the words and tags that may be there, not those that
 * may not. In order, without overlaps, the first hundred.
 */
export function spansIn(text: string, query: Query): readonly Span[] {
  return inOneGo(spansInSteps(text, query));
}

/** The same in steps of some milliseconds. */
export function* spansInSteps(text: string, query: Query): Generator<void, readonly Span[]> {
  const folded = yield* foldInSteps(text);
  const found: Span[] = [];
  for (const { criterion, isNot } of query.groups.flat()) {
    if (isNot || !isWord(criterion)) continue;
    const most = found.length + MOST_SPANS;
    let end = 0;
    for (let from = 0; from < folded.length && found.length < most; from += PART) {
      for (const place of wordPlaces(folded, criterion, from, from + PART)) {
        if (place[0] < end) continue;
        found.push(place);
        end = place[1];
        if (found.length === most) break;
      }
      yield;
    }
  }
  const spans = yield* unfolded(
    text,
    found.toSorted(([one], [other]) => one - other),
  );
  const joined: [number, number][] = [];
  for (const [from, to] of spans) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined.slice(0, MOST_SPANS);
}

/** Stretches of a folded text, as those of the text: whole letters, with their accents. */
function* unfolded(text: string, spans: readonly Span[]): Generator<void, readonly Span[]> {
  const units = [...new Set(spans.flatMap(([from, to]) => [from, to - 1]))];
  const wanted = units.toSorted((one, other) => one - other);
  /** Of units of the folded text the letters that they come from. */
  const letters = new Map<number, Span>();
  let [from, end, folded, next] = [0, 0, 0, 0];
  for (const letter of text) {
    const length = foldText(letter).length;
    // An accent of its own belongs to the letter before it.
    if (length > 0) {
      for (; (wanted[next] ?? Infinity) < folded; next++)
        letters.set(wanted[next] ?? 0, [from, end]);
      if (next === wanted.length) break;
      from = end;
    }
    const isStep = Math.floor(end / PART) < Math.floor((end + letter.length) / PART);
    end += letter.length;
    folded += length;
    if (isStep) yield;
  }
  for (const unit of wanted.slice(next)) letters.set(unit, [from, end]);
  return spans.map(([start, stop]): Span => [
    letters.get(start)?.[0] ?? 0,
    letters.get(stop - 1)?.[1] ?? 0,
  ]);
}

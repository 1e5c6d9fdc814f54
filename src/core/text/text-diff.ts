import { inOneGo } from "../in-one-go.ts";
import { type Hunk, isLetterWord, wordHunks } from "./word-diff.ts";

/** Characters that are put into a word, or taken out of it, in this many places at most. */
const MAX_GAPS = 100;
/** Characters of such a word, and those over which what differs may be shifted. */
const MAX_WORD = 10_000;
const MAX_SHIFT = 1_000;

/**
 * How the new text differs from the old one, in order: the ends that are equal are left alone, what
 * is between is compared word by word, and in each hunk the ends that are equal are left out. What
 * is only inserted or only removed is taken from one word boundary to another where there is a
 * choice. No hunk starts or ends inside a surrogate pair.
 */
export function hunksBetween(old: string, now: string): readonly Hunk[] {
  return inOneGo(hunksInSteps(old, now));
}

/** The same in steps of a few milliseconds. */
export function* hunksInSteps(old: string, now: string): Generator<void, readonly Hunk[]> {
  const whole = trimmed(old, now, { from: 0, to: old.length, start: 0, end: now.length });
  if (whole.from === whole.to && whole.start === whole.end) return [];
  const words = isReplacement(whole) ? yield* byWords(old, now, whole) : undefined;
  const hunks = words?.flatMap((hunk) => withinWords(old, now, trimmed(old, now, hunk))) ?? [whole];
  let keptFrom = 0;
  return hunks.map((hunk) => {
    const aligned = atWordBoundaries(old, now, hunk, keptFrom);
    keptFrom = aligned.to;
    return aligned;
  });
}

function isReplacement(hunk: Hunk): boolean {
  return hunk.from < hunk.to && hunk.start < hunk.end;
}

/** The hunk without what is equal at its ends. */
function trimmed(old: string, now: string, hunk: Hunk): Hunk {
  let { from, to, start, end } = hunk;
  while (from < to && start < end && old[from] === now[start]) {
    from += 1;
    start += 1;
  }
  if (from > hunk.from && (old.charCodeAt(from - 1) & 0xfc00) === 0xd800) {
    from -= 1;
    start -= 1;
  }
  while (to > from && end > start && old[to - 1] === now[end - 1]) {
    to -= 1;
    end -= 1;
  }
  if (to < hunk.to && (old.charCodeAt(to) & 0xfc00) === 0xdc00) {
    to += 1;
    end += 1;
  }
  return { from, to, start, end };
}

/** The words that differ in a replacement; the replacement itself when finding them takes too long. */
function* byWords(
  old: string,
  now: string,
  { from, to, start, end }: Hunk,
): Generator<void, readonly Hunk[]> {
  const hunks = yield* wordHunks(old.slice(from, to), now.slice(start, end));
  if (hunks === undefined) return [{ from, to, start, end }];
  return hunks.map((hunk) => ({
    from: from + hunk.from,
    to: from + hunk.to,
    start: start + hunk.start,
    end: start + hunk.end,
  }));
}

/** A replacement that only puts characters between those of a word, or only takes some out, as that. */
function withinWords(old: string, now: string, hunk: Hunk): readonly Hunk[] {
  const { from, to, start, end } = hunk;
  if (!isReplacement(hunk) || Math.max(to - from, end - start) > MAX_WORD) return [hunk];
  const added = gapsBetween(old.slice(from, to), now.slice(start, end));
  if (added !== undefined) {
    return added.map((gap) => ({
      from: from + gap.at,
      to: from + gap.at,
      start: start + gap.from,
      end: start + gap.to,
    }));
  }
  const removed = gapsBetween(now.slice(start, end), old.slice(from, to));
  if (removed === undefined) return [hunk];
  return removed.map((gap) => ({
    from: from + gap.from,
    to: from + gap.to,
    start: start + gap.at,
    end: start + gap.at,
  }));
}

interface Gap {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** What the longer text has between the characters of the shorter; undefined when these are not in it. */
function gapsBetween(shorter: string, longer: string): readonly Gap[] | undefined {
  const gaps: Gap[] = [];
  let from = 0;
  let at = 0;
  for (const character of shorter) {
    const found = longer.indexOf(character, from);
    if (found === -1 || gaps.length === MAX_GAPS) return undefined;
    if (found > from) gaps.push({ at, from, to: found });
    at += character.length;
    from = found + character.length;
  }
  if (from < longer.length) gaps.push({ at, from, to: longer.length });
  return gaps;
}

/**
 * "one two three" from "one three" is "two " as well as " two" and "wo t": of the places where the
 * same insertion or removal can be, the last with the most word boundaries at its ends, as far as
 * that is near.
 * @param keptFrom the hunk may not start before
 */
function atWordBoundaries(old: string, now: string, hunk: Hunk, keptFrom: number): Hunk {
  if (isReplacement(hunk)) return hunk;
  const isRemoval = hunk.start === hunk.end;
  const text = isRemoval ? old : now;
  const first = isRemoval ? hunk.from : hunk.start;
  const last = isRemoval ? hunk.to : hunk.end;
  const maxShift = Math.min(hunk.from - keptFrom, MAX_SHIFT);
  let best = 0;
  let bestScore = -1;
  for (let shift = 0; ; shift += 1) {
    const score = boundaryScore(text, first - shift) + boundaryScore(text, last - shift);
    if (score > bestScore) {
      best = shift;
      bestScore = score;
    }
    if (bestScore === 2 || shift === maxShift) break;
    if (text[first - shift - 1] !== text[last - shift - 1]) break;
  }
  return {
    from: hunk.from - best,
    to: hunk.to - best,
    start: hunk.start - best,
    end: hunk.end - best,
  };
}

/** 1 where a word starts or ends, less than both ends can make up for inside a surrogate pair. */
function boundaryScore(text: string, at: number): number {
  if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) return -2;
  return isWordBoundary(text, at) ? 1 : 0;
}

/** Whether a word, a space or a sign starts or ends here. */
export function isWordBoundary(text: string, at: number): boolean {
  if (at === 0 || at === text.length) return true;
  const [before, after] = [text.charAt(at - 1), text.charAt(at)];
  if (kindOf(before) !== kindOf(after)) return true;
  return (isLetterWord(before) || isLetterWord(after)) && !/\p{M}/u.test(after);
}

function kindOf(char: string): "space" | "word" | "other" {
  if (char === " " || char === "\n") return "space";
  return /[\p{L}\p{M}\p{N}_]/u.test(char) ? "word" : "other";
}

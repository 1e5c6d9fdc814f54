/** Characters `from` to `to` of the old text are replaced by `start` to `end` of the new one. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
}

/** Words of a text, words compared, and edits found, before a comparison is given up. */
const MAX_WORDS = 250_000;
const MAX_COMPARISONS = 50_000_000;
const MAX_EDITS = 1000;
/** A letter of a script without spaces is a word, also beside letters of others. */
const LETTER_WORD = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
/** Words, spaces, and single other characters. */
const WORDS = new RegExp(
  String.raw`[ \n]+|${LETTER_WORD}|(?:(?!${LETTER_WORD})[\p{L}\p{M}\p{N}_])+|[^]`,
  "gu",
);

/**
 * How the words of the new text differ from those of the old one, in order; undefined when finding
 * it out takes too many steps.
 */
export function wordHunks(old: string, now: string): readonly Hunk[] | undefined {
  const idByWord = new Map<string, number>();
  const oldWords = wordsOf(old, idByWord);
  const newWords = oldWords && wordsOf(now, idByWord);
  if (oldWords === undefined || newWords === undefined) return undefined;
  const reached = furthestReached(oldWords.ids, newWords.ids);
  if (reached === undefined) return undefined;

  // Backwards along the path that was found: edits in a row are a hunk, equal words separate them.
  const hunks: Hunk[] = [];
  let [x, y] = [oldWords.ids.length, newWords.ids.length];
  let [to, end] = [x, y];
  const finishHunk = (): void => {
    if (x === to && y === end) return;
    hunks.push({
      from: oldWords.offset(x),
      to: oldWords.offset(to),
      start: newWords.offset(y),
      end: newWords.offset(end),
    });
  };
  for (let edits = reached.length; edits > 0; edits -= 1) {
    const before = reached[edits - 1] ?? new Int32Array();
    const diagonal = cameFrom(before, edits, x - y);
    const previousX = before[diagonal + edits - 1] ?? 0;
    const previousY = previousX - diagonal;
    const equalWords = Math.min(x - previousX, y - previousY);
    if (equalWords > 0) {
      finishHunk();
      x -= equalWords;
      y -= equalWords;
      [to, end] = [x, y];
    }
    [x, y] = [previousX, previousY];
  }
  finishHunk();
  return hunks.reverse();
}

/** A text as numbers, one for each different word, and where the words stand. */
class Words {
  readonly ids: Int32Array;
  readonly #offsets: Int32Array;

  /** @param offsets one more than there are words: the last is the end */
  constructor(ids: readonly number[], offsets: readonly number[]) {
    this.ids = Int32Array.from(ids);
    this.#offsets = Int32Array.from(offsets);
  }

  /** Where the word starts; for the number of words, where the text ends. */
  offset(index: number): number {
    return this.#offsets[index] ?? 0;
  }
}

/** @param idByWord gets the words that are new to it @returns undefined when there are too many */
function wordsOf(text: string, idByWord: Map<string, number>): Words | undefined {
  const ids: number[] = [];
  const offsets = [0];
  WORDS.lastIndex = 0;
  for (let from = 0; WORDS.test(text); from = WORDS.lastIndex) {
    if (ids.length === MAX_WORDS) return undefined;
    const word = text.slice(from, WORDS.lastIndex);
    const id = idByWord.get(word) ?? idByWord.size;
    idByWord.set(word, id);
    ids.push(id);
    offsets.push(WORDS.lastIndex);
  }
  return new Words(ids, offsets);
}

/**
 * The greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
 * @returns for each number of edits before the last the furthest `x` on each diagonal, `-edits` first;
 *   undefined when it takes too long
 */
function furthestReached(old: Int32Array, now: Int32Array): readonly Int32Array[] | undefined {
  const maxEdits = Math.min(MAX_EDITS, Math.floor(MAX_COMPARISONS / (old.length + now.length)));
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= maxEdits; edits += 1) {
    const before = rounds[edits - 1] ?? new Int32Array();
    const round = new Int32Array(2 * edits + 1);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = 0;
      if (edits > 0) {
        const from = cameFrom(before, edits, diagonal);
        x = (before[from + edits - 1] ?? 0) + (from < diagonal ? 1 : 0);
      }
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      if (x >= old.length && x - diagonal >= now.length) return rounds;
      round[diagonal + edits] = x;
    }
    rounds.push(round);
  }
  return undefined;
}

/** The diagonal that the furthest path to `diagonal` with so many edits was on one edit earlier. */
function cameFrom(before: Int32Array, edits: number, diagonal: number): number {
  const above = before[diagonal + 1 + edits - 1] ?? -1;
  const left = before[diagonal - 1 + edits - 1] ?? -1;
  if (diagonal === -edits) return diagonal + 1;
  return diagonal !== edits && left < above ? diagonal + 1 : diagonal - 1;
}

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
/** Words found, or diagonals followed, in a step; and what each word that is compared counts of that. */
const STEP = 8192;
const STEPS_PER_COMPARISON = 1 / 16;
/** A letter of a script without spaces is a word, also beside letters of others. */
const LETTER_WORD = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const ONE_LETTER_WORD = new RegExp(LETTER_WORD, "u");
/** Words, spaces, and single other characters; what is very long is cut. */
const WORDS = new RegExp(
  String.raw`[ \n]{1,256}|${LETTER_WORD}|(?:(?!${LETTER_WORD})[\p{L}\p{M}\p{N}_]){1,256}|[^]`,
  "gu",
);

/** Whether a character is one of a script that has no spaces between words. */
export function isLetterWord(character: string): boolean {
  return ONE_LETTER_WORD.test(character);
}

/**
 * How the words of the new text differ from those of the old one, in order; undefined when finding
 * it out takes too long. In steps of a few milliseconds.
 */
export function* wordHunks(old: string, now: string): Generator<void, readonly Hunk[] | undefined> {
  const idByWord = new Map<string, number>();
  const oldWords = yield* wordsOf(old, idByWord);
  const newWords = oldWords && (yield* wordsOf(now, idByWord));
  if (oldWords === undefined || newWords === undefined) return undefined;
  const reached = yield* furthestReached(oldWords.ids, newWords.ids);
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
function* wordsOf(text: string, idByWord: Map<string, number>): Generator<void, Words | undefined> {
  const ids: number[] = [];
  const offsets = [0];
  for (let from = 0; from < text.length;) {
    if (ids.length === MAX_WORDS) return undefined;
    if (ids.length % STEP === STEP - 1) yield;
    // Others may have used the pattern since the last step.
    WORDS.lastIndex = from;
    WORDS.test(text);
    const end = WORDS.lastIndex;
    const word = text.slice(from, end);
    const id = idByWord.get(word) ?? idByWord.size;
    idByWord.set(word, id);
    ids.push(id);
    offsets.push(end);
    from = end;
  }
  return new Words(ids, offsets);
}

/**
 * The greedy algorithm of Myers, "An O(ND) Difference Algorithm and Its Variations" (1986).
 * @returns for each number of edits before the last the furthest `x` on each diagonal, `-edits` first;
 *   undefined when it takes too long
 */
function* furthestReached(
  old: Int32Array,
  now: Int32Array,
): Generator<void, readonly Int32Array[] | undefined> {
  let steps = 0;
  const maxEdits = Math.min(MAX_EDITS, Math.floor(MAX_COMPARISONS / (old.length + now.length)));
  const rounds: Int32Array[] = [];
  for (let edits = 0; edits <= maxEdits; edits += 1) {
    const before = rounds[edits - 1] ?? new Int32Array();
    const round = new Int32Array(2 * edits + 1);
    steps += edits;
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = 0;
      if (edits > 0) {
        const origin = cameFrom(before, edits, diagonal);
        x = (before[origin + edits - 1] ?? 0) + (origin < diagonal ? 1 : 0);
      }
      const from = x;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      steps += (x - from) * STEPS_PER_COMPARISON;
      if (x >= old.length && x - diagonal >= now.length) return rounds;
      round[diagonal + edits] = x;
    }
    rounds.push(round);
    if (steps < STEP) continue;
    steps = 0;
    yield;
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

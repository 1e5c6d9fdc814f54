import type { Random } from "../../src/core/node-key.ts";
import { integerBelow, oneOf, seededRandom } from "../support/seeded-random.ts";

/** Of each depth, from the top: how many nodes there are, and how many of them have children. */
const LEVELS: readonly (readonly [nodes: number, parents: number])[] = [
  [1, 1],
  [3, 3],
  [22, 12],
  [225, 142],
  [1588, 698],
  [4830, 1569],
  [8813, 2485],
  [15_498, 2940],
  [13_889, 2858],
  [13_954, 2461],
  [10_398, 1612],
  [5875, 922],
  [3175, 526],
  [1630, 302],
  [959, 150],
  [609, 122],
  [457, 80],
  [223, 16],
  [42, 1],
  [1, 0],
];

/** A share of all, and the length that as many stay below. */
type Quantiles = readonly (readonly [share: number, length: number])[];

const CHILDREN: Quantiles = [
  [0, 1],
  [0.36, 1],
  [0.5, 2],
  [0.75, 4],
  [0.9, 9],
  [0.95, 15],
  [0.99, 42],
  [0.999, 200],
  [1, 659],
];
const NAME_LENGTH: Quantiles = [
  [0, 1],
  [0.05, 5],
  [0.25, 9],
  [0.5, 16],
  [0.75, 28],
  [0.9, 43],
  [0.99, 82],
  [0.999, 128],
  [1, 371],
];
const NOTE_LENGTH: Quantiles = [
  [0, 3],
  [0.05, 22],
  [0.25, 43],
  [0.5, 66],
  [0.75, 97],
  [0.9, 134],
  [0.99, 225],
  [0.999, 321],
  [1, 505],
];

const WORDS = 70_000;
const SYLLABLES = "an be co di el fo gra hu in ja ku lo mi no o per qua re st ti ul ver wa xy ze";
/** Of the notes, those that end with something quoted. */
const QUOTED = 0.1;

/** How many nodes {@link dictionaryOpml} has. */
export const DICTIONARY_NODES = LEVELS.reduce((sum, [nodes]) => sum + nodes, 0);

/**
 * A dictionary as OPML: synonyms as names, each with its meaning as the note, below what it is a kind
 * of. The words mean nothing; the shape is that of the English nouns in WordNet 3.1:
 *
 * - 82,192 nodes in 20 levels below one another, as wide as the table of levels says
 * - 16,900 nodes with children: half of them have one or two, a tenth more than nine, one in a hundred
 *   more than 42, one several hundred
 * - names of 21 characters on average: half of them 9 to 28, the longest more than 350
 * - notes of 75 characters on average: half of them 43 to 97, the longest about 500; a tenth quote
 *   something
 *
 * The same seed makes the same text.
 */
export function dictionaryOpml(seed = 1): string {
  const random = seededRandom(seed);
  const words = wordsFor(random);
  const children = levelsOfChildren(random);
  const next = LEVELS.map(() => 0);
  const parts = ['<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0"><body>\n'];
  const write = (depth: number): void => {
    const index = next[depth] ?? 0;
    next[depth] = index + 1;
    const name = textOf(lengthAt(NAME_LENGTH, random()), words, random, ", ");
    parts.push(`<outline text="${name}" _note="${noteOf(words, random)}">\n`);
    const count = children[depth]?.[index] ?? 0;
    for (let child = 0; child < count; child++) write(depth + 1);
    parts.push("</outline>\n");
  };
  write(0);
  parts.push("</body></opml>\n");
  return parts.join("");
}

/** By depth, how many children each node has, in document order. */
function levelsOfChildren(random: Random): readonly (readonly number[])[] {
  return LEVELS.map(([nodes, parents], depth) => {
    const below = LEVELS[depth + 1]?.[0] ?? 0;
    const wishes = Array.from({ length: parents }, () => lengthAt(CHILDREN, random()) - 1);
    const counts = sharesOf(below - parents, wishes).map((share) => 1 + share);
    // Which of the level's nodes they are: so many of those that are left.
    return Array.from({ length: nodes }, (_, index) =>
      random() * (nodes - index) < counts.length ? (counts.pop() ?? 0) : 0,
    );
  });
}

/** Gives away a total in proportion to what is wished for. */
function sharesOf(total: number, wishes: readonly number[]): readonly number[] {
  const all = wishes.reduce((sum, wish) => sum + wish, 0);
  let wished = 0;
  let given = 0;
  return wishes.map((wish, index) => {
    wished += wish;
    const isLast = index === wishes.length - 1;
    const due = isLast || all === 0 ? total : Math.round((total * wished) / all);
    const share = due - given;
    given = due;
    return share;
  });
}

/** The length that such a share of all stays below. */
function lengthAt(quantiles: Quantiles, share: number): number {
  const above = quantiles.findIndex(([each]) => each > share);
  const [[from, least], [to, most]] = [quantiles[above - 1] ?? [0, 1], quantiles[above] ?? [1, 1]];
  return Math.round(least * (most / least) ** ((share - from) / (to - from)));
}

function wordsFor(random: Random): readonly string[] {
  const syllables = SYLLABLES.split(" ");
  return Array.from({ length: WORDS }, (_, index) =>
    // As in any language, the common ones are short.
    Array.from({ length: 1 + Math.floor(Math.log2(1 + index) / 4) }, () =>
      oneOf(random, syllables),
    ).join(""),
  );
}

function noteOf(words: readonly string[], random: Random): string {
  const length = lengthAt(NOTE_LENGTH, random());
  if (random() >= QUOTED || length < 20) return textOf(length, words, random, " ");
  const quoted = Math.floor(length / 3);
  const meaning = textOf(length - quoted, words, random, " ");
  return `${meaning}; &quot;${textOf(quoted - 4, words, random, " ")}&quot;`;
}

/** Words with spaces between, a few with what separates, of exactly that many characters. */
function textOf(
  length: number,
  words: readonly string[],
  random: Random,
  separator: string,
): string {
  let text = wordOf(words, random);
  while (text.length < length) {
    text += `${random() < 0.25 ? separator : " "}${wordOf(words, random)}`;
  }
  return text.slice(0, length).replace(/[ ,]+$/, (cut) => "s".repeat(cut.length));
}

/** The common words come up most. */
function wordOf(words: readonly string[], random: Random): string {
  return words[integerBelow(random, Math.ceil(words.length * random() ** 3))] ?? "a";
}

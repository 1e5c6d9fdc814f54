import { expect, test } from "vitest";
import { permutationsOf } from "../support/permutations.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { type Edit, merged, rename, type } from "../support/text-edits.ts";

const SEEDS = 60;
const WORDS = ["Alpha", "wanted", "(colours)", "word10,", "v1.5", "Tuesday"];

/** A text of some words, one of which each of two or three devices changes, each in another way. */
interface Run {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The word as each wrote it. */
  readonly versions: readonly string[];
  /** The words around it. */
  readonly rest: readonly string[];
}

function runOf(seed: number): Run {
  const random = seededRandom(seed);
  const index = integerBelow(random, WORDS.length);
  const rest = WORDS.filter((_, at) => at !== index);
  const word = /\w.*\w/u.exec(WORDS[index] ?? "")?.[0] ?? "";
  const name = WORDS.join(" ");
  const start = name.indexOf(word);
  // All take out this character, and others beside it.
  const common = integerBelow(random, word.length);
  const edits: Edit[] = [];
  const versions: string[] = [];
  const devices = 2 + integerBelow(random, 2);
  for (let device = 0; device < devices; device++) {
    const from = integerBelow(random, common + 1);
    const to = common + 1 + integerBelow(random, word.length - common);
    const token = "XYZ".charAt(device).repeat(1 + integerBelow(random, 4));
    const version = word.slice(0, from) + token + word.slice(to);
    versions.push(version);
    if (random() < 0.5) edits.push(rename(name.replace(word, () => version)));
    else edits.push(type(start + from, to - from, token));
  }
  return { name, edits, versions, rest };
}

/** What is wrong with what comes of a run; undefined for nothing. */
function faultOf(seed: number, mendWords = true): string | undefined {
  const { name, edits, versions, rest } = runOf(seed);
  const orders = permutationsOf(edits.map((_, index) => index));
  const results = new Set(orders.map((order) => merged(name, edits, order, { mendWords })));
  const [result = "", ...others] = results;
  if (others.length > 0) return `seed ${seed}: ${[...results].join(" | ")}`;
  const found = result.match(/[\w.]*\w/gu)?.toSorted() ?? [];
  const wanted = [
    ...rest.flatMap((word) => word.match(/[\w.]*\w/gu) ?? []),
    ...versions,
  ].toSorted();
  return found.join() === wanted.join() ? undefined : `seed ${seed}: ${result}; ${versions.join()}`;
}

test("[D83, D84] a word that several changed is there as each of them wrote it, in every order", () => {
  const faults = Array.from({ length: SEEDS }, (_, index) => faultOf(index + 1));
  expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
}, 240_000);

test("[D53] a mutant is found: a word that several changed is as Yjs puts it together", () => {
  const found = Array.from({ length: 5 }, (_, index) => faultOf(index + 1, false));
  expect(found.some((fault) => fault !== undefined)).toBe(true);
});

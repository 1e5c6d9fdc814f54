import { ROOT, type NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { HOME, plainNameOf } from "../page/node-names.ts";
import { starredNodes } from "../search/saved-searches.ts";
import { fuzzyScore, fuzzyWords } from "./fuzzy-score.ts";

interface Candidate {
  readonly key: NodeKey;
  /** Lower case. */
  readonly name: string;
  /** The nearer to the top of the list of favourites, the more. */
  readonly bonus: number;
}

const LEAST_OFFERED = 8;
const NAMES_IN_A_SLICE = 2000;
const FAVOURITE_BONUS = 25;

/**
 * What is offered before anything is typed: stars, what was visited, and where those are few, the first
 * lines of home: an empty list would help nobody.
 */
export function favouritesIn(
  outline: OutlineView,
  { first = [], visited = [] }: { readonly [K in "first" | "visited"]?: readonly NodeKey[] } = {},
): readonly NodeKey[] {
  const stars = starredNodes(outline).map(({ node }) => node);
  const favourites = new Set([...first, ...stars, ...visited]);
  for (const key of outline.childKeys(ROOT)) {
    if (favourites.size >= LEAST_OFFERED) break;
    if (plainNameOf(outline, key) !== "") favourites.add(key);
  }
  return [...favourites];
}

/**
 * Finds nodes by parts of their names. Names are read once, in slices, so that a list is there at
 * once and grows; typing then only compares texts.
 */
export class NodeFinder {
  readonly #outline: OutlineView;
  readonly #favourites: readonly NodeKey[];
  readonly #candidates: Candidate[] = [];

  /** @param favourites come first: stars, recent ones */
  constructor(outline: OutlineView, favourites: readonly NodeKey[]) {
    this.#outline = outline;
    this.#favourites = favourites.filter((key) => key === ROOT || outline.has(key));
  }

  /** Reads the names; to be run to its end, with a pause wherever it yields. */
  *read(): Generator<void> {
    const bonuses = new Map(
      this.#favourites.map((key, index) => [key, FAVOURITE_BONUS / (index / 8 + 1)]),
    );
    this.#candidates.push({ key: ROOT, name: HOME.toLowerCase(), bonus: bonuses.get(ROOT) ?? 0 });
    let count = 0;
    for (const key of this.#outline.keysInOrder()) {
      const name = plainNameOf(this.#outline, key).toLowerCase();
      if (name !== "") this.#candidates.push({ key, name, bonus: bonuses.get(key) ?? 0 });
      count += 1;
      if (count % NAMES_IN_A_SLICE === 0) yield;
    }
  }

  /** The best first; without a query the favourites. Equally good ones stay in document order. */
  find(
    query: string,
    limit: number,
    accepts: (key: NodeKey) => boolean = () => true,
  ): readonly NodeKey[] {
    const words = fuzzyWords(query);
    if (words.length === 0) return this.#favourites.filter(accepts).slice(0, limit);
    const best: { readonly key: NodeKey; readonly score: number }[] = [];
    for (const { key, name, bonus } of this.#candidates) {
      const points = fuzzyScore(name, words);
      if (points === undefined) continue;
      const score = points + bonus;
      if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
      if (!accepts(key)) continue;
      let at = best.length;
      while (at > 0 && (best[at - 1]?.score ?? 0) < score) at -= 1;
      best.splice(at, 0, { key, score });
      if (best.length > limit) best.pop();
    }
    return best.map(({ key }) => key);
  }
}

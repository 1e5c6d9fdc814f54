import type { NodeKey } from "../node-key.ts";

/** A place among matches from the latest on; of those of one second, by their keys. */
export interface LatestPlace {
  /** Unix seconds. */
  readonly modifiedAt: number;
  readonly key: NodeKey;
}

/** The latest of many matches, which come in any order. */
export class LatestMatches {
  readonly #most: number;
  #matches: LatestPlace[] = [];
  /** What comes behind this is too late: there are enough before it. */
  #last: LatestPlace | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param before only what comes behind this place counts */
  add(match: LatestPlace, before: LatestPlace | undefined): void {
    if (before !== undefined && compare(match, before) <= 0) return;
    if (this.#last !== undefined && compare(match, this.#last) > 0) return;
    this.#matches.push(match);
    if (this.#matches.length >= 2 * this.#most) this.#cut();
  }

  /** The latest first. */
  sorted(): readonly LatestPlace[] {
    this.#cut();
    return this.#matches;
  }

  #cut(): void {
    this.#matches = this.#matches.sort(compare).slice(0, this.#most);
    this.#last = this.#matches[this.#most - 1];
  }
}

function compare(one: LatestPlace, other: LatestPlace): number {
  if (one.modifiedAt !== other.modifiedAt) return other.modifiedAt - one.modifiedAt;
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

import type { Outline } from "../../core/outline.ts";
import { SearchIndex } from "../../core/search/search-index.ts";
import type { MemoryShare } from "./memory-budget.ts";

export interface SearchTextsOptions {
  /** What is kept of all outlines together. */
  readonly maxBytes: number;
  /** Told what is kept now. */
  readonly share: Pick<MemoryShare, "set">;
}

/**
 * The folded texts of outlines that are searched: kept for the next search, within a budget, and never
 * at the cost of an outline. Those of the outline that was searched longest ago go first.
 */
export class SearchTexts {
  readonly #options: SearchTextsOptions;
  /** In the order in which they were searched last. [Q76] */
  readonly #indexes = new Set<SearchIndex>();

  constructor(options: SearchTextsOptions) {
    this.#options = options;
  }

  /** Of an outline that is about to be searched. Who searches calls `settle` in every turn. */
  of(outline: Outline): SearchIndex {
    const index = SearchIndex.of(outline);
    if (!this.#indexes.has(index)) outline.doc.once("destroy", () => this.#remove(index));
    this.#indexes.delete(index);
    this.#indexes.add(index);
    return index;
  }

  /** Counts what is kept, and lets go of what is too much: of the outline searched last at the end. */
  settle(): void {
    let bytes = this.#bytes();
    for (const index of this.#indexes) {
      if (bytes <= this.#options.maxBytes) break;
      bytes -= index.bytes;
      index.clear();
    }
    this.#options.share.set(bytes);
  }

  /** Lets go of everything. @returns how much that was */
  clear(): number {
    const bytes = this.#bytes();
    for (const index of this.#indexes) index.clear();
    this.#options.share.set(0);
    return bytes;
  }

  #remove(index: SearchIndex): void {
    index.clear();
    this.#indexes.delete(index);
    this.settle();
  }

  #bytes(): number {
    let bytes = 0;
    for (const index of this.#indexes) bytes += index.bytes;
    return bytes;
  }
}

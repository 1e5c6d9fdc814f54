import type { NodeKey } from "../node-key.ts";
import type { OutlineView } from "../outline-view.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { Matcher } from "./matcher.ts";
import { narrows } from "./narrows.ts";
import type { Query } from "./query.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchedNode } from "./searched-node.ts";

export interface SearchResult {
  /** In document order. */
  readonly matches: readonly TreeRow[];
}

const NODES_IN_A_SLICE = 4000;

const SEARCHES = new WeakMap<OutlineView, OutlineSearches>();

/**
 * Finds the visible nodes below `from` that a query means: a walk over all of them, or over what was
 * found last when the query only got narrower. Some 10 ms for 100,000 nodes, and some 100 ms the first
 * time, when their texts are read. @param limit how many at most
 */
export function searchOutline(
  outline: OutlineView,
  query: Query,
  from: NodeKey,
  limit = Infinity,
): SearchResult {
  const matches = searchesOf(outline).find(query, outline.heldBy(from), limit);
  return { matches: matches.map(({ row }) => row) };
}

/**
 * Reads what is below `from` before it is searched, a few milliseconds a step: the texts, or when each
 * node was changed. Nobody has to: a search reads what is missing, all at once.
 */
export function* prepareSearch(
  outline: OutlineView,
  from: NodeKey,
  what: "texts" | "changes",
): Generator<void> {
  const searches = searchesOf(outline);
  const { index } = searches;
  for (const [at, node] of searches.below(outline.heldBy(from)).entries()) {
    if (at % NODES_IN_A_SLICE === 0) yield;
    if (what === "texts") node.readTexts(index);
    else node.readChange(index);
  }
}

function searchesOf(outline: OutlineView): OutlineSearches {
  let searches = SEARCHES.get(outline);
  if (searches === undefined) SEARCHES.set(outline, (searches = new OutlineSearches(outline)));
  return searches;
}

/** What one person looks for in an outline: mostly the same as before, and a letter more. */
class OutlineSearches {
  readonly index: SearchIndex;
  /** What was walked over last. */
  #walk: { from: NodeKey; version: number; nodes: readonly SearchedNode[] } | undefined;
  /** What was found last; undefined when something has changed since then. */
  #found: { from: NodeKey; query: Query; nodes: readonly SearchedNode[] } | undefined;

  constructor(outline: OutlineView) {
    this.index = SearchIndex.of(outline);
    outline.onChange(() => {
      this.#found = undefined;
    });
  }

  find(query: Query, from: NodeKey, limit: number): readonly SearchedNode[] {
    const found: SearchedNode[] = [];
    const matcher = new Matcher(query, this.index, from);
    for (const node of this.#candidates(query, from)) {
      if (found.length >= limit) return found;
      if (matcher.matches(node)) found.push(node);
    }
    this.#found = { from, query, nodes: found };
    return found;
  }

  #candidates(query: Query, from: NodeKey): readonly SearchedNode[] {
    const last = this.#found;
    if (last?.from === from && narrows(query, last.query)) return last.nodes;
    return this.below(from);
  }

  below(from: NodeKey): readonly SearchedNode[] {
    const version = this.index.outline.structureVersion;
    if (this.#walk?.from !== from || this.#walk.version !== version) {
      this.#walk = { from, version, nodes: this.#walkBelow(from) };
    }
    return this.#walk.nodes;
  }

  #walkBelow(from: NodeKey): readonly SearchedNode[] {
    const nodes: SearchedNode[] = [];
    const { tree } = this.index.outline;
    const top = tree.visibleRow(from);
    if (top === undefined) return nodes;
    const walk = tree.walkBelow(top);
    for (let row = walk.next(); row !== undefined; row = walk.next()) {
      nodes.push(this.index.nodeOf(row));
    }
    walk.end();
    return nodes;
  }
}

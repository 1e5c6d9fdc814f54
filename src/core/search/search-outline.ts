import type * as Y from "yjs";
import type { NodeKey } from "../node-key.ts";
import type { OutlineView } from "../outline-view.ts";
import { nodesOf } from "../schema.ts";
import type { TreeRow } from "../tree-row.ts";
import { narrows } from "./narrows.ts";
import type { Query } from "./query.ts";
import { SearchedNode, type SearchSource } from "./searched-node.ts";

export interface SearchResult {
  /** In document order. */
  readonly matches: readonly TreeRow[];
}

const NODES_IN_A_SLICE = 4000;

const indexes = new WeakMap<OutlineView, SearchIndex>();

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
  const matches = indexOf(outline).find(query, from, limit);
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
  const index = indexOf(outline);
  for (const [at, node] of index.below(from).entries()) {
    if (at % NODES_IN_A_SLICE === 0) yield;
    if (what === "texts") node.readTexts(index);
    else node.readChange(index);
  }
}

function indexOf(outline: OutlineView): SearchIndex {
  let index = indexes.get(outline);
  if (index === undefined) indexes.set(outline, (index = new SearchIndex(outline)));
  return index;
}

/** The nodes of an outline as search sees them, kept up with its changes. */
class SearchIndex implements SearchSource {
  readonly outline: OutlineView;
  readonly nodes: Y.Map<Y.Text>;
  readonly #searched = new Map<NodeKey, SearchedNode>();
  /** What was walked over last. */
  #walk: { from: NodeKey; version: number; nodes: readonly SearchedNode[] } | undefined;
  /** What was found last; undefined when something has changed since then. */
  #found: { from: NodeKey; query: Query; nodes: readonly SearchedNode[] } | undefined;

  constructor(outline: OutlineView) {
    this.outline = outline;
    this.nodes = nodesOf(outline.doc);
    outline.onChange(({ nodes }) => {
      this.#found = undefined;
      for (const key of nodes) {
        if (outline.has(key)) this.#searched.get(key)?.forget();
        else this.#searched.delete(key);
      }
    });
  }

  find(query: Query, from: NodeKey, limit: number): readonly SearchedNode[] {
    const found: SearchedNode[] = [];
    for (const node of this.#candidates(query, from)) {
      if (found.length >= limit) return found;
      if (node.matches(query, this)) found.push(node);
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
    const version = this.outline.structureVersion;
    if (this.#walk?.from !== from || this.#walk.version !== version) {
      this.#walk = { from, version, nodes: this.#walkBelow(from) };
    }
    return this.#walk.nodes;
  }

  #walkBelow(from: NodeKey): readonly SearchedNode[] {
    const nodes: SearchedNode[] = [];
    const top = this.outline.tree.visibleRow(from);
    const pending = top === undefined ? [] : top.children.toReversed();
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      let node = this.#searched.get(row.key);
      // A row is another object when its node has come back.
      if (node?.row !== row) this.#searched.set(row.key, (node = new SearchedNode(row)));
      nodes.push(node);
      for (let index = row.children.length - 1; index >= 0; index--) {
        const child = row.children[index];
        if (child !== undefined) pending.push(child);
      }
    }
    return nodes;
  }
}

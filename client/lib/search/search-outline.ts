import type * as Y from "yjs";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import type { TreeRow } from "../../../src/core/tree-row.ts";
import type { Query } from "./query.ts";
import { SearchedNode, type SearchSource } from "./searched-node.ts";

export interface SearchResult {
  /** In document order. */
  readonly matches: readonly TreeRow[];
}

const NODES_IN_A_SLICE = 4000;

const indexes = new WeakMap<OutlineView, SearchIndex>();

/**
 * Finds the visible nodes below `from` that a query means: a walk over all of them, about 5 ms for
 * 100,000 nodes, and some 100 ms the first time, when their texts are read. @param limit how many at most
 */
export function searchOutline(
  outline: OutlineView,
  query: Query,
  from: NodeKey,
  limit = Infinity,
): SearchResult {
  const index = indexOf(outline);
  const matches: TreeRow[] = [];
  for (const node of index.below(from)) {
    if (matches.length >= limit) break;
    if (node.matches(query, index)) matches.push(node.row);
  }
  return { matches };
}

/**
 * Reads the texts below `from` before they are searched, a few milliseconds a step. Nobody has to:
 * a search reads what is missing, all at once.
 */
export function* prepareSearch(outline: OutlineView, from: NodeKey): Generator<void> {
  const index = indexOf(outline);
  for (const [at, node] of index.below(from).entries()) {
    if (at % NODES_IN_A_SLICE === 0) yield;
    node.read(index);
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

  constructor(outline: OutlineView) {
    this.outline = outline;
    this.nodes = nodesOf(outline.doc);
    outline.onChange(({ nodes }) => {
      for (const key of nodes) {
        if (outline.has(key)) this.#searched.get(key)?.forget();
        else this.#searched.delete(key);
      }
    });
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

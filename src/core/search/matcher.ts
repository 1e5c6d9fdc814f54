import type { NodeKey } from "../node-key.ts";
import type { TreeRow } from "../tree-row.ts";
import type { Query } from "./query.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SearchedNode } from "./searched-node.ts";

/**
 * What one search means, asked of many nodes: also of what they are below, up to the node that is
 * searched, itself included. What a node is below is looked at once for all that is below it.
 */
export class Matcher {
  readonly #query: Query;
  readonly #index: SearchIndex;
  readonly #from: NodeKey;
  readonly #above: Matcher | undefined;
  /** Whether a node, or one that it is below, is what is wanted above. */
  readonly #isWantedAbove = new Map<TreeRow, boolean>();

  /** @param from what is searched; `ROOT` is everything */
  constructor(query: Query, index: SearchIndex, from: NodeKey) {
    this.#query = query;
    this.#index = index;
    this.#from = from;
    this.#above = query.above && new Matcher(query.above, index, from);
  }

  matches(node: SearchedNode): boolean {
    if (!node.matches(this.#query, this.#index) || !this.#isBelowWanted(node.row)) return false;
    // The line is found where its origin is.
    return this.#index.outline.tree.mirrors.originOf(node.row.key) === undefined;
  }

  /** Looks at a node for those below it, when they are asked for next. */
  look(node: SearchedNode): void {
    if (this.#above === undefined || node.row.children.length === 0) return;
    this.#above.look(node);
    this.#isWanted(node.row);
  }

  #isBelowWanted({ key, parent }: TreeRow): boolean {
    if (this.#above === undefined) return true;
    return key !== this.#from && parent !== undefined && this.#isWanted(parent);
  }

  #isWanted(row: TreeRow): boolean {
    const way: TreeRow[] = [];
    let isWanted = false;
    for (let up: TreeRow | undefined = row; up?.parent !== undefined; up = up.parent) {
      const known = this.#isWantedAbove.get(up);
      if (known !== undefined) {
        isWanted = known;
        break;
      }
      way.push(up);
      if (up.key === this.#from) break;
    }
    for (const up of way.toReversed()) {
      isWanted ||= this.#above?.matches(this.#index.nodeOf(up)) === true;
      this.#isWantedAbove.set(up, isWanted);
    }
    return isWanted;
  }
}

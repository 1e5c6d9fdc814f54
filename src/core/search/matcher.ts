import type { NodeKey } from "../node-key.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { type Query, type QueryTerm, termsOf } from "./query.ts";
import type { SearchIndex } from "./search-index.ts";
import type { SearchedNode } from "./searched-node.ts";

/** What is not in a node mostly holds: as much as if so many terms were offered. */
const LOOSE = 1_000;

/**
 * What one search means, asked of many nodes: also of what they are below, up to the node that is
 * searched, itself included. What a node is below is looked at once for all that is below it.
 */
export class Matcher {
  /** How many terms a node is asked for at most. */
  readonly terms: number;
  /** Whether a node may be asked for when it was changed. */
  readonly asksForChange: boolean;
  readonly #query: Query;
  readonly #index: SearchIndex;
  readonly #from: NodeKey;
  /** What has to be above, each below the one before it: of `A > B > C` A and B. */
  readonly #wanted: readonly Query[];
  /** How many of these are, one below the other, on the way down to a node, itself included. */
  readonly #reached = new Map<TreeRow, number>();

  /** @param from what is searched; `ROOT` is everything */
  constructor(query: Query, index: SearchIndex, from: NodeKey) {
    this.#query = strictestFirst(query);
    this.#index = index;
    this.#from = from;
    const wanted: Query[] = [];
    for (let { above } = query; above !== undefined; { above } = above)
      wanted.unshift(strictestFirst(above));
    this.#wanted = wanted;
    this.terms = ownTermsOf(query) + Math.max(0, ...wanted.map(ownTermsOf));
    this.asksForChange = [query, ...wanted].some(({ groups }) =>
      groups.flat().some(({ criterion }) => criterion.kind === "changed"),
    );
  }

  /** Both of a node of long texts, in steps. */
  lookInSteps(node: SearchedNode): Generator<void, boolean> {
    return node.askInSteps([this.#query, ...this.#wanted], this.#index, () => {
      this.look(node);
      return this.matches(node);
    });
  }

  matches(node: SearchedNode): boolean {
    return this.#isFound(node, this.#query) && this.#isBelowWanted(node.row);
  }

  /** Looks at a node for those below it, when they are asked for next. */
  look({ row }: SearchedNode): void {
    if (this.#wanted.length > 0 && row.children.length > 0) this.#reachedAt(row);
  }

  #isBelowWanted({ key, parent }: TreeRow): boolean {
    const { length } = this.#wanted;
    if (length === 0) return true;
    return key !== this.#from && parent !== undefined && this.#reachedAt(parent) === length;
  }

  /**
   * On the way down a node is asked only whether it is what is wanted next: the first one that is leaves
   * the most room below it.
   */
  #reachedAt(row: TreeRow): number {
    const way: TreeRow[] = [];
    let reached = 0;
    for (let up: TreeRow | undefined = row; up?.parent !== undefined; up = up.parent) {
      const known = this.#reached.get(up);
      if (known !== undefined) {
        reached = known;
        break;
      }
      way.push(up);
      if (up.key === this.#from) break;
    }
    for (const up of way.toReversed()) {
      const next = this.#wanted[reached];
      if (next !== undefined && this.#isFound(this.#index.nodeOf(up), next)) reached += 1;
      this.#reached.set(up, reached);
    }
    return reached;
  }

  /** A mirrored line is found where its origin is. */
  #isFound(node: SearchedNode, query: Query): boolean {
    const { tree } = this.#index.outline;
    return node.matches(query, this.#index) && tree.mirrors.originOf(node.row.key) === undefined;
  }
}

/** What most nodes don't fulfil is asked for first. */
function strictestFirst(query: Query): Query {
  const groups = query.groups.toSorted((one, other) => looseness(one) - looseness(other));
  return { ...query, groups };
}

function looseness(group: readonly QueryTerm[]): number {
  return group.length + (group.some(({ isNot }) => isNot) ? LOOSE : 0);
}

function ownTermsOf({ groups, inNotes }: Query): number {
  return termsOf({ groups, inNotes });
}

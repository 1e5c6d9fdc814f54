import type { NodeKey } from "../node-key.ts";
import type { Place } from "./placement.ts";
import { INVALID_PARENT, NOT_FOUND, type Refusal } from "../refusal.ts";
import type { Position, SiblingGap } from "./sibling-gap.ts";
import { systemChain, type SystemNodes } from "../calendar/system-nodes.ts";
import type { TreeIndex } from "./tree-index.ts";
import { isWithin, type TreeRow } from "./tree-row.ts";
import type { TreeWriter } from "./tree-writer.ts";

/** Where a node is to go. Without a position: at the top. */
export interface Destination {
  /** `ROOT` is the top level. A reserved node that is not there is made. */
  readonly parent: NodeKey;
  readonly position?: Position | undefined;
}

/** A place among the children of a visible row. */
export interface Spot {
  readonly kind: "spot";
  readonly parent: TreeRow;
  readonly gap: SiblingGap;
}

/** The destination is a reserved node that is not there, and can be made. */
const UNMADE = { kind: "unmade" } as const;
export type Unmade = typeof UNMADE;

const NO_SIBLINGS: SiblingGap = { after: null, before: null, isOwnPlace: false };

export function isRefusal(found: Spot | Unmade | Refusal): found is Refusal {
  return found.kind !== "spot" && found.kind !== "unmade";
}

/** Finds where nodes go that are made or moved, and makes the reserved nodes on the way. */
export class Destinations {
  readonly #tree: TreeIndex;
  readonly #treeWriter: TreeWriter;
  readonly #systemNodes: SystemNodes;
  readonly #now: () => number;

  /** @param now Unix milliseconds, at which reserved nodes are made */
  constructor(
    tree: TreeIndex,
    treeWriter: TreeWriter,
    systemNodes: SystemNodes,
    now: () => number,
  ) {
    this.#tree = tree;
    this.#treeWriter = treeWriter;
    this.#systemNodes = systemNodes;
    this.#now = now;
  }

  /**
   * Where a destination is, or why a node can't go there.
   * @param moving leaves its place
   * @param outside it must not be in here: `invalid_parent`
   */
  find(
    to: Destination,
    { moving, outside }: { readonly moving?: TreeRow; readonly outside?: TreeRow } = {},
  ): Spot | Unmade | Refusal {
    const position = to.position ?? "top";
    const shown = this.#tree.visibleRow(to.parent);
    // What is put into a mirror is put into its origin.
    const parent = shown && this.#tree.rowAt(this.#tree.mirrors.originOf(shown.key) ?? shown.key);
    if (parent === undefined) {
      if (typeof position !== "string" || systemChain(to.parent).length === 0) return NOT_FOUND;
      return outside !== undefined && this.#systemNodes.wouldBeWithin(to.parent, outside)
        ? INVALID_PARENT
        : UNMADE;
    }
    // What is shown is in no row that holds nothing.
    const mayHold = outside !== undefined && outside.children.length > 0;
    if (parent === outside || (mayHold && isWithin(parent, outside))) return INVALID_PARENT;
    const gap = this.#treeWriter.gapAt(parent, position, moving);
    return gap === undefined ? NOT_FOUND : { kind: "spot", parent, gap };
  }

  /** Where a destination is that was found; a reserved node that is not there is made. */
  reach(found: Spot | Unmade, to: Destination): Spot {
    if (found.kind === "spot") return found;
    this.#systemNodes.make(to.parent, this.#now());
    return this.below(to.parent, to.position ?? "top");
  }

  /** The same below a node that is there. */
  below(parent: NodeKey, position: Position): Spot {
    return this.spotBelow(this.#rowOf(parent), position);
  }

  placeAt({ parent, gap }: Spot): Place {
    return { parent: parent.key, order: this.#treeWriter.orderFor(gap) };
  }

  /** A position that is there, as far as anybody knows; else alone below the row. */
  spotBelow(parent: TreeRow, position: Position, moving?: TreeRow): Spot {
    const gap = this.#treeWriter.gapAt(parent, position, moving) ?? NO_SIBLINGS;
    return { kind: "spot", parent, gap };
  }

  #rowOf(key: NodeKey): TreeRow {
    const row = this.#tree.rowAt(key);
    if (row === undefined) throw new Error("a node that was just written is in the index");
    return row;
  }
}

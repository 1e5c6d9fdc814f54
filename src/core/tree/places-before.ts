import type { NodeKey } from "../node-key.ts";
import type { TreeRow } from "./tree-row.ts";

/** Where a node was. */
export interface ShownPlace {
  /** Undefined for a node that was not there. */
  readonly parent: NodeKey | undefined;
  /** Whether it was not shown though its parent was: it was deleted, or a mirror of what is hidden. */
  readonly isHidden: boolean;
}

export const NOWHERE: ShownPlace = { parent: undefined, isHidden: false };

/** Where rows were before the index changed, for whoever keeps a journal of that. */
export class PlacesBefore {
  /** Undefined while nobody wants to know. At most all rows [Q40]. */
  #places: Map<TreeRow, ShownPlace> | undefined;

  /** From now on it is noted. */
  follow(): void {
    this.#places ??= new Map();
  }

  /** The first place that is noted counts. */
  note(row: TreeRow, parent: NodeKey | undefined, isHidden: boolean): void {
    if (this.#places?.has(row) !== false) return;
    this.#places.set(row, parent === undefined ? NOWHERE : { parent, isHidden });
  }

  /** What was noted since this was last called. */
  take(): ReadonlyMap<TreeRow, ShownPlace> {
    if (this.#places === undefined || this.#places.size === 0) return NONE;
    const places = this.#places;
    this.#places = new Map();
    return places;
  }
}

const NONE: ReadonlyMap<TreeRow, ShownPlace> = new Map();

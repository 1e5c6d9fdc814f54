import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { movedByPersonAtIn } from "../../../src/core/tree/placement.ts";

/**
 * Tells the places apart that a node has had: a version is the time of the move that brought it there
 * (0: never moved), which no repair changes. A move back has a time of its own, but it brings the
 * node to an earlier version; this is kept here.
 */
export class PlaceVersions {
  readonly #outline: Outline;
  readonly #returned = new Map<NodeKey, { readonly movedAt: number; readonly version: number }>();

  constructor(outline: Outline) {
    this.#outline = outline;
  }

  of(key: NodeKey): number {
    const movedAt = this.#movedAt(key);
    const returned = this.#returned.get(key);
    return returned?.movedAt === movedAt ? returned.version : movedAt;
  }

  /** The node has just been moved to where it was in that version. */
  returnedTo(key: NodeKey, version: number): void {
    this.#returned.set(key, { movedAt: this.#movedAt(key), version });
  }

  #movedAt(key: NodeKey): number {
    const row = this.#outline.tree.rowAt(key);
    return row === undefined ? 0 : movedByPersonAtIn(row.register);
  }
}

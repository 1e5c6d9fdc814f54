import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination, Outline } from "../../../src/core/outline.ts";
import { movedByPersonAtIn } from "../../../src/core/placement.ts";
import { rankIn } from "../../../src/core/tree-row.ts";
import type { FormerPlace } from "./change.ts";

/** Where a visible node stands; undefined for others. */
export function placeOf(outline: Outline, key: NodeKey): FormerPlace | undefined {
  const row = outline.tree.visibleRow(key);
  const parent = row?.parent;
  if (row === undefined || parent === undefined) return undefined;
  const rank = rankIn(parent.children, row);
  return {
    parent: parent.key,
    after: parent.children[rank - 1]?.key,
    before: parent.children[rank + 1]?.key,
  };
}

/**
 * The way back to where a node stood: behind the sibling it stood behind, else before the one it
 * stood before, else to the end of the parent. Undefined when the parent is gone.
 */
export function wayBack(outline: Outline, place: FormerPlace): Destination | undefined {
  const { parent, after, before } = place;
  const isThere = (key: NodeKey): boolean => outline.tree.visibleRow(key)?.parent?.key === parent;
  if (outline.tree.visibleRow(parent) === undefined) return undefined;
  if (after === undefined) return { parent, position: "top" };
  if (isThere(after)) return { parent, position: { after } };
  if (before !== undefined && isThere(before)) return { parent, position: { before } };
  return { parent, position: "bottom" };
}

/** When a person last moved a node, by its own register; 0 for a node that was never moved. */
export function movedAt(outline: Outline, key: NodeKey): number {
  const row = outline.tree.rowAt(key);
  return row === undefined ? 0 : movedByPersonAtIn(row.register);
}

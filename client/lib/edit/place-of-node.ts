import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
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

/** Whether a node stands where it stood, as far as the siblings it had tell. */
export function isAt(outline: Outline, key: NodeKey, place: FormerPlace): boolean {
  const now = placeOf(outline, key);
  if (now?.parent !== place.parent) return false;
  return now.after === place.after || now.before === place.before;
}

/**
 * Whether a sibling next to a node has the same order, as one may have got while the node was hidden:
 * nothing could ever be put between them.
 */
export function sharesOrder(outline: Outline, key: NodeKey): boolean {
  const row = outline.tree.visibleRow(key);
  const siblings = row?.parent?.children;
  if (row === undefined || siblings === undefined) return false;
  const rank = rankIn(siblings, row);
  return siblings[rank - 1]?.order === row.order || siblings[rank + 1]?.order === row.order;
}

import { countWhile } from "../../../src/core/count-while.ts";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Destination } from "../../../src/core/tree/destinations.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { isOrderKey } from "../../../src/core/tree/order-key.ts";
import { isWithin, rankIn } from "../../../src/core/tree/tree-row.ts";
import type { FormerPlace } from "./change.ts";

/** Where a visible node stands; undefined for others. */
export function placeOf(outline: Outline, key: NodeKey): FormerPlace | undefined {
  const row = outline.tree.visibleRow(key);
  const parent = row?.parent;
  if (row === undefined || parent === undefined) return undefined;
  const rank = rankIn(parent.children, row);
  return {
    parent: parent.key,
    order: row.order,
    after: parent.children[rank - 1]?.key,
    before: parent.children[rank + 1]?.key,
  };
}

/**
 * Moves a visible node back to where it stood, as if it had never left: to its order among what others have
 * put there and moved since, or else beside the siblings it had. Inside a transaction.
 * @returns whether it did
 */
export function moveBack(outline: Outline, key: NodeKey, place: FormerPlace): boolean {
  const { tree, treeWriter } = outline;
  const [row, parent] = [tree.visibleRow(key), tree.visibleRow(place.parent)];
  if (row === undefined || parent === undefined || isWithin(parent, row)) return false;
  const { children } = parent;
  const rank = countWhile(children.length, (at) => (children[at]?.order ?? "") < place.order);
  if (children[rank]?.order !== place.order && isOrderKey(place.order)) {
    treeWriter.writeDownFallen(row);
    treeWriter.move(row, place);
    return true;
  }
  const to = wayBack(outline, place);
  return to !== undefined && outline.move(key, to).kind === "ok";
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

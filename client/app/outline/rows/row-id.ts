import { isNodeKey, type NodeKey } from "../../../../src/core/node-key.ts";
import type { OutlineView } from "../../../../src/core/outline-view.ts";

/**
 * Which of the rows of a node is meant: its key for the one at its own place; for one below a mirror
 * the keys of the mirrors that it is shown through, the outer ones first, before its own key. So what
 * stands before the key is the id of the row of the innermost of these mirrors.
 */
export type RowId = string & { readonly brand: "NodeKey" | "RowId" };

const KEY_LENGTH = 12;
const PATTERN = /^(?:[0-9a-f]{12})+$/;

export function isRowId(text: string): text is RowId {
  return isNodeKey(text) || PATTERN.test(text);
}

/** The node that a row shows. */
export function keyOf(id: RowId): NodeKey {
  return id.slice(-KEY_LENGTH) as NodeKey;
}

/** The id of the mirror's row through which a row is shown; empty at the node's own place. */
export function viaOf(id: RowId): RowId | "" {
  return id.slice(0, -KEY_LENGTH) as RowId | "";
}

/** The row of another node beside a row: through the same mirrors. */
export function besideRow(id: RowId, key: NodeKey): RowId {
  return `${viaOf(id)}${key}` as RowId;
}

/** The row of a node right below a row. */
export function belowRow(outline: OutlineView, id: RowId, key: NodeKey): RowId {
  const parent = keyOf(id);
  return outline.heldBy(parent) === parent ? besideRow(id, key) : (`${id}${key}` as RowId);
}

/** The row that a row is right below; undefined when its node is nowhere, or not in that mirror. */
export function aboveRow(outline: OutlineView, id: RowId): RowId | undefined {
  const parent = outline.tree.rowAt(keyOf(id))?.parent?.key;
  const via = viaOf(id);
  if (via !== "" && outline.heldBy(keyOf(via)) === parent) return via;
  return parent === undefined ? undefined : besideRow(id, parent);
}

import type { NodeKey } from "../../../src/core/node-key.ts";
import { parsePlacement } from "../../../src/core/placement.ts";
import { isVisible, isWithin, rankIn, type TreeRow } from "../../../src/core/tree-row.ts";
import type { RowId } from "./row-id.ts";
import { rowOf, rowsBelow, type RowView } from "./row-view.ts";
import { endOfBlock, parentIndex, type VisibleRow } from "./visible-row.ts";

/**
 * Brings rows up to date after some nodes may have come, gone or moved; the others keep their row
 * objects. Costs a copy of the list and a search in it for each of the nodes: right for a few. Not for
 * outlines with mirrors, where a node may have several rows.
 *
 * @param zoom the node the rows are below
 * @param placed the nodes, those that are gone for good by their key alone
 */
export function updatedRows(
  rows: readonly VisibleRow[],
  zoom: TreeRow,
  placed: readonly (TreeRow | NodeKey)[],
  view: RowView,
): readonly VisibleRow[] {
  const next = rows.slice();
  /** Nodes that may have won their first or lost their last child. */
  const parents = new Set<TreeRow>();
  let isSomeUnseen = false;
  for (const node of placed) {
    if (!takeOut(next, node, parents) && mayHaveLeft(node)) isSomeUnseen = true;
  }

  const coming = placed.filter(
    (node): node is TreeRow => typeof node !== "string" && isVisible(node) && isBelow(node, zoom),
  );
  const inserted = new Set<TreeRow>();
  for (const node of inDocumentOrder(coming)) {
    if (node.parent !== undefined) parents.add(node.parent);
    if (!inserted.has(node)) putIn(next, node, zoom, view, inserted);
  }
  for (const parent of parents) renew(next, indexOfNode(next, parent, 0), view);
  // What had no row may have left a collapsed node, which nothing but the node's own row tells.
  if (isSomeUnseen) {
    for (let index = 0; index < next.length; index++) {
      const row = next[index];
      if (row?.hasChildren === true && !row.isExpanded) renew(next, index, view);
    }
  }
  return next;
}

/** Whether a node may have been below another one before: not when it was only created. */
function mayHaveLeft(node: TreeRow | NodeKey): boolean {
  if (typeof node === "string" || node.deletion !== undefined) return true;
  const placement = parsePlacement(node.register);
  return placement?.move !== undefined || placement?.restates !== undefined;
}

/** Another row for a node that has won its first child or lost its last one. */
function renew(rows: VisibleRow[], index: number, view: RowView): void {
  const row = rows[index];
  if (row === undefined) return;
  const renewed = rowOf(row.node, row.depth, view);
  const isSame = renewed.hasChildren === row.hasChildren && renewed.isExpanded === row.isExpanded;
  if (isSame) return;
  renewed.height = row.height;
  rows[index] = renewed;
}

/** Where a node's row is, looked for from `hint` on in both directions; -1 when it has none. */
export function indexOfNode(
  rows: readonly VisibleRow[],
  node: TreeRow,
  hint: number,
  via: RowId | "" = "",
): number {
  const isIt = (row: VisibleRow | undefined): boolean => row?.node === node && row.via === via;
  let down = Math.min(Math.max(hint, 0), rows.length);
  let up = down - 1;
  // Reading beside an array is slow, so each way ends by itself.
  for (; down < rows.length && up >= 0; down++, up--) {
    if (isIt(rows[down])) return down;
    if (isIt(rows[up])) return up;
  }
  for (; down < rows.length; down++) if (isIt(rows[down])) return down;
  for (; up >= 0; up--) if (isIt(rows[up])) return up;
  return -1;
}

function isBelow(node: TreeRow, zoom: TreeRow): boolean {
  return node !== zoom && isWithin(node, zoom);
}

/** False when the node had no row. */
function takeOut(rows: VisibleRow[], node: TreeRow | NodeKey, parents: Set<TreeRow>): boolean {
  const index =
    typeof node === "string"
      ? rows.findIndex((row) => row.key === node)
      : indexOfNode(rows, node, 0);
  if (index < 0) return false;
  const parent = rows[parentIndex(rows, index) ?? -1];
  if (parent !== undefined) parents.add(parent.node);
  rows.splice(index, endOfBlock(rows, index) - index);
  return true;
}

function putIn(
  rows: VisibleRow[],
  node: TreeRow,
  zoom: TreeRow,
  view: RowView,
  inserted: Set<TreeRow>,
): void {
  const { parent } = node;
  if (parent === undefined || !view.isShown(node)) return;
  const above = parent === zoom ? -1 : indexOfNode(rows, parent, 0);
  if (parent !== zoom && (above < 0 || view.isCollapsed(parent.key))) return;
  const depth = parent === zoom ? 0 : (rows[above]?.depth ?? 0) + 1;
  const before = shownBefore(rows, node, parent, view);
  const at = before === undefined ? above + 1 : endOfBlock(rows, before);
  const row = rowOf(node, depth, view);
  const block = [row];
  if (row.isExpanded) for (const below of rowsBelow(node, depth + 1, view)) block.push(below);
  for (const each of block) inserted.add(each.node);
  const tail = rows.splice(at);
  for (const each of block) rows.push(each);
  for (const each of tail) rows.push(each);
}

/** The index of the nearest sibling before a node that has a row. */
function shownBefore(
  rows: readonly VisibleRow[],
  node: TreeRow,
  parent: TreeRow,
  view: RowView,
): number | undefined {
  for (let rank = rankIn(parent.children, node) - 1; rank >= 0; rank--) {
    const sibling = parent.children[rank];
    if (sibling === undefined || !view.isShown(sibling)) continue;
    const index = indexOfNode(rows, sibling, 0);
    if (index >= 0) return index;
  }
  return undefined;
}

/** Parents before their children, siblings by rank: each finds what it goes below and behind. */
function inDocumentOrder(nodes: readonly TreeRow[]): readonly TreeRow[] {
  const depths = new Map(nodes.map((node) => [node, depthOf(node)]));
  return nodes.toSorted((a, b) => {
    const deeper = (depths.get(a) ?? 0) - (depths.get(b) ?? 0);
    if (deeper !== 0 || a.parent !== b.parent || a.parent === undefined) return deeper;
    return rankIn(a.parent.children, a) - rankIn(a.parent.children, b);
  });
}

function depthOf(node: TreeRow): number {
  let depth = 0;
  for (let up = node.parent; up !== undefined; up = up.parent) depth++;
  return depth;
}

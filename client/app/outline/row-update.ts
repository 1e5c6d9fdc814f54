import type { NodeKey } from "../../../src/core/node-key.ts";
import { parsePlacement } from "../../../src/core/placement.ts";
import { isVisible, isWithin, rankIn, type TreeRow } from "../../../src/core/tree-row.ts";
import type { RowId } from "./row-id.ts";
import {
  hasRowsBelow,
  isBelowLimit,
  rowsBelow,
  rowsOf,
  type RowView,
  withKept,
} from "./row-view.ts";
import { endOfBlock, parentIndex, type VisibleRow } from "./visible-row.ts";

/**
 * Brings rows up to date after some nodes may have come, gone or moved; the others keep their row
 * objects. Costs a copy of the list and a search in it for each of the nodes, and what stands below the
 * mirrors in which they are shown: right for a few.
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

  const there = placed.filter(
    (node): node is TreeRow => typeof node !== "string" && isVisible(node) && isListed(node),
  );
  const inserted = new Set<TreeRow>();
  for (const node of inDocumentOrder(there.filter((each) => isBelow(each, zoom)))) {
    if (node.parent !== undefined) parents.add(node.parent);
    if (!inserted.has(node)) putIn(next, node, zoom, view, inserted);
  }
  for (const parent of parents) renew(next, indexOfNode(next, parent, 0), view);
  // What had no row may have left a collapsed node, which nothing but the node's own row tells.
  if (isSomeUnseen) closeEmpty(next, view);

  if (!next.some((row) => row.held !== row.node)) return next;
  for (const { parent } of there) if (parent !== undefined) parents.add(parent);
  const renewed = withRenewedCopies(next, new Set(placed), parents, zoom, view);
  return isBelowLimit(renewed, view) ? renewed : withKept(rows, rowsBelow(zoom, 0, view));
}

/** The rows after some of them have been opened or closed. */
export function refoldedRows(
  rows: readonly VisibleRow[],
  zoom: TreeRow,
  changed: readonly { readonly node: TreeRow; readonly via: RowId | "" }[],
  view: RowView,
  hint: number,
): readonly VisibleRow[] {
  let next = rows;
  for (const { node, via } of changed) {
    const index = indexOfNode(next, node, hint, via);
    const row = next[index];
    if (row === undefined) continue;
    const block = rowsOf([node], row.depth, view, nodesAbove(next, index, zoom), via);
    const [first] = block;
    if (first !== undefined) first.height = row.height;
    next = next.slice(0, index).concat(block, next.slice(endOfBlock(next, index)));
  }
  return isBelowLimit(next, view) ? next : withKept(rows, rowsBelow(zoom, 0, view));
}

/** The rows with those anew that stand below mirrors in which something has changed. */
function withRenewedCopies(
  rows: readonly VisibleRow[],
  placed: ReadonlySet<TreeRow | NodeKey>,
  parents: ReadonlySet<TreeRow>,
  zoom: TreeRow,
  view: RowView,
): VisibleRow[] {
  const isTouched = ({ node, held, key }: VisibleRow): boolean =>
    placed.has(node) || placed.has(key) || parents.has(held);
  const renewed: VisibleRow[] = [];
  for (let index = 0; index < rows.length;) {
    const row = rows[index];
    if (row === undefined) break;
    if (row.held === row.node) {
      renewed.push(row);
      index++;
      continue;
    }
    const end = endOfBlock(rows, index);
    const before = rows.slice(index, end);
    const after = before.some(isTouched)
      ? rowsOf([row.node], row.depth, view, nodesAbove(rows, index, zoom))
      : before;
    for (const each of withKept(before, after)) renewed.push(each);
    index = end;
  }
  return renewed;
}

/** Whose children are shown above the row at `index`, from the node that is looked into on. */
function nodesAbove(rows: readonly VisibleRow[], index: number, zoom: TreeRow): readonly TreeRow[] {
  const above = [zoom];
  let at = parentIndex(rows, index);
  for (; at !== undefined; at = parentIndex(rows, at)) {
    const row = rows[at];
    if (row !== undefined) above.push(row.held);
  }
  return above;
}

/** Whether a node is shown where its parent is: not a mirror whose origin is not shown. */
function isListed(node: TreeRow): boolean {
  const siblings = node.parent?.children;
  return siblings?.[rankIn(siblings, node)] === node;
}

/** Whether a node may have been below another one before: not when it was only created. */
function mayHaveLeft(node: TreeRow | NodeKey): boolean {
  if (typeof node === "string" || node.deletion !== undefined) return true;
  const placement = parsePlacement(node.register);
  return placement?.move !== undefined || placement?.restates !== undefined;
}

/** Another row for a node, at its own place, that has won its first child or lost its last one. */
function renew(rows: VisibleRow[], index: number, view: RowView): void {
  const row = rows[index];
  if (row === undefined) return;
  const hasChildren = hasRowsBelow(row.held, view);
  const isExpanded = hasChildren && !view.isCollapsed(row.id);
  if (hasChildren !== row.hasChildren || isExpanded !== row.isExpanded) {
    rows[index] = row.withBelow(hasChildren, isExpanded);
  }
}

/** Other rows for what is collapsed and has nothing below it any more. */
function closeEmpty(rows: VisibleRow[], view: RowView): void {
  for (const [index, row] of rows.entries()) {
    if (row.hasChildren && !row.isExpanded && !hasRowsBelow(row.held, view)) {
      rows[index] = row.withBelow(false, false);
    }
  }
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
      ? rows.findIndex((row) => row.key === node && row.via === "")
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
  const path = parent === zoom ? [zoom] : [...nodesAbove(rows, above, zoom), parent];
  const block = rowsOf([node], depth, view, path);
  for (const each of block) if (each.via === "") inserted.add(each.node);
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

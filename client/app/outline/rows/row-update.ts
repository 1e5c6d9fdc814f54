import type { NodeKey } from "../../../../src/core/node-key.ts";
import { parsePlacement } from "../../../../src/core/tree/placement.ts";
import type { TreeRow } from "../../../../src/core/tree/tree-row.ts";
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
 * objects. Costs a copy of the list, and a look along it for each list of children that may be another:
 * right for a few.
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
  const parents = placed.flatMap((node) => (typeof node === "string" ? [] : (node.parent ?? [])));
  /** Below which rows, or the zoomed node (-1), others may stand: what nodes have left or come into. */
  const stale = new Set(parents.includes(zoom) ? [-1] : []);
  const seen = new Set<TreeRow | NodeKey>();
  let hasCopies = false;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    if (row === undefined) break;
    hasCopies ||= row.isCopied;
    if (parents.includes(row.held)) stale.add(index);
    if (!isAmong(placed, row)) continue;
    stale.add(parentIndex(rows, index) ?? -1);
    seen.add(row.node).add(row.key);
  }
  // What had no row may have left a closed one, or a mirror of one, which nothing but that row tells.
  const isUnseen = (node: TreeRow | NodeKey): boolean => hasCopies || !seen.has(node);
  if (placed.some((node) => isUnseen(node) && mayHaveLeft(node))) addEmptied(rows, stale, view);

  let next = rows;
  // From the last on: those before it keep their index.
  for (const index of [...stale].toSorted((a, b) => b - a)) {
    next = withChildren(next, index, zoom, placed, view);
  }
  return isBelowLimit(next, view) ? next : withKept(rows, rowsBelow(zoom, 0, view));
}

function isAmong(placed: readonly (TreeRow | NodeKey)[], { node, key }: VisibleRow): boolean {
  return placed.includes(node) || placed.includes(key);
}

/** Adds what is closed and has nothing below it any more. */
function addEmptied(rows: readonly VisibleRow[], stale: Set<number>, view: RowView): void {
  for (const [index, { held, hasChildren, isExpanded }] of rows.entries()) {
    if (hasChildren && !isExpanded && !hasRowsBelow(held, view)) stale.add(index);
  }
}

/**
 * The rows with those below the one at `index`, or below the zoomed node (-1), as its children are now.
 *
 * @param placed children that came, went or moved: they get rows anew, the others keep theirs
 */
function withChildren(
  rows: readonly VisibleRow[],
  index: number,
  zoom: TreeRow,
  placed: readonly (TreeRow | NodeKey)[],
  view: RowView,
): readonly VisibleRow[] {
  const row = rows[index];
  const parent = row?.held ?? zoom;
  const above = row === undefined ? [] : nodesAbove(rows, index, zoom);
  // What is being shown already is not shown once more below its mirror.
  if (row !== undefined && parent !== row.node && above.includes(parent)) return rows;
  const hasChildren = hasRowsBelow(parent, view);
  const isExpanded = hasChildren && (row === undefined || !view.isCollapsed(row.id));
  const depth = row === undefined ? 0 : row.depth + 1;
  const via = row === undefined || parent === row.node ? row?.via : row.id;
  const end = row === undefined ? rows.length : endOfBlock(rows, index);
  const rowsFor = (children: readonly TreeRow[]): readonly VisibleRow[] =>
    rowsOf(children, depth, view, [...above, parent], via);
  const below = rows.slice(index + 1, end);
  const blocks = isExpanded ? blocksOf(parent.children, below, placed, rowsFor) : [];
  const isSame = row?.hasChildren === hasChildren && row.isExpanded === isExpanded;
  const own = row === undefined ? [] : isSame ? row : row.withBelow(hasChildren, isExpanded);
  return rows.slice(0, Math.max(0, index)).concat(own, ...blocks, rows.slice(end));
}

/**
 * The rows of children in their order, in pieces.
 *
 * @param rows those that they had
 * @param rowsFor makes the rows of some of them anew
 */
function blocksOf(
  children: readonly TreeRow[],
  rows: readonly VisibleRow[],
  placed: readonly (TreeRow | NodeKey)[],
  rowsFor: (children: readonly TreeRow[]) => readonly VisibleRow[],
): readonly (readonly VisibleRow[])[] {
  if (rows.length === 0) return [rowsFor(children)];
  const blocks: (readonly VisibleRow[])[] = [];
  /** Of what is kept and in no block yet. */
  let from = 0;
  let at = 0;
  const isGone = (index: number): boolean => {
    const there = rows[index];
    return there !== undefined && isAmong(placed, there);
  };
  for (const child of children) {
    if (isGone(at)) {
      blocks.push(rows.slice(from, at));
      while (isGone(at)) at = endOfBlock(rows, at);
      from = at;
    }
    if (placed.includes(child)) {
      blocks.push(rows.slice(from, at), rowsFor([child]));
      from = at;
    } else if (rows[at]?.node === child) at = endOfBlock(rows, at);
  }
  blocks.push(rows.slice(from, at));
  return blocks;
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
    if (index >= 0) next = withChildren(next, index, zoom, [], view);
  }
  return isBelowLimit(next, view) ? next : withKept(rows, rowsBelow(zoom, 0, view));
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

/** Whether a node may have been below another one before: not when it was only created. */
function mayHaveLeft(node: TreeRow | NodeKey): boolean {
  if (typeof node === "string" || node.deletion !== undefined) return true;
  const placement = parsePlacement(node.register);
  return placement?.move !== undefined || placement?.restates !== undefined;
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

import type { TreeRow } from "../../../src/core/tree-row.ts";
import type { RowId } from "./row-id.ts";
import { VisibleRow } from "./visible-row.ts";

/** What makes a row of a node, and what of the tree gets one. */
export interface RowView {
  isCollapsed(id: RowId): boolean;
  /** Whether a node has a row where its parent is expanded. */
  isShown(node: TreeRow): boolean;
  /** What the rows below a node's are those of: of a mirror its origin. */
  heldBy(node: TreeRow): TreeRow;
}

/** So many rows stand below mirrors; beyond that they stay closed. */
const MOST_COPIES = 10_000;

/** The row of a node that is shown. */
export function rowOf(node: TreeRow, depth: number, view: RowView): VisibleRow {
  const hasChildren = node.children.some((child) => view.isShown(child));
  return new VisibleRow(
    node,
    depth,
    hasChildren,
    hasChildren && !view.isCollapsed(node.key),
    false,
  );
}

/** One level of the way down to a row. */
interface Level {
  /** Whose children these are, and through which mirror they are shown. */
  readonly node: TreeRow;
  readonly via: RowId | "";
  next: number;
}

/**
 * The rows below a node, as far as they are expanded, in document order: below a mirror those of its
 * origin, unless that is being shown already. Depth costs no stack.
 */
export function rowsBelow(top: TreeRow, depth: number, view: RowView): VisibleRow[] {
  const rows: VisibleRow[] = [];
  let copies = 0;
  const path: Level[] = [{ node: top, via: "", next: 0 }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const { via } = level;
    const node = level.node.children[level.next++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    if (!view.isShown(node)) continue;
    const held = view.heldBy(node);
    const isMirror = held !== node;
    const isAbove = isMirror && path.some((above) => above.node === held);
    const hasChildren = !isAbove && held.children.some((child) => view.isShown(child));
    const id = via === "" ? node.key : (`${via}${node.key}` as RowId);
    const isCopied = isMirror || via !== "";
    const isExpanded =
      hasChildren &&
      !view.isCollapsed(id) &&
      !(isCopied && copies + held.children.length > MOST_COPIES);
    rows.push(new VisibleRow(node, depth + path.length - 1, hasChildren, isExpanded, false, via));
    if (!isExpanded) continue;
    if (isCopied) copies += held.children.length;
    path.push({ node: held, via: isMirror ? id : via, next: 0 });
  }
  return rows;
}

/** The rows after a change, with the row objects from before for what is as it was. */
export function withKept(
  before: readonly VisibleRow[],
  after: readonly VisibleRow[],
): readonly VisibleRow[] {
  const [most, kept] = [Math.min(before.length, after.length), after.slice()];
  const take = (at: number, from: number): boolean => {
    const [row, old] = [after[at], before[from]];
    if (row === undefined || old?.isLike(row) !== true) return false;
    kept[at] = old;
    return true;
  };
  let first = 0;
  while (first < most && take(first, first)) first++;
  let last = 0;
  while (last < most - first && take(after.length - 1 - last, before.length - 1 - last)) last++;
  const known = new Map(
    before.slice(first, before.length - last).map((row, index) => [row.id, first + index]),
  );
  for (let at = first; at < after.length - last; at++) {
    const row = after[at];
    const from = row === undefined ? undefined : known.get(row.id);
    if (row === undefined || from === undefined || take(at, from)) continue;
    row.height = before[from]?.height ?? 0;
  }
  return kept;
}

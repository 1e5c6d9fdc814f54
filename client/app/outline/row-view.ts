import type { NodeKey } from "../../../src/core/node-key.ts";
import type { TreeRow } from "../../../src/core/tree-row.ts";
import { VisibleRow } from "./visible-row.ts";

/** What makes a row of a node, and what of the tree gets one. */
export interface RowView {
  isCollapsed(key: NodeKey): boolean;
  /** Whether a node has a row where its parent is expanded. */
  isShown(node: TreeRow): boolean;
}

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

/** The rows below a node, as far as they are expanded, in document order. Depth costs no stack. */
export function rowsBelow(top: TreeRow, depth: number, view: RowView): VisibleRow[] {
  const rows: VisibleRow[] = [];
  const path: { readonly children: readonly TreeRow[]; next: number }[] = [
    { children: top.children, next: 0 },
  ];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.children[level.next++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    if (!view.isShown(node)) continue;
    const row = rowOf(node, depth + path.length - 1, view);
    rows.push(row);
    if (row.isExpanded) path.push({ children: node.children, next: 0 });
  }
  return rows;
}

import type { NodeKey } from "../../../src/core/node-key.ts";
import { isVisible, type TreeRow } from "../../../src/core/tree-row.ts";
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

/** What a search shows, and what the person opened or closed in it. */
export interface SearchView {
  /** Matches and whatever is to stay in sight. */
  readonly matches: ReadonlySet<TreeRow>;
  /** Opened in the search: everything below it is shown as without a search. */
  readonly opened: ReadonlySet<NodeKey>;
  readonly closed: ReadonlySet<NodeKey>;
}

/** The rows of a search below a node: the matches, with what they are below as context. */
export function rowsOfSearch(top: TreeRow, view: RowView, search: SearchView): VisibleRow[] {
  const context = new Set<TreeRow>();
  for (const match of search.matches) {
    if (!isVisible(match)) continue;
    for (let up = match.parent; up !== undefined && !context.has(up); up = up.parent) {
      context.add(up);
      if (up === top) break;
    }
  }
  const rows: VisibleRow[] = [];
  const path: { readonly children: readonly TreeRow[]; next: number }[] = [
    { children: context.has(top) ? top.children : [], next: 0 },
  ];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.children[level.next++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    const isMatch = search.matches.has(node);
    const leadsOn = context.has(node);
    if ((!isMatch && !leadsOn) || !view.isShown(node)) continue;
    const depth = path.length - 1;
    const hasChildren = node.children.some((child) => view.isShown(child));
    const isOpened = search.opened.has(node.key);
    const isExpanded = hasChildren && (isOpened || (leadsOn && !search.closed.has(node.key)));
    rows.push(new VisibleRow(node, depth, hasChildren, isExpanded, !isMatch));
    if (!isExpanded) continue;
    if (isOpened) for (const row of rowsBelow(node, depth + 1, view)) rows.push(row);
    else path.push({ children: node.children, next: 0 });
  }
  return rows;
}

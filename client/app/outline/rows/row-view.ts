import type { TreeRow } from "../../../../src/core/tree/tree-row.ts";
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

/** One level of the way down to a row. */
interface Level {
  readonly siblings: readonly TreeRow[];
  /** Whose children these are; undefined for the first level. */
  readonly held: TreeRow | undefined;
  /** Through which mirror they are shown. */
  readonly via: RowId | "";
  next: number;
}

/** The rows below a node, as far as they are expanded, in document order. Depth costs no stack. */
export function rowsBelow(top: TreeRow, depth: number, view: RowView): VisibleRow[] {
  return rowsOf(top.children, depth, view, [top]);
}

/**
 * The rows of some siblings and below them, as far as they are expanded: below a mirror those of its
 * origin, unless that is being shown already.
 *
 * @param above whose children are shown above these rows, the node that is looked into among them
 * @param via the row of the mirror through which they are shown
 */
export function rowsOf(
  siblings: readonly TreeRow[],
  depth: number,
  view: RowView,
  above: readonly TreeRow[],
  via: RowId | "" = "",
): VisibleRow[] {
  const rows: VisibleRow[] = [];
  let copies = 0;
  const path: Level[] = [{ siblings, held: undefined, via, next: 0 }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const node = level.siblings[level.next++];
    if (node === undefined) {
      path.pop();
      continue;
    }
    if (!view.isShown(node)) continue;
    const held = view.heldBy(node);
    const isMirror = held !== node;
    const isAbove = isMirror && (above.includes(held) || path.some((each) => each.held === held));
    const hasChildren = !isAbove && hasRowsBelow(held, view);
    const id = level.via === "" ? node.key : (`${level.via}${node.key}` as RowId);
    const isCopied = isMirror || level.via !== "";
    const isExpanded =
      hasChildren &&
      !view.isCollapsed(id) &&
      !(isCopied && copies + held.children.length > MOST_COPIES);
    const at = depth + path.length - 1;
    rows.push(new VisibleRow(node, at, hasChildren, isExpanded, false, level.via, held));
    if (!isExpanded) continue;
    if (isCopied) copies += held.children.length;
    path.push({ siblings: held.children, held, via: isMirror ? id : level.via, next: 0 });
  }
  return rows;
}

export function hasRowsBelow(held: TreeRow, view: RowView): boolean {
  for (const child of held.children) if (view.isShown(child)) return true;
  return false;
}

/** Whether there are fewer rows below mirrors than may be, so that none of them is closed for that. */
export function isBelowLimit(rows: readonly VisibleRow[], view: RowView): boolean {
  let copies = 0;
  for (const row of rows) {
    if (!row.isCopied || !row.hasChildren) continue;
    if (!row.isExpanded && !view.isCollapsed(row.id)) return false;
    if (row.isExpanded) copies += row.held.children.length;
  }
  return copies <= MOST_COPIES;
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

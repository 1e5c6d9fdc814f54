import type { TreeRow } from "./tree-row.ts";

/** A row with its rank among the visible children of the row it is shown below. */
export interface RankedRow {
  readonly row: TreeRow;
  readonly parent: TreeRow;
  readonly rank: number;
}

/**
 * The visible rows below a visible row, in document order: each before what is below it, siblings in
 * their order. As they are when the first is asked for; the tree may change while the rest is taken.
 */
export function* rowsBelow(top: TreeRow): Generator<RankedRow> {
  const { rows, depths } = orderBelow(top);
  // The rows above the one whose turn it is, and the rank of each at its depth.
  const parents = [top];
  const ranks: number[] = [];
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index];
    const depth = depths[index] ?? 0;
    const parent = parents[depth];
    if (row === undefined || parent === undefined) return;
    const rank = (ranks[depth] ?? -1) + 1;
    ranks.length = depth;
    ranks.push(rank);
    parents.length = depth + 1;
    parents.push(row);
    yield { row, parent, rank };
  }
}

/**
 * All of them at once, with nothing but the depth of each: no object a row, since a million of them
 * would keep everybody waiting. Depth costs no stack.
 */
function orderBelow(top: TreeRow): {
  readonly rows: readonly TreeRow[];
  readonly depths: readonly number[];
} {
  const rows: TreeRow[] = [];
  const depths: number[] = [];
  const pending: TreeRow[] = [];
  const pendingDepths: number[] = [];
  const addChildren = ({ children }: TreeRow, depth: number): void => {
    for (let rank = children.length - 1; rank >= 0; rank--) {
      const child = children[rank];
      if (child === undefined) continue;
      pending.push(child);
      pendingDepths.push(depth);
    }
  };
  addChildren(top, 0);
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    const depth = pendingDepths.pop() ?? 0;
    rows.push(row);
    depths.push(depth);
    if (row.children.length > 0) addChildren(row, depth + 1);
  }
  return { rows, depths };
}

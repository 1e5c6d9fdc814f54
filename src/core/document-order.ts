import type { TreeRow } from "./tree-row.ts";

/** A row with its rank among the visible children of the row it is shown below. */
export interface RankedRow {
  readonly row: TreeRow;
  readonly parent: TreeRow;
  readonly rank: number;
}

/**
 * The visible rows below a visible row, in document order: each before what is below it, siblings in
 * their order. Depth costs no stack. The rows must not change while this runs.
 */
export function* rowsBelow(top: TreeRow): Generator<RankedRow> {
  const path: { readonly parent: TreeRow; rank: number }[] = [{ parent: top, rank: 0 }];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const { parent, rank } = level;
    const row = parent.children[rank];
    if (row === undefined) {
      path.pop();
      continue;
    }
    level.rank++;
    yield { row, parent, rank };
    if (row.children.length > 0) path.push({ parent: row, rank: 0 });
  }
}

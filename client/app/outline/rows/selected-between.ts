import type { Row } from "./outline-rows.ts";
import type { RowId } from "./row-id.ts";
import { endOfBlock, parentIndex } from "./visible-row.ts";

/**
 * The siblings from one row to another: for rows of different depths or parents those of what they
 * are in that are siblings. In their order, whichever of the two comes first. What only leads to what a
 * search found stands for the rows below it: nothing that was not found is selected with them.
 */
export function selectedBetween(
  rows: readonly Row[],
  anchor: number,
  head: number,
): readonly RowId[] {
  let first = Math.min(anchor, head);
  let last = Math.max(anchor, head);
  if (first < 0) return [];
  // Up from the deeper one until both are of one depth, then both until they have one parent.
  while (depthAt(rows, last) > depthAt(rows, first)) last = parentIndex(rows, last) ?? last;
  while (depthAt(rows, first) > depthAt(rows, last)) first = parentIndex(rows, first) ?? first;
  for (;;) {
    const firstParent = parentIndex(rows, first);
    const lastParent = parentIndex(rows, last);
    if (firstParent === lastParent || firstParent === undefined || lastParent === undefined) break;
    first = firstParent;
    last = lastParent;
  }
  const ids: RowId[] = [];
  const end = endOfBlock(rows, last);
  for (let at = first; at < end;) {
    const row = rows[at];
    if (row === undefined) break;
    if (!row.isContext) ids.push(row.id);
    at = row.isContext ? at + 1 : endOfBlock(rows, at);
  }
  return ids;
}

function depthAt(rows: readonly Row[], index: number): number {
  return rows[index]?.depth ?? 0;
}

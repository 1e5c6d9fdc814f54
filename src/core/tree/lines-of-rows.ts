import type { TreeRow } from "./tree-row.ts";

/** Rows between two yields: a millisecond or so. */
const STEP = 2_048;

/**
 * Answers whether one of some rows is another row, or below it: `isWithin` for many rows. What is above
 * them is passed once, however many they are. The tree must not change until the last answer.
 */
export function* linesOf(
  rows: Iterable<TreeRow>,
): Generator<void, (row: TreeRow, ancestor: TreeRow) => boolean> {
  /** What is at and above the rows, with those of it that are directly below: at most all rows [Q40]. */
  const below = new Map<TreeRow, TreeRow[]>();
  const pending: TreeRow[] = [];
  let steps = 0;
  for (const row of rows) {
    let from: TreeRow | undefined;
    let up: TreeRow | undefined = row;
    for (; up !== undefined; from = up, up = up.parent) {
      if (++steps % STEP === 0) yield;
      const known = below.get(up);
      if (from !== undefined) known?.push(from);
      if (known !== undefined) break;
      below.set(up, from === undefined ? [] : [from]);
    }
    if (up === undefined && from !== undefined) pending.push(from);
  }
  /** Their numbers from above, and that behind the last one below each [Q40]. */
  const spans = new Map<TreeRow, { readonly from: number; to: number }>();
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    if (++steps % STEP === 0) yield;
    const span = spans.get(row);
    if (span === undefined) {
      spans.set(row, { from: spans.size, to: 0 });
      pending.push(row);
      for (const each of below.get(row) ?? []) pending.push(each);
    } else span.to = spans.size;
  }
  return (row, ancestor) => {
    const at = spans.get(row)?.from ?? -1;
    const span = spans.get(ancestor);
    return span !== undefined && span.from <= at && at < span.to;
  };
}

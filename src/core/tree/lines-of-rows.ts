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
  const tops: TreeRow[] = [];
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
    if (up === undefined && from !== undefined) tops.push(from);
  }

  /** Each before what is below it [Q40]. */
  const order: TreeRow[] = [];
  const firsts = new Map<TreeRow, number>();
  for (let row = tops.pop(); row !== undefined; row = tops.pop()) {
    if (++steps % STEP === 0) yield;
    firsts.set(row, order.length);
    order.push(row);
    for (const each of below.get(row) ?? []) tops.push(each);
  }
  const lasts = order.map((_, index) => index);
  for (let index = order.length - 1; index >= 0; index--) {
    if (++steps % STEP === 0) yield;
    const parent = order[index]?.parent;
    const at = parent && firsts.get(parent);
    if (at !== undefined) lasts[at] = Math.max(lasts[at] ?? 0, lasts[index] ?? 0);
  }
  return (row, ancestor) => {
    const [at, first] = [firsts.get(row), firsts.get(ancestor)];
    return at !== undefined && first !== undefined && first <= at && at <= (lasts[first] ?? 0);
  };
}

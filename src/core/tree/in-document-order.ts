import { sortInSlices } from "../sort-in-slices.ts";
import { compareRows, type TreeRow } from "./tree-row.ts";

/** Rows that are passed between two yields: a millisecond or two. */
const STEP = 4_096;

/**
 * Those of some rows that are shown, in document order: where each was when it was looked at, since the
 * tree may change between two steps. What is above them is passed once, however many are below it, so
 * neither time nor memory grows with their depth.
 */
export function* inDocumentOrder(
  rows: Iterable<TreeRow>,
  root: TreeRow,
): Generator<void, readonly TreeRow[]> {
  const wanted = new Set(rows);
  /** Rows that are shown, with those of the way down to the wanted ones that are below them [Q40]. */
  const below = new Map<TreeRow, TreeRow[]>([[root, []]]);
  /** Rows below one that is marked deleted [Q40]. */
  const hidden = new Set<TreeRow>();
  let steps = 0;
  for (const row of wanted) {
    const path: TreeRow[] = [];
    let up: TreeRow | undefined = row;
    while (up !== undefined && up.deletion === undefined && !below.has(up) && !hidden.has(up)) {
      path.push(up);
      up = up.parent;
    }
    let above = up?.deletion === undefined ? up && below.get(up) : undefined;
    for (const each of path.reverse()) {
      if (above === undefined) hidden.add(each);
      else {
        above.push(each);
        below.set(each, (above = []));
      }
    }
    steps += 1 + path.length;
    if (steps < STEP) continue;
    steps = 0;
    yield;
  }

  const found: TreeRow[] = [];
  const pending = [root];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    if (wanted.has(row)) found.push(row);
    const children = yield* sortInSlices(below.get(row) ?? [], compareRows);
    for (const child of children.toReversed()) pending.push(child);
    if (++steps % STEP === 0) yield;
  }
  return found;
}

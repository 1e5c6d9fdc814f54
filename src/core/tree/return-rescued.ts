import { linesOf } from "./lines-of-rows.ts";
import { parsePlacement } from "./placement.ts";
import { homeOf } from "./rescued-rows.ts";
import type { TreeIndex } from "./tree-index.ts";
import { isShown, isWithin, type TreeRow } from "./tree-row.ts";
import type { TreeWriter } from "./tree-writer.ts";

/** Nodes that are looked at between two yields. */
const STEP = 512;

/**
 * The rows that repair rescued out of nodes that are shown again, and that nobody has moved since:
 * they belong back into them. Yields every millisecond or so; linear in these rows and what is above
 * those nodes [Q42].
 */
export function* returningRows(tree: TreeIndex): Generator<void, readonly TreeRow[]> {
  const homes = new Map<TreeRow, ReadonlySet<TreeRow>>();
  const known = new Map<TreeRow, boolean>();
  let looked = 0;
  for (const [key, rows] of tree.rescuedRows()) {
    if (++looked % STEP === 0) yield;
    const home = tree.rowAt(key);
    if (home !== undefined && isShown(home, known)) homes.set(home, rows);
  }
  const isAtOrBelow = yield* linesOf(homes.keys());
  const returning: TreeRow[] = [];
  for (const [home, rows] of homes) {
    for (const row of rows) {
      if (++looked % STEP === 0) yield;
      if (!isAtOrBelow(home, row)) returning.push(row);
    }
  }
  return returning;
}

/** Whether a row with another place or mark than before may be why a rescued one belongs back. */
export function mayBringBack(row: TreeRow, tree: TreeIndex): boolean {
  const isHome = row.children.length > 0 || tree.rescuedRows().has(row.key);
  if (isHome || homeOf(row) !== undefined) return true;
  for (const _ of tree.deletedChildren(row)) return true;
  return false;
}

/** Puts a rescued row back where a person had put it. Inside a transaction. */
export function returnRescued(row: TreeRow, tree: TreeIndex, writer: TreeWriter): void {
  const place = homeOf(row);
  const home = place && tree.rowAt(place.parent);
  const placement = parsePlacement(row.register);
  // One that was put back before may have taken the node below this one along.
  if (place === undefined || home === undefined || isWithin(home, row)) return;
  if (placement?.restates === undefined) return;
  const { createdAt, restates } = placement;
  writer.rewrite(row, { ...place, createdAt, restates: { ...restates, how: "renewed" } });
}

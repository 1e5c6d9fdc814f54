import { livingPlaceOf } from "./living-place.ts";
import { isReservedKey, ROOT } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { parsePlacement } from "./placement.ts";
import { compareRows, isVisible, type TreeRow } from "./tree-row.ts";

/**
 * Shows rows again that are hidden by deletions they are no part of: in the deleted inbox or calendar
 * node that they were in, which comes back with nothing else, or else where the topmost deleted row
 * above them stood. Inside a transaction, on the server.
 */
export function rescue(outline: Outline, rows: ReadonlySet<TreeRow>): void {
  const { systemNodes, treeWriter } = outline;
  // From the top down: who is shown again shows what is below it.
  const depths = new Map([...rows].map((row) => [row, depthOf(row)]));
  const byDepth = [...rows].sort(
    (a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0) || compareRows(a, b),
  );
  for (const row of byDepth) {
    if (isVisible(row)) continue;
    const system = hiddenSystemRowAbove(row);
    // A deleted day is needed again, so it comes back, with nothing but this.
    if (system !== undefined) {
      systemNodes.make(system.key, outline.now(), rows);
      if (row.parent !== system) {
        const order = treeWriter.lastOrder(system);
        treeWriter.transfer(row, { parent: system.key, order });
      }
      continue;
    }
    const place = livingPlaceOf(row, wasTransferred);
    if (place === undefined) continue;
    const order = treeWriter.orderFor(place.gap);
    treeWriter.transfer(row, { parent: place.parent.key, order });
  }
}

/** The nearest reserved row above a row that is itself hidden. */
function hiddenSystemRowAbove(row: TreeRow): TreeRow | undefined {
  for (let up = row.parent; up !== undefined; up = up.parent) {
    if (isReservedKey(up.key) && up.key !== ROOT) return isVisible(up) ? undefined : up;
  }
  return undefined;
}

/** Whether a row is where repair put it when it came out of a deleted one. */
function wasTransferred(row: TreeRow): boolean {
  const placement = parsePlacement(row.register);
  return placement?.restates?.how === "displaced" && placement.move !== undefined;
}

function depthOf(row: TreeRow): number {
  let depth = 0;
  for (let up = row.parent; up !== undefined; up = up.parent) depth++;
  return depth;
}

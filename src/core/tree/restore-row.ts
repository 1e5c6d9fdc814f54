import { inOneGo } from "../in-one-go.ts";
import { livingPlaceOf } from "./living-place.ts";
import { returnRescued, returningRows } from "./return-rescued.ts";
import type { TreeIndex } from "./tree-index.ts";
import type { TreeRow } from "./tree-row.ts";
import type { TreeWriter } from "./tree-writer.ts";

/**
 * Takes a row out of the trash: to where it was, or to the nearest place that is shown. What was rescued
 * out of it or below it goes back there. Inside a transaction.
 */
export function restoreRow(row: TreeRow, tree: TreeIndex, writer: TreeWriter): void {
  writer.liftDeletion(row);
  const place = livingPlaceOf(row);
  if (place !== undefined) {
    writer.move(row, { parent: place.parent.key, order: writer.orderFor(place.gap) });
  }
  for (const rescued of inOneGo(returningRows(tree))) returnRescued(rescued, tree, writer);
}

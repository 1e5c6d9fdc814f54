import { addTo, removeFrom } from "../sets-by-key.ts";
import type { NodeKey } from "../node-key.ts";
import { isTransferIn, parentIn, parsePlacement, type Place } from "./placement.ts";
import type { TreeRow } from "./tree-row.ts";

/**
 * The rows that repair has taken out of deleted nodes, by the node that a person had put them in: they
 * go back into it when it is shown again. A row that somebody has moved since is none of them.
 */
export class RescuedRows {
  /** At most all rows [Q40]. */
  readonly #byHome = new Map<NodeKey, Set<TreeRow>>();

  /** The keys of the nodes that rows were taken out of, with these rows. */
  byHome(): ReadonlyMap<NodeKey, ReadonlySet<TreeRow>> {
    return this.#byHome;
  }

  /** To be called when a row has got a register. */
  add(row: TreeRow): void {
    const home = homeOf(row);
    if (home !== undefined) addTo(this.#byHome, home.parent, row);
  }

  /** To be called before a row's register changes, and when the row goes. */
  delete(row: TreeRow): void {
    const home = homeOf(row);
    if (home !== undefined) removeFrom(this.#byHome, home.parent, row);
  }
}

/** Where a person had put a row that repair has rescued; undefined for every other row. */
export function homeOf({ register }: TreeRow): Place | undefined {
  if (!isTransferIn(register)) return undefined;
  const from = parsePlacement(register)?.move?.from;
  // What repair has put into a reserved node that came back says of itself that it was there before.
  return from === undefined || from.parent === parentIn(register) ? undefined : from;
}

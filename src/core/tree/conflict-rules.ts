import type { NodeKey } from "../node-key.ts";
import { moveTimeIn, orderIn, parsePlacement, type Place } from "./placement.ts";
import { RECOVERED_MARK, type TreeRow } from "./tree-row.ts";

/**
 * What the index decides when edits of several replicas do not fit together, from the state alone:
 * every replica that has the same edits comes to the same tree (docs/SPEC.md, rules D). Given to the
 * index from outside so that a test can show that each rule is needed.
 */
export interface ConflictRules {
  /** The member of a ring of parent pointers that is taken out of it. */
  cutOf(ring: readonly TreeRow[]): TreeRow;
  /**
   * Of rows whose own place can't be, and of which each would be shown below the next: the one that is
   * shown last at the top level.
   */
  shownCutOf(fallen: readonly TreeRow[]): TreeRow;
  /** The members of a ring that have to be placed anew when it is no longer a ring. */
  released(ring: readonly TreeRow[], cut: TreeRow): Iterable<TreeRow>;
  /** Whether a mirror is left out, whose origin is shown or is not. */
  isCovered(isOriginShown: boolean): boolean;
  /** Whether something is shown below a mirror itself. */
  readonly mirrorsHold: boolean;
  /** Where a row is shown that points to a mirror; undefined: where it was before. */
  placeThroughMirror(row: TreeRow, origin: NodeKey): Place | undefined;
}

export const CONFLICT_RULES: ConflictRules = {
  // The greatest (time, key): of the moves that made the ring the latest did not happen. That is
  // where the move operation of Kleppmann et al. (2021) ends, without its log of operations.
  cutOf(ring) {
    let cut = ring[0];
    let latest = -1;
    for (const row of ring) {
      const at = movedAt(row);
      if (cut === undefined || at > latest || (at === latest && row.key > cut.key)) {
        cut = row;
        latest = at;
      }
    }
    if (cut === undefined) throw new Error("a ring has a member");
    return cut;
  },
  // As if they were given their places one after the other in the order of their keys.
  shownCutOf(fallen) {
    return fallen.reduce((cut, row) => (row.key > cut.key ? row : cut));
  },
  // The others are shown below the rows that they point to; a ring of seventy thousand is no work.
  released: (_ring, cut) => [cut],
  isCovered: (isOriginShown) => !isOriginShown,
  // So no pointer to an origin is one to a parent, and mirrors make no rings.
  mirrorsHold: false,
  placeThroughMirror: (row, origin) => ({ parent: origin, order: orderIn(row.register) }),
};

/** The time of the move that put a row where its register says; -1 for one that was never moved. */
function movedAt(row: TreeRow): number {
  return moveTimeIn(row.register) ?? -1;
}

/** Where a row was shown before its latest move. */
export function previousPlace(row: TreeRow): Place | undefined {
  return parsePlacement(row.register)?.move?.from;
}

/** The order by which a row is shown for which nothing better is left: last at the top level. */
export function recoveredOrder(row: TreeRow): string {
  return RECOVERED_MARK + orderIn(row.register);
}

import type { NodeKey } from "./node-key.ts";
import { orderIn, parsePlacement, type Place } from "./placement.ts";
import { RECOVERED_MARK, type TreeRow } from "./tree-row.ts";

/**
 * What the index decides when edits of several replicas do not fit together, from the state alone:
 * every replica that has the same edits comes to the same tree (docs/SPEC.md, rules D). Given to the
 * index from outside so that a test can show that each rule is needed.
 */
export interface ConflictRules {
  /** The member of a ring of parent pointers that is taken out of it. */
  cutOf(ring: readonly TreeRow[]): TreeRow;
  /** The order in which rows whose own place can't be are given another one. */
  fallbackOrder(rows: Iterable<TreeRow>): Iterable<TreeRow>;
  /** The members of a ring that have to be placed anew when it is no longer a ring. */
  released(ring: readonly TreeRow[], cut: TreeRow): Iterable<TreeRow>;
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
  fallbackOrder: (rows) => [...rows].sort((a, b) => (a.key < b.key ? -1 : 1)),
  // The others are shown below the rows that they point to; a ring of seventy thousand is no work.
  released: (_ring, cut) => [cut],
};

/** The time of the move that put a row where its register says; -1 for one that was never moved. */
function movedAt(row: TreeRow): number {
  return parsePlacement(row.register)?.move?.at ?? -1;
}

/** Where a row was shown before its latest move. */
export function previousPlace(row: TreeRow): Place | undefined {
  return parsePlacement(row.register)?.move?.from;
}

/** What finding a fallback asks of the index. */
export interface FallbackTree {
  readonly root: TreeRow;
  rowAt(key: NodeKey): TreeRow | undefined;
  /** Whether a row's own place can't be, so that it needs a fallback. */
  isFallen(row: TreeRow): boolean;
}

export interface ShownPlace {
  readonly row: TreeRow;
  readonly parent: TreeRow;
  readonly order: string;
}

/** Where a row is shown for which nothing better is left: last at the top level. */
export function recoveredPlace(row: TreeRow, root: TreeRow): ShownPlace {
  return { row, parent: root, order: RECOVERED_MARK + orderIn(row.register) };
}

/**
 * Where the fallen rows are shown: each where it was before its latest move, unless that is gone or
 * leads back to the row itself; then last at the top level. They are decided one after the other in
 * the order of the rules, each seeing where the earlier ones went, so the outcome has no ring and is
 * the same on every replica. Rows that are not fallen must be attached.
 */
export function fallbackPlaces(
  rows: Iterable<TreeRow>,
  tree: FallbackTree,
  rules: ConflictRules,
): readonly ShownPlace[] {
  const places: ShownPlace[] = [];
  const decided = new Map<TreeRow, TreeRow>();
  const shownParent = (row: TreeRow): TreeRow | undefined =>
    tree.isFallen(row) ? (decided.get(row) ?? tree.root) : row.parent;

  for (const row of rules.fallbackOrder(rows)) {
    const from = previousPlace(row);
    const parent = from === undefined ? undefined : tree.rowAt(from.parent);
    let up = parent;
    while (up !== undefined && up !== tree.root && up !== row) up = shownParent(up);
    if (from !== undefined && parent !== undefined && up === tree.root) {
      decided.set(row, parent);
      places.push({ row, parent, order: from.order });
    } else {
      places.push(recoveredPlace(row, tree.root));
    }
  }
  return places;
}

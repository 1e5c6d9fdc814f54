import type { SiblingGap } from "./sibling-gap.ts";
import { isRecovered, rankIn, type TreeRow } from "./tree-row.ts";

/** A place among visible rows that stands for one that is hidden. */
export interface LivingPlace {
  /** The topmost deleted row, which stood there. */
  readonly top: TreeRow;
  readonly parent: TreeRow;
  readonly gap: Omit<SiblingGap, "isOwnPlace">;
}

/**
 * Where something goes that comes out of a deleted subtree: behind the topmost deleted row above it,
 * which stands where it stood. Undefined when nothing above `row` (or itself) is deleted.
 */
export function livingPlaceOf(row: TreeRow): LivingPlace | undefined {
  let top: TreeRow | undefined;
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    if (up.deletion !== undefined) top = up;
  }
  const parent = top?.parent;
  if (top === undefined || parent === undefined) return undefined;

  const { children } = parent;
  let rank = rankIn(children, top);
  if (isRecovered(top)) {
    while (rank > 0 && isRecoveredAt(children, rank - 1)) rank--;
    return { top, parent, gap: { after: children[rank - 1]?.order ?? null, before: null } };
  }
  while (children[rank]?.order === top.order) rank++;
  const before = isRecoveredAt(children, rank) ? undefined : children[rank];
  return { top, parent, gap: { after: top.order, before: before?.order ?? null } };
}

function isRecoveredAt(rows: readonly TreeRow[], rank: number): boolean {
  const row = rows[rank];
  return row !== undefined && isRecovered(row);
}

import type { SiblingGap } from "./sibling-gap.ts";
import { isRecovered, rankIn, type TreeRow } from "./tree-row.ts";

/** A place among visible rows that stands for one that is hidden. */
export interface LivingPlace {
  readonly parent: TreeRow;
  readonly gap: Omit<SiblingGap, "isOwnPlace">;
}

/**
 * Where something goes that comes out of a deleted subtree: behind the topmost deleted row above it,
 * which stands where it stood, and behind the siblings next to that one that came out before.
 * Undefined when nothing above `row` (or itself) is deleted.
 */
export function livingPlaceOf(
  row: TreeRow,
  cameOut: (sibling: TreeRow) => boolean = () => false,
): LivingPlace | undefined {
  let top: TreeRow | undefined;
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    if (up.deletion !== undefined) top = up;
  }
  const parent = top?.parent;
  if (top === undefined || parent === undefined) return undefined;

  const { children } = parent;
  let rank = rankIn(children, top);
  if (isRecovered(top)) {
    while (rank > 0 && !isPlaced(children[rank - 1])) rank--;
    return { parent, gap: { after: children[rank - 1]?.order ?? null, before: null } };
  }
  let after = top;
  for (let next = children[rank]; next !== undefined && isPlaced(next); next = children[++rank]) {
    if (next.order !== after.order && !cameOut(next)) break;
    after = next;
  }
  const before = children[rank];
  return {
    parent,
    gap: { after: after.order, before: isPlaced(before) ? before.order : null },
  };
}

function isPlaced(row: TreeRow | undefined): row is TreeRow {
  return row !== undefined && !isRecovered(row);
}

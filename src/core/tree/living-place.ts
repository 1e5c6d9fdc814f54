import { countPlaced, type SiblingGap } from "./sibling-gap.ts";
import { isRecovered, rankIn, type TreeRow } from "./tree-row.ts";

/** A place among visible rows that stands for one that is hidden. */
export interface LivingPlace {
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
  return top === undefined ? undefined : placeBehind(top, () => false);
}

/**
 * The place behind a row that is itself marked deleted and below nothing deleted, and behind the
 * siblings next to it that came out of such rows before.
 * @param last one of those siblings, when it is known that all before it came out too
 */
export function placeBehind(
  top: TreeRow,
  cameOut: (sibling: TreeRow) => boolean,
  last?: TreeRow,
): LivingPlace | undefined {
  const { parent } = top;
  if (parent === undefined) return undefined;
  const { children } = parent;
  if (isRecovered(top)) {
    const after = children[countPlaced(children) - 1]?.order ?? null;
    return { parent, gap: { after, before: null } };
  }
  let after = last?.parent === parent ? last : top;
  let rank = rankIn(children, after) + (after === top ? 0 : 1);
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

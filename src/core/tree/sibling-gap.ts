import { countWhile } from "../count-while.ts";
import type { NodeKey } from "../node-key.ts";
import { isRecovered, rankIn, type TreeRow } from "./tree-row.ts";

/** Where among the children of a node: at an end, or next to one of them. */
export type Position =
  | "top"
  | "bottom"
  | { readonly after: NodeKey }
  | { readonly before: NodeKey };

/** The orders between which a new order has to be; null is an open end. */
export interface SiblingGap {
  readonly after: string | null;
  readonly before: string | null;
  /** The row that is to go there is there already. */
  readonly isOwnPlace: boolean;
}

/**
 * Finds a position among the visible children of `parent`. `moving` is the row that is to go there:
 * it does not count as a sibling. Undefined when the position names a node that is no visible child.
 * Siblings with equal orders stay together: what is to go between them goes behind them.
 * O(log siblings).
 */
export function gapAt(
  parent: TreeRow,
  position: Position,
  rowAt: (key: NodeKey) => TreeRow | undefined,
  moving?: TreeRow,
): SiblingGap | undefined {
  const { children } = parent;
  const end = countPlaced(children);
  const index = indexOf(parent, position, end, rowAt);
  if (index === undefined) return undefined;

  const movingAt = moving?.parent === parent ? rankIn(children, moving) : -1;
  const isOwnPlace =
    moving !== undefined &&
    movingAt >= 0 &&
    !isRecovered(moving) &&
    (index === movingAt || index === movingAt + 1);

  const left = children[index - 1 === movingAt ? index - 2 : index - 1];
  let rightAt = index === movingAt ? index + 1 : index;
  if (left !== undefined) {
    while (rightAt < end && children[rightAt]?.order === left.order) rightAt++;
  }
  if (rightAt === movingAt) rightAt++;
  const right = rightAt < end ? children[rightAt] : undefined;
  return { after: left?.order ?? null, before: right?.order ?? null, isOwnPlace };
}

/** How many children have an order of their own; recovered ones are shown behind them. O(log n). */
export function countPlaced(children: readonly TreeRow[]): number {
  return countWhile(children.length, (index) => {
    const row = children[index];
    return row !== undefined && !isRecovered(row);
  });
}

function indexOf(
  parent: TreeRow,
  position: Position,
  end: number,
  rowAt: (key: NodeKey) => TreeRow | undefined,
): number | undefined {
  if (position === "top") return 0;
  if (position === "bottom") return end;
  const isAfter = "after" in position;
  const sibling = rowAt(isAfter ? position.after : position.before);
  if (sibling === undefined || sibling.parent !== parent || sibling.deletion !== undefined) {
    return undefined;
  }
  return Math.min(rankIn(parent.children, sibling) + (isAfter ? 1 : 0), end);
}

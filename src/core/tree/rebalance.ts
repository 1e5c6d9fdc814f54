import { spreadOrders } from "./order-key.ts";
import { isReservedKey } from "../node-key.ts";
import { orderIn } from "./placement.ts";
import type { TreeIndex } from "./tree-index.ts";
import { isRecovered, rankIn, type TreeRow } from "./tree-row.ts";
import type { TreeWriter } from "./tree-writer.ts";

/** A longer order key makes the server give its surroundings new ones. */
export const MAX_ORDER_LENGTH = 48;
/** The window grows until the new keys are at most this long. */
const GOOD_LENGTH = 12;
const FIRST_REACH = 8;
/** Rows that get their orders at once: some milliseconds. */
const AT_ONCE = 200;

/** Whether a row's order has grown so long that its surroundings are to be rebalanced. */
export function needsRebalance(row: TreeRow, tree: TreeIndex): boolean {
  return (
    orderIn(row.register).length > MAX_ORDER_LENGTH &&
    row.deletion === undefined &&
    row.parent !== undefined &&
    !tree.fallenRows().has(row)
  );
}

/**
 * Gives a row and the siblings around it short orders, so that what is shown stays the same. It is an
 * ordinary write of their registers and may override a racing move: hence rare, and by the server
 * alone. Reserved nodes keep their fixed orders; the window ends at them. Inside transactions; yields
 * after every few hundred rows.
 */
export function* rebalance(row: TreeRow, writer: TreeWriter, tag: number): Generator<void> {
  const siblings = row.parent?.children ?? [];
  const rank = rankIn(siblings, row);
  for (let reach = FIRST_REACH; ; reach *= 2) {
    const start = edge(siblings, rank, -1, reach);
    const end = edge(siblings, rank, 1, reach) + 1;
    const after = siblings[start - 1]?.order ?? null;
    const right = siblings[end];
    const before = right === undefined || isRecovered(right) ? null : right.order;
    const isWhole = isFixed(siblings[start - 1]) && isFixed(right);
    if (after !== null && before !== null && after >= before) {
      if (isWhole) return;
      continue;
    }
    const window = siblings.slice(start, end);
    const orders = spreadOrders(after, before, tag, window.length);
    if (!isWhole && orders.some((order) => order.length > GOOD_LENGTH)) continue;
    for (let from = 0; from < window.length; from += AT_ONCE) {
      if (from > 0) yield;
      writer.reorder(window.slice(from, from + AT_ONCE), orders.slice(from, from + AT_ONCE));
    }
    return;
  }
}

/** The rank of the last row that may be rewritten, at most `reach` rows away from `rank`. */
function edge(siblings: readonly TreeRow[], rank: number, step: 1 | -1, reach: number): number {
  let at = rank;
  while (Math.abs(at - rank) < reach && !isFixed(siblings[at + step])) at += step;
  return at;
}

/** Whether a window ends before a row: because there is none, or it must keep its order. */
function isFixed(row: TreeRow | undefined): boolean {
  return row === undefined || isReservedKey(row.key) || isRecovered(row);
}

import { placeBehind } from "./living-place.ts";
import { isReservedKey, ROOT } from "../node-key.ts";
import type { Outline } from "../outline.ts";
import { isTransferIn, orderIn, parentIn, type Place } from "./placement.ts";
import { homeOf } from "./rescued-rows.ts";
import { sortInSlices } from "../sort-in-slices.ts";
import { compareRows, type TreeRow } from "./tree-row.ts";

/** What is above a row, itself included. */
interface Above {
  /** The topmost row that is marked deleted. */
  readonly top: TreeRow | undefined;
  /** The nearest reserved row. */
  readonly system: TreeRow | undefined;
}

/** Rows that are passed on the way up between two yields. */
const STEP = 512;

const NOTHING: Above = { top: undefined, system: undefined };

/**
 * Shows rows again that are hidden by deletions they are no part of: in the deleted inbox or calendar
 * node that they were in, which comes back with nothing else, or else where the topmost deleted row
 * above them stood. Inside transactions, on the server; yields after each row.
 */
export function* rescue(outline: Outline, rows: ReadonlySet<TreeRow>): Generator<void> {
  const { systemNodes, treeWriter } = outline;
  /** Of the rows on the way up: at most all rows [Q40]. */
  const known = new Map<TreeRow, Above>();
  /** The last row that came out of each deleted one: at most one for each of the given rows [Q40]. */
  const lastOut = new Map<TreeRow, TreeRow>();
  const isShown = function* (row: TreeRow): Generator<void, boolean> {
    if (row.deletion !== undefined) return false;
    return (yield* aboveOf(row.parent, known)).top === undefined;
  };
  // From the top down: who is shown again shows what is below it. So what is known of the rows above
  // one that is looked at stays true.
  for (const row of yield* byDepth(rows)) {
    yield;
    if (yield* isShown(row)) continue;
    const above = yield* aboveOf(row.parent, known);
    const { system } = above;
    // A deleted day is needed again, so it comes back, with nothing but this.
    if (system !== undefined && !(yield* isShown(system))) {
      systemNodes.make(system.key, outline.now(), rows);
      if (row.parent !== system) {
        const order = treeWriter.lastOrder(system);
        treeWriter.transfer(row, { parent: system.key, order });
      }
      known.clear();
      continue;
    }
    const top = above.top ?? row;
    const place = placeBehind(top, (each) => isTransferIn(each.register), lastOut.get(top));
    if (place === undefined) continue;
    const order = treeWriter.orderFor(place.gap);
    treeWriter.transfer(row, { parent: place.parent.key, order }, putAt(row));
    if (row.deletion === undefined) lastOut.set(top, row);
  }
}

/** Where a person put a row. One that is rescued again still belongs where it did. */
function putAt(row: TreeRow): Place {
  return homeOf(row) ?? { parent: parentIn(row.register), order: orderIn(row.register) };
}

/** What is above a row, itself included. @param known what was found already */
function* aboveOf(row: TreeRow | undefined, known: Map<TreeRow, Above>): Generator<void, Above> {
  const path: TreeRow[] = [];
  let above: Above | undefined;
  for (let up = row; up !== undefined; up = up.parent) {
    above = known.get(up);
    if (above !== undefined) break;
    path.push(up);
  }
  let found = above ?? NOTHING;
  for (const [index, each] of path.reverse().entries()) {
    if (index % STEP === STEP - 1) yield;
    const isDeleted = each.deletion !== undefined;
    const isSystem = isReservedKey(each.key) && each.key !== ROOT;
    if ((isDeleted && found.top === undefined) || isSystem) {
      found = {
        top: found.top ?? (isDeleted ? each : undefined),
        system: isSystem ? each : found.system,
      };
    }
    known.set(each, found);
  }
  return found;
}

function* byDepth(rows: ReadonlySet<TreeRow>): Generator<void, readonly TreeRow[]> {
  /** At most all rows [Q40]. */
  const depths = new Map<TreeRow, number>();
  let steps = 0;
  for (const row of rows) {
    const path: TreeRow[] = [];
    for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
      if (depths.has(up)) break;
      path.push(up);
    }
    for (const each of path.reverse()) {
      const parentDepth = each.parent === undefined ? -1 : (depths.get(each.parent) ?? 0);
      depths.set(each, parentDepth + 1);
      if (++steps % STEP === 0) yield;
    }
  }
  const depthOf = (row: TreeRow): number => depths.get(row) ?? 0;
  return yield* sortInSlices([...rows], (a, b) => depthOf(a) - depthOf(b) || compareRows(a, b));
}

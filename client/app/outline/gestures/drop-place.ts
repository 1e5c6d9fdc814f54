import type { NodeKey } from "../../../../src/core/node-key.ts";
import type { RowDestination } from "../../commands/indent-commands.ts";
import type { Row } from "../rows/outline-rows.ts";
import { keyOf, type RowId } from "../rows/row-id.ts";
import { endOfBlock, parentIndex } from "../rows/visible-row.ts";

/** Where dragged rows would land. */
export interface DropPlace {
  readonly to: RowDestination;
  /** The line is drawn above the row at this index, or below the last one. */
  readonly gap: number;
  readonly depth: number;
}

/**
 * The place between two rows at the depth that is pointed at, or the nearest that is possible there:
 * not deeper than a first child of the row above, not less deep than the row below.
 *
 * @param gap the index of the row below it
 * @param dragged what moves: a place within it counts as the one above it
 */
export function dropPlaceAt(
  rows: readonly Row[],
  zoom: NodeKey,
  gap: number,
  wantedDepth: number,
  dragged: ReadonlySet<RowId>,
): DropPlace {
  const { above, below } = around(rows, gap, dragged);
  const rowAbove = rows[above];
  if (rowAbove === undefined) {
    return { to: { parent: zoom, position: "top" }, gap: 0, depth: 0 };
  }
  const least = rows[below]?.depth ?? 0;
  const depth = Math.max(least, Math.min(wantedDepth, rowAbove.depth + 1));
  if (depth > rowAbove.depth) {
    return { to: { parent: rowAbove.id, position: "top" }, gap: below, depth };
  }
  const path = ancestors(rows, above);
  const sibling = keyOf(path[depth] ?? rowAbove.id);
  const parent = path[depth - 1] ?? zoom;
  return { to: { parent, position: { after: sibling } }, gap: below, depth };
}

/** The rows around a gap when what is dragged is not there. */
function around(
  rows: readonly Row[],
  gap: number,
  dragged: ReadonlySet<RowId>,
): { readonly above: number; readonly below: number } {
  let above = -1;
  let below = rows.length;
  for (let at = 0; at < rows.length;) {
    const row = rows[at];
    if (row === undefined) break;
    if (dragged.has(row.id)) {
      const end = endOfBlock(rows, at);
      if (gap > at && gap < end) return around(rows, at, dragged);
      at = end;
      continue;
    }
    if (at >= gap) {
      below = at;
      break;
    }
    above = at;
    at++;
  }
  return { above, below };
}

/** The rows from the top level down to a row. */
function ancestors(rows: readonly Row[], index: number): readonly RowId[] {
  const ids: RowId[] = [];
  for (let at: number | undefined = index; at !== undefined; at = parentIndex(rows, at)) {
    const row = rows[at];
    if (row !== undefined) ids.unshift(row.id);
  }
  return ids;
}

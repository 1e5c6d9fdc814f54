import type { Row } from "./outline-rows.ts";
import { endOfBlock } from "./visible-row.ts";

/** The sibling above; undefined for the first. */
export function siblingBefore<R extends Row>(rows: readonly R[], index: number): R | undefined {
  const depth = rows[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0; at--) {
    const row = rows[at];
    if (row === undefined || row.depth < depth) return undefined;
    if (row.depth === depth) return row;
  }
  return undefined;
}

/** The sibling below; undefined for the last. */
export function siblingAfter<R extends Row>(rows: readonly R[], index: number): R | undefined {
  const row = rows[endOfBlock(rows, index)];
  return row !== undefined && row.depth === rows[index]?.depth ? row : undefined;
}

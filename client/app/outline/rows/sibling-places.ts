import { rankIn } from "../../../../src/core/tree/tree-row.ts";
import type { Workspace } from "../../state/workspace.ts";
import type { Row } from "./outline-rows.ts";

/** Where a row stands among the siblings that are shown. */
interface SiblingPlace {
  /** From 1. */
  readonly position: number;
  readonly siblings: number;
}

/** Answers for the row at an index. Where all siblings are shown the outline knows, else all rows are counted. */
export function siblingPlaces(
  { replica, rows: { query }, preferences }: Workspace,
  rows: readonly Row[],
): (index: number) => SiblingPlace {
  if (query.get() !== "" || preferences.hidesCompleted.get()) return countedPlaces(rows);
  return (index) => {
    const key = rows[index]?.key;
    const node = key && replica.outline.tree.rowAt(key);
    const all = node?.parent?.children;
    return node && all
      ? { position: rankIn(all, node) + 1, siblings: all.length }
      : { position: 1, siblings: 1 };
  };
}

/** Once for all rows: of one alone it would take as long in a list of very many. */
function countedPlaces(rows: readonly Row[]): (index: number) => SiblingPlace {
  const positions = new Uint32Array(rows.length);
  const counts = new Uint32Array(rows.length);
  const path: number[] = [];
  let above = -1;
  for (let index = 0; index < rows.length; index++) {
    const depth = rows[index]?.depth ?? 0;
    const position = depth > above ? 1 : (path[depth] ?? 0) + 1;
    positions[index] = path[depth] = position;
    above = depth;
  }
  // Backwards the first one that comes of a list is its last, which tells how many there are.
  path.fill(0);
  for (let index = rows.length - 1; index >= 0; index--) {
    const depth = rows[index]?.depth ?? 0;
    const position = positions[index] ?? 0;
    const count = path[depth] || position;
    counts[index] = count;
    path[depth] = position === 1 ? 0 : count;
  }
  return (index) => ({ position: positions[index] ?? 1, siblings: counts[index] ?? 1 });
}

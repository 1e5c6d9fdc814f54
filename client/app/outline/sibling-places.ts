import type { Row } from "./outline-rows.ts";

/** Where each row stands among the siblings that are shown. */
export interface SiblingPlaces {
  /** From 1. */
  readonly positions: Uint32Array;
  readonly counts: Uint32Array;
}

/** Once for all rows: of one alone it would take as long in a list of very many. */
export function siblingPlaces(rows: readonly Row[]): SiblingPlaces {
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
  return { positions, counts };
}

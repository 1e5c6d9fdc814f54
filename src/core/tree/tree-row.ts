import { countWhile } from "../count-while.ts";
import type { NodeKey } from "../node-key.ts";

/**
 * A node in the derived index: where it is shown. One object a node and no more than this, because
 * there may be a million of them.
 */
export class TreeRow {
  readonly key: NodeKey;
  /** The placement register this row was derived from. */
  register: string;
  /** The deletion mark; undefined while the node itself is not marked deleted. */
  deletion: string | undefined;
  /** The row it is shown below; undefined only for the root, and inside the index while it works. */
  parent: TreeRow | undefined;
  /** The order it is shown by: its own, its previous one, or `~` and its own (recovered, last). */
  order: string;
  /** The rows shown below it that are not themselves marked deleted, sorted. Not to be changed. */
  children: readonly TreeRow[];
  /** Unix seconds, worked out when asked for; 0 while unknown. Kept here by whoever works it out. */
  modifiedAt: number;
  /** Left by the last walk that came by (`ParentRings`), or by a bulk change (`ChildLists`). */
  mark: number;

  constructor(key: NodeKey, register: string, deletion: string | undefined) {
    this.key = key;
    this.register = register;
    this.deletion = deletion;
    this.parent = undefined;
    this.order = "";
    this.children = NO_ROWS;
    this.modifiedAt = 0;
    this.mark = 0;
  }
}

/** Shared by all rows without children. */
export const NO_ROWS: readonly TreeRow[] = [];

/** Begins the order of rows that are shown last at the top level; behind every order key. */
export const RECOVERED_MARK = "~";

/** Whether a row is shown at the top level only because its own place can't be. */
export function isRecovered(row: TreeRow): boolean {
  return row.order.startsWith(RECOVERED_MARK);
}

/** The order of siblings. */
export function compareRows(a: TreeRow, b: TreeRow): number {
  if (a.order !== b.order) return a.order < b.order ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** How many of the sorted rows come before `row`: its rank when it is one of them. O(log n). */
export function rankIn(rows: readonly TreeRow[], row: TreeRow): number {
  return countWhile(rows.length, (index) => {
    const other = rows[index];
    return other !== undefined && compareRows(other, row) < 0;
  });
}

/** Whether neither the row nor anything above it is marked deleted. O(depth). */
export function isVisible(row: TreeRow): boolean {
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    if (up.deletion !== undefined) return false;
  }
  return true;
}

/** Of the rows on the way up one in so many is remembered. */
const REMEMBERED = 64;

/**
 * What the first row that says something says, from a row upwards, itself included. For many rows: of
 * the way up from them all that is common is passed about once.
 * @param known what was found already, of rows above too
 * @param look undefined for a row that says nothing
 * @param otherwise when none says anything
 */
export function foundAbove(
  row: TreeRow,
  known: Map<TreeRow, boolean>,
  look: (row: TreeRow) => boolean | undefined,
  otherwise: boolean,
): boolean {
  const path: TreeRow[] = [];
  let found: boolean | undefined;
  let steps = 0;
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    found = known.get(up);
    if (found !== undefined) break;
    if (steps++ % REMEMBERED === 0) path.push(up);
    found = look(up);
    if (found !== undefined) break;
  }
  for (const each of path) known.set(each, found ?? otherwise);
  return found ?? otherwise;
}

/**
 * `isVisible` for many rows.
 * @param top asks whether they are shown and within it; it is shown
 */
export function isShown(row: TreeRow, known: Map<TreeRow, boolean>, top?: TreeRow): boolean {
  const look = (up: TreeRow): boolean | undefined =>
    up === top ? true : up.deletion === undefined ? undefined : false;
  return foundAbove(row, known, look, top === undefined);
}

/** Whether `row` is `ancestor` or shown below it. O(depth). */
export function isWithin(row: TreeRow, ancestor: TreeRow): boolean {
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    if (up === ancestor) return true;
  }
  return false;
}

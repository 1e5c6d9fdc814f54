import { getOrMake } from "../get-or-make.ts";
import { addTo, removeFrom } from "../sets-by-key.ts";
import { DocumentOrder } from "./document-order.ts";
import { PlacesBefore } from "./places-before.ts";
import { compareRows, isShown, NO_ROWS, rankIn, type TreeRow } from "./tree-row.ts";

/** Rows that are passed on the way up before what is remembered is looked at. */
const NEAR = 64;
/** Rows of which it is remembered whether they are shown. */
const MOST_KNOWN = 16_384;

/**
 * The children of every row: those that are not marked deleted as a sorted array in the row itself,
 * the others apart, so that the rank of a child is a binary search and nothing is counted.
 *
 * A few changes are binary insertions. Between `beginBulk` and the end of `endBulk` what does not go
 * to the end of an array is only noted, and each array is then put in order once, in one pass over it;
 * until then no array may be read.
 */
export class ChildLists {
  /** Sees each array as it is before it changes. */
  readonly order = new DocumentOrder();
  /** Sees each row as it is before it leaves its place. */
  readonly before = new PlacesBefore();
  /** At most all rows [Q40]. */
  readonly #deleted = new Map<TreeRow, Set<TreeRow>>();
  /** Rows that are not shown though they are not marked deleted: mirrors [Q90]. */
  readonly #covered = new Set<TreeRow>();
  /** Rows that have left their place since `watch` [Q40]. */
  #departed: Set<TreeRow> | undefined;
  /** Of rows that have, and of those that were above them, whether they were shown before [Q40]. */
  readonly #wasShown = new Map<TreeRow, boolean>();
  /** What is known of rows far above some that were asked for: `MOST_KNOWN` and one way up [Q40]. */
  readonly #shown = new Map<TreeRow, boolean>();
  #bulk: BulkChange | undefined;

  /** Whether neither a row nor anything above it is marked deleted. O(depth) for the first of many. */
  isShown(row: TreeRow): boolean {
    let up = row;
    // Nothing is remembered of outlines that are no deeper.
    for (let steps = 0; steps < NEAR; steps++) {
      if (up.deletion !== undefined) return false;
      if (up.parent === undefined) return true;
      up = up.parent;
    }
    if (this.#shown.size > MOST_KNOWN) this.#shown.clear();
    return isShown(up, this.#shown);
  }

  /** Whether a row is kept apart, with those that are marked deleted. */
  isCovered(row: TreeRow): boolean {
    return this.#covered.has(row);
  }

  setCovered(row: TreeRow, isCovered: boolean): void {
    if (this.#covered.has(row) === isCovered) return;
    const { parent } = row;
    this.detach(row);
    if (isCovered) this.#covered.add(row);
    else this.#covered.delete(row);
    if (parent !== undefined) this.attach(row, parent, row.order);
  }

  /** From now on it is noted which rows leave their places. */
  watch(): void {
    this.#departed = new Set();
  }

  /** Those that have left theirs since and are now shown, or not shown, other than before. */
  endWatch(): readonly TreeRow[] {
    const isShownNow = new Map<TreeRow, boolean>();
    const turned = [...(this.#departed ?? NO_ROWS)].filter(
      (row) => isShown(row, isShownNow) !== this.#wasShown.get(row),
    );
    this.#departed = undefined;
    this.#wasShown.clear();
    return turned;
  }

  /** How many children of a row are deleted or covered. */
  deletedCount(parent: TreeRow): number {
    return this.#deleted.get(parent)?.size ?? 0;
  }

  /** The children of a row that are themselves marked deleted or covered, in no particular order. */
  deletedOf(parent: TreeRow): Iterable<TreeRow> {
    return this.#deleted.get(parent) ?? NO_ROWS;
  }

  beginBulk(): void {
    this.#bulk = newBulkChange();
  }

  /** Orders what a bulk change left; yields after every few thousand children. */
  *endBulk(): Generator<void> {
    const { parents, losers } = this.#bulk ?? newBulkChange();
    this.#bulk = undefined;
    for (const noted of parents.values()) for (const row of noted) row.mark = NOTED;
    let work = 0;
    for (const [parent, noted] of parents) {
      const isHere = (child: TreeRow): boolean => child.parent === parent && !this.#isApart(child);
      const added = noted.filter(isHere).sort(compareRows);
      this.order.keep(parent);
      // An empty array may be that of many.
      if (losers.has(parent) || parent.children.length === 0) {
        const kept = parent.children.filter((child) => isHere(child) && child.mark !== NOTED);
        parent.children = merged(kept, added);
        work += parent.children.length;
      } else {
        work += added.length + insert(ownArray(parent), added);
      }
      if (work > 4_000) {
        work = 0;
        yield;
      }
    }
    for (const noted of parents.values()) for (const row of noted) row.mark = 0;
  }

  /** Gives up the room that growing arrays keep, 40 bytes a row; yields after every few thousand. */
  *trim(parents: Iterable<TreeRow>): Generator<void> {
    let work = 0;
    for (const parent of parents) {
      if (parent.children.length > 0) parent.children = [...parent.children];
      if (++work % 4_000 === 0) yield;
    }
  }

  /** Shows a detached row below `parent`. Its deletion must not change while it is attached. */
  attach(row: TreeRow, parent: TreeRow, order: string): void {
    row.parent = parent;
    row.order = order;
    if (this.#isApart(row)) {
      addTo(this.#deleted, parent, row);
      return;
    }
    if (this.#bulk?.detached.has(row) === true || this.#bulk?.parents.has(parent) === true) {
      getOrMake(this.#bulk.parents, parent, newRows).push(row);
      return;
    }
    this.order.keep(parent);
    if (parent.children.length === 0) {
      // An array of one: one that is pushed to gets room for 17, and most parents have few children.
      parent.children = [row];
      return;
    }
    const children = ownArray(parent);
    const last = children[children.length - 1];
    const isInOrder = last !== undefined && compareRows(last, row) < 0;
    if (isInOrder) children.push(row);
    else if (this.#bulk !== undefined) getOrMake(this.#bulk.parents, parent, newRows).push(row);
    else children.splice(rankIn(children, row), 0, row);
  }

  /** Takes a row out of the tree; nothing happens to what is shown below it. */
  detach(row: TreeRow): void {
    const parent = row.parent;
    if (parent === undefined) return;
    if (this.#departed?.has(row) === false) {
      this.#departed.add(row);
      isShown(row, this.#wasShown);
    }
    // A row that holds nothing says nothing of others.
    if (row.children.length + this.deletedCount(row) > 0) this.#shown.clear();
    else this.#shown.delete(row);
    this.before.note(row, parent.key, this.#isApart(row));
    row.parent = undefined;
    if (this.#isApart(row)) {
      removeFrom(this.#deleted, parent, row);
    } else if (this.#bulk !== undefined) {
      this.#bulk.detached.add(row);
      this.#bulk.losers.add(parent);
      getOrMake(this.#bulk.parents, parent, newRows);
    } else {
      this.order.keep(parent);
      ownArray(parent).splice(rankIn(parent.children, row), 1);
    }
  }

  #isApart(row: TreeRow): boolean {
    return row.deletion !== undefined || this.#covered.has(row);
  }
}

/** The array of a row's children as one that may be changed, which only this module does. */
function ownArray(parent: TreeRow): TreeRow[] {
  return parent.children as TreeRow[];
}

/** The mark of rows that are to be added to an array, in which they may be already. */
const NOTED = -1;

/** What a bulk change has still to do. */
interface BulkChange {
  /** The parents whose arrays are to be put in order, with the children to be added [Q40]. */
  readonly parents: Map<TreeRow, TreeRow[]>;
  /** Rows that are no more where their parents' arrays have them [Q40]. */
  readonly detached: Set<TreeRow>;
  /** The parents whose arrays had them [Q40]. */
  readonly losers: Set<TreeRow>;
}

function newRows(): TreeRow[] {
  return [];
}

function newBulkChange(): BulkChange {
  return { parents: new Map(), detached: new Set(), losers: new Set() };
}

/**
 * Puts sorted rows into a sorted array that has none of them.
 * @returns how many of the array's rows had to make room: those behind the first
 */
function insert(rows: TreeRow[], added: readonly TreeRow[]): number {
  const [first] = added;
  if (first === undefined) return 0;
  const start = rankIn(rows, first);
  const behind = rows.splice(start);
  for (const row of merged(behind, added)) rows.push(row);
  return behind.length;
}

/** Two sorted arrays as one, in which nothing is twice. Cheap where one of them is short. */
function merged(many: readonly TreeRow[], few: readonly TreeRow[]): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  let start = 0;
  for (const [index, row] of few.entries()) {
    // What left and came back twice was noted twice.
    if (row === few[index - 1]) continue;
    const end = rankIn(many, row);
    for (const other of many.slice(start, end)) rows.push(other);
    rows.push(row);
    start = end;
  }
  for (const other of many.slice(start)) rows.push(other);
  return rows;
}

import { DocumentOrder } from "./document-order.ts";
import { compareRows, NO_ROWS, rankIn, type TreeRow } from "./tree-row.ts";

/**
 * The children of every row: those that are not marked deleted as a sorted array in the row itself,
 * the others apart, so that the rank of a child is a binary search and nothing is counted.
 *
 * A few changes are binary insertions. Between `beginBulk` and the end of `endBulk` attaching only
 * appends and detaching only notes, and each array that is out of order is then ordered once; until
 * then no array may be read.
 */
export class ChildLists {
  /** Sees each array as it is before it changes. */
  readonly order = new DocumentOrder();
  readonly #deleted = new Map<TreeRow, Set<TreeRow>>();
  /** The parents whose arrays are out of order; undefined outside a bulk change. */
  #unordered: Set<TreeRow> | undefined;

  /** The children of a row that are themselves marked deleted, in no particular order. */
  deletedOf(parent: TreeRow): Iterable<TreeRow> {
    return this.#deleted.get(parent) ?? NO_ROWS;
  }

  beginBulk(): void {
    this.#unordered = new Set();
  }

  /** Orders what a bulk change left; yields after every few thousand children. */
  *endBulk(): Generator<void> {
    const unordered = this.#unordered ?? new Set<TreeRow>();
    this.#unordered = undefined;
    let work = 0;
    for (const parent of unordered) {
      const children = parent.children
        .filter((child) => child.parent === parent && child.deletion === undefined)
        .sort(compareRows);
      this.order.keep(parent);
      // A child that left and came back was in the array twice.
      parent.children = children.filter((child, index) => child !== children[index - 1]);
      work += children.length;
      if (work > 4_000) {
        work = 0;
        yield;
      }
    }
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
    if (row.deletion !== undefined) {
      const deleted = this.#deleted.get(parent);
      if (deleted === undefined) this.#deleted.set(parent, new Set([row]));
      else deleted.add(row);
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
    if (isInOrder || this.#unordered !== undefined) {
      children.push(row);
      if (!isInOrder) this.#unordered?.add(parent);
    } else {
      children.splice(rankIn(children, row), 0, row);
    }
  }

  /** Takes a row out of the tree; nothing happens to what is shown below it. */
  detach(row: TreeRow): void {
    const parent = row.parent;
    if (parent === undefined) return;
    row.parent = undefined;
    if (row.deletion !== undefined) {
      const deleted = this.#deleted.get(parent);
      deleted?.delete(row);
      if (deleted?.size === 0) this.#deleted.delete(parent);
    } else if (this.#unordered !== undefined) {
      this.#unordered.add(parent);
    } else {
      this.order.keep(parent);
      ownArray(parent).splice(rankIn(parent.children, row), 1);
    }
  }
}

/** The array of a row's children as one that may be changed, which only this module does. */
function ownArray(parent: TreeRow): TreeRow[] {
  return parent.children as TreeRow[];
}

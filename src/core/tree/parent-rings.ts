import type { TreeRow } from "./tree-row.ts";

/** Rows each of which points to the next, and the last to the first. */
export interface Ring {
  readonly members: readonly TreeRow[];
  /** The member that the rules take out of it. */
  readonly cut: TreeRow;
}

/** Numbers the walks through the rows of one index, so that none takes another's marks for its own. */
export interface Walks {
  last: number;
}

/**
 * The rings that rows make by pointing to one row each, kept up while pointers change: who is about
 * to change a row's pointer releases the row's ring, and afterwards looks for rings through the rows
 * whose pointers have changed.
 */
export class ParentRings {
  readonly #next: (row: TreeRow) => TreeRow | undefined;
  readonly #cutOf: (members: readonly TreeRow[]) => TreeRow;
  readonly #walks: Walks;
  /** One entry for each row that is in a ring: at most all rows [Q40]. */
  readonly #ringOf = new Map<TreeRow, Ring>();
  /** One entry for each ring [Q40]. */
  readonly #cuts = new Set<TreeRow>();

  /**
   * @param next the row that a row points to; undefined for one that points nowhere, and for the root
   * @param cutOf the member that is taken out of a ring
   */
  constructor(
    next: (row: TreeRow) => TreeRow | undefined,
    cutOf: (members: readonly TreeRow[]) => TreeRow,
    walks: Walks,
  ) {
    this.#walks = walks;
    this.#next = next;
    this.#cutOf = cutOf;
  }

  isCut(row: TreeRow): boolean {
    return this.#cuts.has(row);
  }

  cuts(): ReadonlySet<TreeRow> {
    return this.#cuts;
  }

  /** Forgets the ring that a row is in, if any. */
  release(row: TreeRow): Ring | undefined {
    const ring = this.#ringOf.get(row);
    if (ring === undefined) return undefined;
    this.#cuts.delete(ring.cut);
    for (const member of ring.members) this.#ringOf.delete(member);
    return ring;
  }

  /**
   * The rings that are not known yet and have one of the rows in them. Each walk stops where an
   * earlier one has been, so all of them together visit a row once.
   */
  findNew(rows: readonly TreeRow[]): readonly Ring[] {
    const [only, ...others] = rows;
    if (only === undefined) return [];
    // As it is for nearly every move: there is nothing to remember on the way up.
    if (others.length === 0) return this.#isInNewRing(only) ? [this.#add(only)] : [];
    const found: Ring[] = [];
    const before = this.#walks.last;
    for (const start of rows) {
      const walk = ++this.#walks.last;
      for (
        let row: TreeRow | undefined = start;
        row !== undefined && !this.#ringOf.has(row);
        row = this.#next(row)
      ) {
        if (row.mark === walk) found.push(this.#add(row));
        if (row.mark > before) break;
        row.mark = walk;
      }
    }
    return found;
  }

  #isInNewRing(start: TreeRow): boolean {
    if (this.#ringOf.has(start)) return false;
    for (let row = this.#next(start); row !== start; row = this.#next(row)) {
      if (row === undefined || this.#ringOf.has(row)) return false;
    }
    return true;
  }

  #add(start: TreeRow): Ring {
    const members: TreeRow[] = [];
    let row: TreeRow | undefined = start;
    do {
      members.push(row);
      row = this.#next(row);
    } while (row !== undefined && row !== start);
    const ring: Ring = { members, cut: this.#cutOf(members) };
    for (const member of members) this.#ringOf.set(member, ring);
    this.#cuts.add(ring.cut);
    return ring;
  }
}

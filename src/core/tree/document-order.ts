import type { TreeRow } from "./tree-row.ts";

/** A row with its rank among the visible children of the row it is shown below. */
export interface RankedRow {
  readonly row: TreeRow;
  readonly parent: TreeRow;
  readonly rank: number;
}

/** A row that a walk has come to. */
export interface WalkedRow extends RankedRow {
  /** All that are shown below the same row, in their order, as they were when the walk began. */
  readonly siblings: readonly TreeRow[];
}

/** What the children of rows were when a walk began, of those that have changed since. */
type Before = Map<TreeRow, readonly TreeRow[]>;

/** Where a walk stands among the children of a row. */
interface Level {
  readonly parent: TreeRow;
  readonly rows: readonly TreeRow[];
  next: number;
}

/**
 * Walks through the tree in document order, each of which sees the tree as it was when the walk
 * began. Beginning costs nothing, however large the tree is: what changes keeps its old children for
 * the walks that are under way.
 */
export class DocumentOrder {
  readonly #walks = new Set<Before>();

  /** To be called before the array of a row's children changes. Afterwards it is no walk's any more. */
  keep(row: TreeRow): void {
    let isShared = false;
    for (const before of this.#walks) {
      if (before.has(row)) continue;
      before.set(row, row.children);
      isShared = true;
    }
    if (isShared) row.children = [...row.children];
  }

  /** Begins a walk like `below`, for who visits a whole large tree. It has to be ended. */
  walk(top: TreeRow): RowWalk {
    return new RowWalk(top, this.#walks);
  }

  /**
   * The rows shown below a row: each before what is below it, siblings in their order. As they are
   * when the first is asked for; the tree may change while the rest is taken. Who leaves before the
   * end calls `return`, as `for` does. Depth costs no stack.
   */
  *below(top: TreeRow): Generator<WalkedRow> {
    const before: Before = new Map();
    this.#walks.add(before);
    try {
      const path: Level[] = [{ parent: top, rows: top.children, next: 0 }];
      for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
        const { parent, rows, next: rank } = level;
        const row = rows[rank];
        if (row === undefined) {
          path.pop();
          continue;
        }
        level.next += 1;
        yield { row, parent, rank, siblings: rows };
        const children = before.get(row) ?? row.children;
        if (children.length > 0) path.push({ parent: row, rows: children, next: 0 });
      }
    } finally {
      this.#walks.delete(before);
    }
  }
}

/**
 * A walk over the rows below one, in document order and as they were when it began: `DocumentOrder.below`
 * without an object for each row, which is most of what that takes.
 */
export class RowWalk {
  readonly #before: Before = new Map();
  readonly #walks: Set<Before>;
  /** What is left to visit, from the top level down to where the walk stands. */
  readonly #path: { readonly rows: readonly TreeRow[]; readonly next: number }[] = [];
  #rows: readonly TreeRow[];
  #next = 0;
  #depth = 0;

  constructor(top: TreeRow, walks: Set<Before>) {
    this.#walks = walks;
    walks.add(this.#before);
    this.#rows = top.children;
  }

  /** Of the row that came last: 0 for children of the top. */
  get depth(): number {
    return this.#depth;
  }

  /** The next row, before those below it; undefined after the last. */
  next(): TreeRow | undefined {
    for (;;) {
      const row = this.#rows[this.#next];
      if (row !== undefined) {
        this.#next += 1;
        this.#depth = this.#path.length;
        this.#enter(row);
        return row;
      }
      const above = this.#path.pop();
      if (above === undefined) return undefined;
      this.#rows = above.rows;
      this.#next = above.next;
    }
  }

  /** The walk is over, or left. */
  end(): void {
    this.#walks.delete(this.#before);
  }

  #enter(row: TreeRow): void {
    const children = this.#before.get(row) ?? row.children;
    if (children.length === 0) return;
    this.#path.push({ rows: this.#rows, next: this.#next });
    this.#rows = children;
    this.#next = 0;
  }
}

import type { TreeRow } from "./tree-row.ts";

/** A row with its rank among the visible children of the row it is shown below. */
export interface RankedRow {
  readonly row: TreeRow;
  readonly parent: TreeRow;
  readonly rank: number;
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

  /**
   * The rows shown below a row: each before what is below it, siblings in their order. As they are
   * when the first is asked for; the tree may change while the rest is taken. Who leaves before the
   * end calls `return`, as `for` does. Depth costs no stack.
   */
  *below(top: TreeRow): Generator<RankedRow> {
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
        yield { row, parent, rank };
        const children = before.get(row) ?? row.children;
        if (children.length > 0) path.push({ parent: row, rows: children, next: 0 });
      }
    } finally {
      this.#walks.delete(before);
    }
  }
}

import type * as Y from "yjs";
import type { Arrivals } from "./arrivals.ts";
import { parseDeletion, type DeletionMark } from "./deletion-mark.ts";
import type { ItemId } from "./item-id.ts";
import type { NodeKey } from "./node-key.ts";
import { parsePlacement } from "./placement.ts";
import { ATTRIBUTE, entryOf, textOf } from "./schema.ts";
import type { TreeIndex } from "./tree-index.ts";
import { isVisible, type TreeRow } from "./tree-row.ts";

/** What deletions have to be corrected by. */
export interface DeletionFindings {
  /** Marked rows that were moved unseen by their deleter: the deletion is void. */
  readonly voided: ReadonlySet<TreeRow>;
  /** Hidden rows that nobody who deleted something above them had seen there: no part of it. */
  readonly rescued: ReadonlySet<TreeRow>;
}

/**
 * Finds what is hidden by deletions whose deleters had not seen it (docs/SPEC.md, D32 and D33): the
 * mark says up to which update of the log its author had seen the outline, the arrivals say with
 * which update a write came, and what a client wrote itself before the mark it had seen too.
 */
export class Unseen {
  readonly #tree: TreeIndex;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #arrivals: Arrivals;

  constructor(tree: TreeIndex, nodes: Y.Map<Y.Text>, arrivals: Arrivals) {
    this.#tree = tree;
    this.#nodes = nodes;
    this.#arrivals = arrivals;
  }

  /**
   * The findings on rows that are placed or marked otherwise than before, and on what is below them.
   * @param settled the update up to which everything has been decided; what was decided stays so
   */
  findings(rows: Iterable<TreeRow>, settled: number): DeletionFindings {
    const voided = new Set<TreeRow>();
    const rescued = new Set<TreeRow>();
    if (this.#tree.deletedRows().size === 0) return { voided, rescued };
    for (const row of rows) {
      if (this.#tree.rowAt(row.key) !== row || isVisible(row)) continue;
      const covering = this.#coveringAbove(row, settled).filter((top) => this.#hasSeen(top, row));
      if (row.deletion !== undefined) {
        if (!this.#isMoveSeen(row)) {
          voided.add(row);
          continue;
        }
        covering.push(row);
      } else if (covering.length === 0) {
        rescued.add(row);
        continue;
      }
      if (this.#mayHideUnseen(row, settled)) this.#searchBelow(row, covering, rescued);
    }
    return { voided, rescued };
  }

  /**
   * The rows whose place or mark has arrived since the arrivals were last noted: what a run has to
   * look at that was not there when they did. O(hidden rows).
   */
  hiddenSince(): readonly TreeRow[] {
    const isNew = (id: ItemId | undefined): boolean =>
      id !== undefined && this.#arrivals.seqOf(id) === Number.POSITIVE_INFINITY;
    const found: TreeRow[] = [];
    for (const top of this.#tree.deletedRows()) {
      if (isNew(this.#itemOf(top, ATTRIBUTE.deletion))) found.push(top);
      const pending = [top];
      for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
        if (isNew(this.#itemOf(row, ATTRIBUTE.placement))) found.push(row);
        for (const child of row.children) pending.push(child);
      }
    }
    return found;
  }

  /** The update with which a node was marked deleted; undefined when that is not known. */
  markedAt(key: NodeKey): number | undefined {
    const row = this.#tree.rowAt(key);
    const id = row?.deletion === undefined ? undefined : this.#itemOf(row, ATTRIBUTE.deletion);
    const seq = id === undefined ? Number.POSITIVE_INFINITY : this.#arrivals.seqOf(id);
    return Number.isFinite(seq) ? seq : undefined;
  }

  /**
   * The deleted rows above a row whose deleters had seen every link from there down to its parent:
   * what is below them by such links alone is part of the deletion.
   */
  #coveringAbove(row: TreeRow, settled: number): TreeRow[] {
    const path: TreeRow[] = [];
    for (let up = row.parent; up !== undefined; up = up.parent) path.push(up);
    let covering: TreeRow[] = [];
    for (const each of path.reverse()) {
      covering = covering.filter(
        (top) => this.#isSettled(each, top, settled) || this.#hasSeen(top, each),
      );
      if (each.deletion !== undefined) covering.push(each);
    }
    return covering;
  }

  /** Adds what is hidden below a row and not part of one of the deletions that cover the row. */
  #searchBelow(top: TreeRow, coveringTop: readonly TreeRow[], found: Set<TreeRow>): void {
    const pending = [{ row: top, covering: coveringTop }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const row of next.row.children) {
        const covering = next.covering.filter((each) => this.#hasSeen(each, row));
        if (covering.length === 0) found.add(row);
        else pending.push({ row, covering });
      }
    }
  }

  /**
   * Whether something below a hidden row may be there unseen. Below a mark whose deleter had seen all
   * that came before it nothing is: what comes with the mark or later is looked at by itself.
   */
  #mayHideUnseen(row: TreeRow, settled: number): boolean {
    const mark = parseDeletion(row.deletion);
    const id = this.#itemOf(row, ATTRIBUTE.deletion);
    if (mark === undefined || id === undefined) return true;
    const placedAt = this.#arrivalOf(this.#itemOf(row, ATTRIBUTE.placement));
    const markedAt = this.#arrivalOf(id);
    if (placedAt <= settled && markedAt <= settled) return false;
    return placedAt > settled || this.#seenBy(mark, mark.restates ?? id) < markedAt - 1;
  }

  /** Whether place and mark have been there when it was last decided who covers whom. */
  #isSettled(row: TreeRow, deleted: TreeRow, settled: number): boolean {
    return (
      this.#arrivalOf(this.#itemOf(row, ATTRIBUTE.placement)) <= settled &&
      this.#arrivalOf(this.#itemOf(deleted, ATTRIBUTE.deletion)) <= settled
    );
  }

  /** Whether who deleted a row had seen the write that put another where it is. */
  #hasSeen(deleted: TreeRow, row: TreeRow): boolean {
    // Where a fallen row is shown nobody has put it.
    if (this.#tree.fallenRows().has(row)) return false;
    const restates = parsePlacement(row.register)?.restates;
    const write = restates?.how === "reordered" ? restates : undefined;
    return this.#isSeen(write ?? this.#itemOf(row, ATTRIBUTE.placement), deleted);
  }

  /** Whether who deleted the row had seen the latest move of it by a person. */
  #isMoveSeen(row: TreeRow): boolean {
    const restates = parsePlacement(row.register)?.restates;
    return this.#isSeen(restates ?? this.#itemOf(row, ATTRIBUTE.placement), row);
  }

  /** Whether who marked a row deleted had seen a write. */
  #isSeen(write: ItemId | undefined, deleted: TreeRow): boolean {
    const mark = parseDeletion(deleted.deletion);
    const markId = mark?.restates ?? this.#itemOf(deleted, ATTRIBUTE.deletion);
    if (mark === undefined || markId === undefined || write === undefined) return true;
    if (write.client === markId.client) return write.clock < markId.clock;
    return this.#arrivals.seqOf(write) <= this.#seenBy(mark, markId);
  }

  /** The update up to which a deleter had seen the log. */
  #seenBy(mark: DeletionMark, markId: ItemId): number {
    return mark.seen === "everything" ? this.#arrivals.seqOf(markId) : mark.seen;
  }

  /** The update with which an item came; the next one when it has not been noted yet. */
  #arrivalOf(id: ItemId | undefined): number {
    return id === undefined ? 0 : Math.min(this.#arrivals.seqOf(id), this.#arrivals.latest + 1);
  }

  #itemOf(row: TreeRow, attribute: string): ItemId | undefined {
    const text = textOf(this.#nodes, row.key);
    return text && entryOf(text, attribute)?.id;
  }
}

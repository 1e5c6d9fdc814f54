import type * as Y from "yjs";
import type { Arrivals } from "./arrivals.ts";
import type { NodeKey } from "./node-key.ts";
import { parseDeletion, type DeletionMark } from "./deletion-mark.ts";
import type { ItemId } from "./item-id.ts";
import { parsePlacement } from "./placement.ts";
import { ATTRIBUTE, entryOf, textOf } from "./schema.ts";
import type { TreeIndex } from "./tree-index.ts";
import type { TreeRow } from "./tree-row.ts";

/** What deletions have to be corrected by. */
export interface DeletionFindings {
  /** Marked rows that were moved unseen by their deleter: the deletion is void. */
  readonly voided: ReadonlySet<TreeRow>;
  /** Hidden rows that nobody who deleted something above them had seen there: no part of it. */
  readonly rescued: ReadonlySet<TreeRow>;
}

/**
 * Finds what is hidden by deletions whose deleters had not seen it (docs/SPEC.md, rules D). A link to
 * a parent counts as seen with the write by a person that made it.
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
   * The findings on the given rows and on what a new mark on one of them hides.
   * @param settled the update up to which everything has been decided; what was decided stays so
   */
  findings(rows: Iterable<TreeRow>, settled: number): DeletionFindings {
    const voided = new Set<TreeRow>();
    const rescued = new Set<TreeRow>();
    if (this.#tree.deletedRows().size === 0) return { voided, rescued };
    for (const row of rows) {
      if (this.#tree.rowAt(row.key) !== row) continue;
      const above = deletedAbove(row);
      if (row.deletion === undefined) {
        if (above.length > 0 && !this.#isCovered(row, above)) rescued.add(row);
      } else if (!this.#isMoveSeen(row)) {
        voided.add(row);
      } else if (this.#mayHideUnseen(row, settled)) {
        this.#searchBelow(row, [row, ...above], rescued);
      }
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

  /** Adds what is hidden below a deleted row and not covered by the deletions at and above it. */
  #searchBelow(top: TreeRow, deleted: readonly TreeRow[], found: Set<TreeRow>): void {
    const pending = [top];
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      for (const child of row.children) {
        if (!this.#isCovered(child, deleted)) found.add(child);
        else pending.push(child);
      }
    }
  }

  /**
   * Whether something below a deleted row may have arrived unseen by its deleter and before the mark;
   * what arrives with the mark or later is looked at by itself.
   */
  #mayHideUnseen(row: TreeRow, settled: number): boolean {
    const mark = parseDeletion(row.deletion);
    const id = this.#itemOf(row, ATTRIBUTE.deletion);
    if (mark === undefined || id === undefined) return false;
    const arrival = Math.min(this.#arrivals.seqOf(id), this.#arrivals.latest + 1);
    return arrival > settled && this.#seenBy(mark, mark.restates ?? id) < arrival - 1;
  }

  /** Whether the row is part of one of the deletions: its deleter had seen it there. */
  #isCovered(row: TreeRow, deleted: readonly TreeRow[]): boolean {
    // Where a fallen row is shown nobody has put it.
    if (this.#tree.fallenRows().has(row)) return false;
    const restates = parsePlacement(row.register)?.restates;
    const write = restates?.isElsewhere === false ? restates : undefined;
    const id = write ?? this.#itemOf(row, ATTRIBUTE.placement);
    return deleted.some((each) => this.#isSeen(id, each));
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

  #itemOf(row: TreeRow, attribute: string): ItemId | undefined {
    const text = textOf(this.#nodes, row.key);
    return text && entryOf(text, attribute)?.id;
  }
}

/** The rows above a row that are marked deleted, the nearest first. */
function deletedAbove(row: TreeRow): readonly TreeRow[] {
  const found: TreeRow[] = [];
  for (let up = row.parent; up !== undefined; up = up.parent) {
    if (up.deletion !== undefined) found.push(up);
  }
  return found;
}

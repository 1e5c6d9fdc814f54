import type * as Y from "yjs";
import type { Arrivals } from "./arrivals.ts";
import { parseDeletion, type DeletionMark } from "../node/deletion-mark.ts";
import type { ItemId } from "../yjs/item-id.ts";
import type { NodeKey } from "../node-key.ts";
import { parsePlacement } from "../tree/placement.ts";
import { ATTRIBUTE, entryOf, textOf } from "../schema.ts";
import { itemsBetween } from "../yjs/struct-store.ts";
import type { TreeIndex } from "../tree/tree-index.ts";
import type { TreeRow } from "../tree/tree-row.ts";

/** What deletions have to be corrected by. */
export interface DeletionFindings {
  /** Rows in the trash that were moved unseen by their deleter: the deletion is void. */
  readonly voided: ReadonlySet<TreeRow>;
  /** Hidden rows that nobody who deleted something above them had seen there: no part of it. */
  readonly rescued: ReadonlySet<TreeRow>;
}

/** A deletion for good, as far as it matters what its deleter had seen. */
export interface FinalDeletion {
  /** The row that is marked. */
  readonly top: TreeRow;
  /** Up to which clock the deleter had seen what a client wrote. */
  readonly seenEnd: (client: number) => number;
  /** Whether the deleter had seen all that came before the mark. */
  readonly hasSeenAll: boolean;
}

/** A deletion, as far as it matters what its deleter had seen. */
interface Cover {
  /** Who marked it, and with which of that client's writes. */
  readonly mark: ItemId;
  /** The update up to which the deleter had seen the log. */
  readonly seen: number;
  /** Whether the mark was there when it was last decided who covers whom. */
  readonly isSettled: boolean;
}

/** What is known of all that is directly below a row. */
interface Below {
  readonly isHidden: boolean;
  /**
   * Of the deletions at and above the row, those whose deleters had seen every link from there down to
   * it: what is below them by such links alone is part of the deletion.
   */
  readonly covering: readonly Cover[];
}

/** What one search for findings has found out; the tree does not change meanwhile. */
interface Search {
  /** The update up to which everything has been decided; what was decided stays so. */
  readonly settled: number;
  /** Rows on the way to those that were asked for: at most all rows [Q40]. */
  readonly below: Map<TreeRow, Below>;
  /** Rows below which has been searched, for what is not part of these deletions [Q40]. */
  readonly searched: Map<TreeRow, readonly Cover[]>;
  readonly voided: Set<TreeRow>;
  readonly rescued: Set<TreeRow>;
}

/** Rows that are looked at between two yields: a millisecond or two. */
const STEP = 512;

/** Deletions that are told apart above one row. */
const MOST_COVERS = 64;

const NOTHING_ABOVE: Below = { isHidden: false, covering: [] };

/**
 * Finds what is hidden by deletions whose deleters had not seen it (docs/SPEC.md, D32 and D33): the
 * mark says up to which update of the log its author had seen the outline, the arrivals say with
 * which update a write came, and what a client wrote itself before the mark it had seen too.
 */
export class Unseen {
  readonly #tree: TreeIndex;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #arrivals: Arrivals;
  #steps = 0;

  constructor(tree: TreeIndex, nodes: Y.Map<Y.Text>, arrivals: Arrivals) {
    this.#tree = tree;
    this.#nodes = nodes;
    this.#arrivals = arrivals;
  }

  /**
   * The findings on rows that are placed or marked otherwise than before, and on what is below them.
   * Yields every millisecond or two; the tree must not change meanwhile. Each row above the given ones
   * is looked at once, and each below them once for all that are hidden by the same deletions.
   * @param settled the update up to which everything has been decided; what was decided stays so
   */
  *findings(rows: Iterable<TreeRow>, settled: number): Generator<void, DeletionFindings> {
    const search: Search = {
      settled,
      below: new Map(),
      searched: new Map(),
      voided: new Set(),
      rescued: new Set(),
    };
    if (this.#tree.deletedRows().size === 0) return search;
    for (const row of rows) {
      if (++this.#steps % STEP === 0) yield;
      if (this.#tree.rowAt(row.key) !== row) continue;
      const above = yield* this.#below(row.parent, search);
      if (above.isHidden || row.deletion !== undefined) yield* this.#find(row, above, search);
    }
    return search;
  }

  /**
   * The rows whose place or mark has arrived since the arrivals were last noted: what a run has to
   * look at that was not there when they did. O(hidden rows), in slices like `findings`.
   */
  *hiddenSince(): Generator<void, readonly TreeRow[]> {
    const isNew = (id: ItemId | undefined): boolean =>
      id !== undefined && this.#arrivals.seqOf(id) === Number.POSITIVE_INFINITY;
    const found: TreeRow[] = [];
    for (const top of this.#tree.deletedRows()) {
      if (isNew(this.#itemOf(top, ATTRIBUTE.deletion))) found.push(top);
      const pending = [top];
      for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
        if (++this.#steps % STEP === 0) yield;
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
   * The deletion that a row is gone for good with: the nearest mark at or above it, when that is final.
   * What is nearer to a mark of the trash can be restored with that. O(depth).
   */
  finalDeletionOf(row: TreeRow): FinalDeletion | undefined {
    let up: TreeRow | undefined = row;
    while (up !== undefined && up.deletion === undefined) up = up.parent;
    if (up === undefined || parseDeletion(up.deletion)?.kind !== "final") return undefined;
    const cover = this.#coverOf(up, 0);
    return {
      top: up,
      seenEnd: (client) =>
        client === cover.mark.client ? cover.mark.clock : this.#arrivals.endAt(client, cover.seen),
      hasSeenAll: cover.seen >= this.#arrivalOf(this.#itemOf(up, ATTRIBUTE.deletion)) - 1,
    };
  }

  /** The findings on a hidden row. */
  *#find(row: TreeRow, above: Below, search: Search): Generator<void> {
    let covering = this.#seeing(row, above.covering);
    if (row.deletion !== undefined) {
      const isFinal = parseDeletion(row.deletion)?.kind === "final";
      if ((!isFinal || this.#isHandedDown(row)) && !this.#isMoveSeen(row)) {
        search.voided.add(row);
        return;
      }
      covering = [...covering, this.#coverOf(row, search.settled)];
    } else if (covering.length === 0) {
      search.rescued.add(row);
      return;
    }
    if (this.#mayHideUnseen(row, search.settled)) yield* this.#searchBelow(row, covering, search);
  }

  *#below(row: TreeRow | undefined, search: Search): Generator<void, Below> {
    const path: TreeRow[] = [];
    let above: Below | undefined;
    for (let up = row; up !== undefined; up = up.parent) {
      above = search.below.get(up);
      if (above !== undefined) break;
      path.push(up);
    }
    let below = above ?? NOTHING_ABOVE;
    for (const each of path.reverse()) {
      if (++this.#steps % STEP === 0) yield;
      below = this.#belowNext(each, below, search.settled);
      search.below.set(each, below);
    }
    return below;
  }

  #belowNext(row: TreeRow, above: Below, settled: number): Below {
    if (!above.isHidden && row.deletion === undefined) return above;
    const isPlaceSettled =
      above.covering.length > 0 &&
      this.#arrivalOf(this.#itemOf(row, ATTRIBUTE.placement)) <= settled;
    const covering = this.#seeing(row, above.covering, isPlaceSettled);
    if (row.deletion === undefined) {
      return above.isHidden && covering === above.covering ? above : { isHidden: true, covering };
    }
    return { isHidden: true, covering: withCover(covering, this.#coverOf(row, settled)) };
  }

  /** Adds what is hidden below a row and not part of one of the deletions that cover the row. */
  *#searchBelow(
    top: TreeRow,
    coveringTop: readonly Cover[],
    { searched, rescued }: Search,
  ): Generator<void> {
    const pending = [{ row: top, covering: coveringTop }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (searched.get(next.row) === next.covering) continue;
      searched.set(next.row, next.covering);
      for (const row of next.row.children) {
        if (++this.#steps % STEP === 0) yield;
        const covering = this.#seeing(row, next.covering);
        if (covering.length === 0) rescued.add(row);
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

  #coverOf(row: TreeRow, settled: number): Cover {
    const mark = parseDeletion(row.deletion);
    const item = this.#itemOf(row, ATTRIBUTE.deletion);
    const isSettled = this.#arrivalOf(item) <= settled;
    const id = mark?.restates ?? item;
    return mark === undefined || id === undefined
      ? { mark: NOBODY, seen: Number.POSITIVE_INFINITY, isSettled }
      : { mark: id, seen: this.#seenBy(mark, id), isSettled };
  }

  /**
   * Of some deletions those whose deleters had seen the write that put a row where it is; the same
   * array when it is all of them.
   * @param isPlaceSettled whether those also count that were there when the row was found to be part of
   *   them
   */
  #seeing(row: TreeRow, covers: readonly Cover[], isPlaceSettled = false): readonly Cover[] {
    if (covers.length === 0) return covers;
    // Where a fallen row is shown nobody has put it.
    const isFallen = this.#tree.fallenRows().has(row);
    const restates = parsePlacement(row.register)?.restates;
    const write = restates?.how === "reordered" ? restates : this.#itemOf(row, ATTRIBUTE.placement);
    const arrivedAt = write === undefined ? 0 : this.#arrivals.seqOf(write);
    const isSeenBy = (cover: Cover): boolean =>
      (isPlaceSettled && cover.isSettled) ||
      (!isFallen && (write === undefined || hadSeen(cover, write, arrivedAt)));
    return covers.every(isSeenBy) ? covers : covers.filter(isSeenBy);
  }

  /** Whether who deleted the row had seen the latest move of it by a person. */
  #isMoveSeen(row: TreeRow): boolean {
    const restates = parsePlacement(row.register)?.restates;
    const entry = this.#entryOf(row, ATTRIBUTE.placement);
    const write = restates ?? entry?.id;
    const isFirst = restates === undefined && entry?.left === null;
    // Where the node was put first its deleter had seen, who had the node; not who deleted what it was in.
    if (write === undefined || (isFirst && !this.#isHandedDown(row))) return true;
    return hadSeen(this.#coverOf(row, 0), write, this.#arrivals.seqOf(write));
  }

  /** Whether the mark of a row stands for one of a row that it was in. */
  #isHandedDown({ key, deletion }: TreeRow): boolean {
    const restates = parseDeletion(deletion)?.restates;
    const { doc } = this.#nodes;
    if (restates === undefined || doc === null) return false;
    const text = textOf(this.#nodes, key);
    const { client, clock } = restates;
    for (const item of itemsBetween(doc, client, clock, clock + 1)) {
      if (Object.is(item.parent, text)) return false;
    }
    return true;
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
    return this.#entryOf(row, attribute)?.id;
  }

  #entryOf({ key }: TreeRow, attribute: string): Y.Item | undefined {
    const text = textOf(this.#nodes, key);
    return text && entryOf(text, attribute);
  }
}

/** The author of a mark that says nothing of itself. */
const NOBODY: ItemId = { client: -1, clock: 0 };

/** Whether a deleter had seen a write. */
function hadSeen({ mark, seen }: Cover, write: ItemId, arrivedAt: number): boolean {
  return write.client === mark.client ? write.clock < mark.clock : arrivedAt <= seen;
}

/**
 * Some deletions and one below them, without those that can't cover anything further down that another
 * does not cover: in an outline of people a few. Of very many the nearest ones count [Q42].
 */
function withCover(covering: readonly Cover[], own: Cover): readonly Cover[] {
  if (covering.some((each) => isOutdone(own, each))) return covering;
  return [...covering.filter((each) => !isOutdone(each, own)), own].slice(-MOST_COVERS);
}

/** Whether all that a deletion covers further down than both is covered by another one too. */
function isOutdone(one: Cover, other: Cover): boolean {
  return (
    one.mark.client === other.mark.client &&
    one.mark.clock <= other.mark.clock &&
    one.seen <= other.seen &&
    (other.isSettled || !one.isSettled)
  );
}

import type * as Y from "yjs";
import {
  deletionTime,
  encodeDeletion,
  parseDeletion,
  type DeletionMark,
} from "../node/deletion-mark.ts";
import type { HybridClock } from "../hybrid-clock.ts";
import type { ItemId } from "../yjs/item-id.ts";
import type { NodeKey } from "../node-key.ts";
import { orderBetween, orderTag } from "./order-key.ts";
import {
  encodePlacement,
  MAX_READABLE_ORDER,
  orderIn,
  parsePlacement,
  restatedBy,
  type Place,
  type Placement,
} from "./placement.ts";
import { ATTRIBUTE, entryOf, stringAttribute, textOf } from "../schema.ts";
import { gapAt, type Position, type SiblingGap } from "./sibling-gap.ts";
import { timeAfter } from "../node/timed-value.ts";
import type { TreeIndex } from "./tree-index.ts";
import { compareRows, isRecovered, type TreeRow } from "./tree-row.ts";
import { holderOf } from "../yjs/inside.ts";

/**
 * Writes where nodes are. Every method is called inside a transaction, and brings the index up to
 * date at once, so that the next operation of the same transaction sees what this one did.
 */
export class TreeWriter {
  readonly #doc: Y.Doc;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #tree: TreeIndex;
  readonly #clock: HybridClock;
  readonly #now: () => number;
  readonly #rowAt = (key: NodeKey): TreeRow | undefined => this.#tree.rowAt(key);

  constructor(
    doc: Y.Doc,
    nodes: Y.Map<Y.Text>,
    tree: TreeIndex,
    clock: HybridClock,
    now: () => number,
  ) {
    this.#doc = doc;
    this.#nodes = nodes;
    this.#tree = tree;
    this.#clock = clock;
    this.#now = now;
  }

  gapAt(parent: TreeRow, position: Position, moving?: TreeRow): SiblingGap | undefined {
    return gapAt(parent, position, this.#rowAt, moving);
  }

  /**
   * An order in a gap, in this author's run. Where keys have grown beyond what is read, before the
   * server could rebalance them, it is a neighbour's: the node stands beside it, and is not lost.
   */
  orderFor({ after, before }: Omit<SiblingGap, "isOwnPlace">): string {
    const order = orderBetween(after, before, orderTag(this.#doc.clientID));
    return order.length <= MAX_READABLE_ORDER ? order : (after ?? before ?? order);
  }

  /** An order behind all children of a row. */
  lastOrder(parent: TreeRow): string {
    return this.orderFor(this.gapAt(parent, "bottom") ?? { after: null, before: null });
  }

  /** Puts a text that has no place yet into the tree. @param createdAtMs Unix milliseconds */
  place(key: NodeKey, text: Y.Text, { parent, order }: Place, createdAtMs: number): void {
    this.#write(key, text, { parent, order, createdAt: createdAtMs });
  }

  /** A person's move: at a time later than every one seen, and with where the row was shown. */
  move(row: TreeRow, { parent, order }: Place): void {
    const from = shownPlace(row);
    this.#rewrite(row, ({ createdAt }) => ({
      parent,
      order,
      createdAt,
      move: { at: this.#clock.tick(this.#now()), from },
    }));
  }

  /**
   * Writes down every fallen row that will not come right by itself.
   * @param except a row that is about to be moved anyway
   */
  writeDownFallen(except?: TreeRow): void {
    this.writeDown(this.lastingFallen().filter((row) => row !== except));
  }

  /**
   * Writes down where fallen rows are shown, those at the same place in the order in which they are
   * given. Each keeps standing for the write of the person who is behind it, and gives up that
   * person's move, which the rules have undone.
   */
  writeDown(rows: readonly TreeRow[]): void {
    let last: string | undefined;
    this.#rewriteAll(rows, (row, placement, write) => {
      const parent = row.parent ?? this.#tree.root;
      let { order } = row;
      if (isRecovered(row)) {
        order =
          last === undefined
            ? this.lastOrder(parent)
            : this.orderFor({ after: last, before: null });
        last = order;
      }
      return {
        parent: parent.key,
        order,
        createdAt: placement.createdAt,
        restates: restatedBy(placement, write, "displaced"),
      };
    });
  }

  /**
   * The cuts, and the orphans whose parent has been purged, siblings in the order in which they are
   * shown. The parent of another orphan may still arrive.
   */
  lastingFallen(): readonly TreeRow[] {
    return [...this.#tree.lastingFallen()].sort(compareRows);
  }

  /** Writes a placement as it is. */
  rewrite(row: TreeRow, placement: Placement): void {
    this.#rewrite(row, () => placement);
  }

  /**
   * A move by repair: like a person's, but it stands for the write of the person behind it.
   * @param from where that write says, when the row belongs back there one day
   */
  transfer(row: TreeRow, place: Place, from: Place = place): void {
    this.#rewrite(row, (placement, write) => ({
      ...place,
      createdAt: placement.createdAt,
      move: { at: this.#clock.tick(this.#now()), from },
      restates: restatedBy(placement, write, "displaced"),
    }));
  }

  /** Gives rows other orders at the same place, and changes nothing else. */
  reorder(rows: readonly TreeRow[], orders: readonly string[]): void {
    const orderByRow = new Map(rows.map((row, index) => [row, orders[index] ?? row.order]));
    this.#rewriteAll(rows, (row, placement, write) => ({
      ...placement,
      order: orderByRow.get(row) ?? row.order,
      restates: placement.restates ?? restatedBy(placement, write, "reordered"),
    }));
  }

  /** A deletion by a person, later than the mark that was there. */
  markDeleted(row: TreeRow, mark: DeletionMark): void {
    this.#setDeletions([row], (previousAt) =>
      encodeDeletion(mark, { at: timeAfter(previousAt, this.#now()) }),
    );
  }

  /** Marks a row deleted by the deletion that hides it, which `top` is marked with. */
  handDownDeletion(row: TreeRow, top: TreeRow): void {
    const text = textOf(this.#nodes, top.key);
    const mark = parseDeletion(top.deletion);
    const item = text && entryOf(text, ATTRIBUTE.deletion);
    if (mark === undefined || item === undefined) return;
    const handedDown = { ...mark, restates: mark.restates ?? item.id };
    this.#setDeletions([row], () => encodeDeletion(handedDown, { at: deletionTime(top.deletion) }));
  }

  /** A person takes a deletion back, later than it was made. */
  liftDeletion(row: TreeRow): void {
    this.#setDeletions([row], (previousAt) =>
      encodeDeletion(undefined, { at: timeAfter(previousAt, this.#now()) }),
    );
  }

  /** By the rules these deletions are void: whatever a person writes later than them wins. */
  voidDeletions(rows: readonly TreeRow[]): void {
    this.#setDeletions(rows, (at) => encodeDeletion(undefined, { at }));
  }

  /** Writes a deletion mark, or that it was taken back, as it is. */
  rewriteDeletion(row: TreeRow, register: string): void {
    this.#setDeletions([row], () => register);
  }

  #setDeletions(rows: readonly TreeRow[], next: (previousAt: number) => string): void {
    for (const { key } of rows) {
      const text = textOf(this.#nodes, key);
      if (text === undefined) continue;
      const previous = stringAttribute(text, ATTRIBUTE.deletion);
      text.setAttribute(ATTRIBUTE.deletion, next(deletionTime(previous)));
    }
    this.#tree.refresh(rows.map(({ key }) => key));
  }

  #rewrite(row: TreeRow, next: (current: Placement, write: ItemId) => Placement): void {
    this.#rewriteAll([row], (_row, current, write) => next(current, write));
  }

  /** The index follows when all of them are written. */
  #rewriteAll(
    rows: readonly TreeRow[],
    next: (row: TreeRow, current: Placement, write: ItemId) => Placement,
  ): void {
    for (const row of rows) {
      const text = textOf(this.#nodes, row.key);
      // Who made a node that never had a place stands behind where it is shown.
      const item = text && (entryOf(text, ATTRIBUTE.placement) ?? holderOf(text));
      const current = parsePlacement(row.register);
      if (text === undefined || !item || current === undefined) continue;
      text.setAttribute(ATTRIBUTE.placement, encodePlacement(next(row, current, item.id)));
    }
    this.#tree.refresh(rows.map(({ key }) => key));
  }

  #write(key: NodeKey, text: Y.Text, placement: Placement): void {
    text.setAttribute(ATTRIBUTE.placement, encodePlacement(placement));
    this.#tree.refresh([key]);
  }
}

/** Where a row is shown, as a place that can be written down. */
function shownPlace(row: TreeRow): Place {
  const order = isRecovered(row) ? orderIn(row.register) : row.order;
  const parent = row.parent;
  if (parent === undefined) throw new Error("a known row has a shown parent");
  return { parent: parent.key, order };
}

import * as Y from "yjs";
import { nodesOf } from "../../../src/core/schema.ts";
import { holderOf } from "../../../src/core/yjs/inside.ts";
import { forEachAdded } from "../../../src/core/yjs/struct-store.ts";

type DeleteSet = ReturnType<typeof Y.createDeleteSet>;

/** What one or more transactions changed in texts, by the ids of characters and formats. */
export interface TextChange {
  readonly insertions: DeleteSet;
  readonly deletions: DeleteSet;
}

/** The origin of the transactions whose text changes can be taken back. */
export const LOCAL_EDIT: unique symbol = Symbol("local edit");

/** Where a change of text ended. */
export interface TextPlace {
  readonly text: Y.Text;
  readonly at: number;
}

/**
 * Takes back changes of text, by the ids of what was inserted and deleted, so that what others write
 * meanwhile stays untouched. Y.UndoManager does the work, which keeps track of characters that came
 * back under new ids; what is captured, and when it is taken back, is decided here, because its own
 * rules would take whole transactions, with moves and deletions of nodes in them.
 */
export class TextUndo {
  readonly #doc: Y.Doc;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #manager: Y.UndoManager;
  readonly #onCapture: (change: TextChange) => void;
  #place: TextPlace | undefined;

  /** @param onCapture called at the end of each transaction with the origin `LOCAL_EDIT` */
  constructor(doc: Y.Doc, onCapture: (change: TextChange) => void) {
    this.#doc = doc;
    this.#nodes = nodesOf(doc);
    this.#onCapture = onCapture;
    // It captures only what it does itself: that is what takes back the taking back.
    this.#manager = new Y.UndoManager(this.#nodes, { trackedOrigins: new Set() });
    doc.on("afterTransaction", this.#afterTransaction);
  }

  /** Takes back a change as far as it is still there. Answers how to do it again, and where it was. */
  takeBack(change: TextChange): { again: TextChange | undefined; place: TextPlace | undefined } {
    this.#place = undefined;
    this.#manager.undoStack = [{ ...change, meta: new Map() }];
    this.#manager.undo();
    const again = this.#manager.redoStack.pop();
    return { again, place: this.#place };
  }

  close(): void {
    this.#manager.destroy();
    this.#doc.off("afterTransaction", this.#afterTransaction);
  }

  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    if (transaction.origin === this.#manager) this.#place = placeOfChange(transaction);
    if (transaction.origin !== LOCAL_EDIT) return;
    const change = this.#changeIn(transaction);
    if (change !== undefined) this.#onCapture(change);
  };

  #changeIn(transaction: Y.Transaction): TextChange | undefined {
    const insertions = Y.createDeleteSet();
    const deletions = Y.createDeleteSet();
    let isEmpty = true;
    const take = (item: Y.AbstractStruct, into: DeleteSet): item is Y.Item => {
      if (!(item instanceof Y.Item) || !this.#isText(item, transaction)) return false;
      const { client, clock } = item.id;
      const ranges = into.clients.get(client);
      const range = { clock, len: item.length };
      if (ranges === undefined) into.clients.set(client, [range]);
      else ranges.push(range);
      isEmpty = false;
      return true;
    };
    forEachAdded(transaction, (struct) => take(struct, insertions));
    Y.iterateDeletedStructs(transaction, transaction.deleteSet, (struct) => {
      if (take(struct, deletions)) keep(struct);
    });
    return isEmpty ? undefined : { insertions, deletions };
  }

  /** Whether an item is part of the content of a text of a node that was there before. */
  #isText(item: Y.Item, transaction: Y.Transaction): boolean {
    if (item.parentSub !== null || !(item.parent instanceof Y.Text)) return false;
    let owner = holderOf(item.parent);
    // A note belongs to the text of its node.
    if (owner?.parent instanceof Y.Text) owner = holderOf(owner.parent);
    if (owner === null || owner.parent !== this.#nodes) return false;
    return owner.id.clock < (transaction.beforeState.get(owner.id.client) ?? 0);
  }
}

/** A change and one that followed it, as one. */
export function joinedChanges(first: TextChange, second: TextChange): TextChange {
  return {
    insertions: Y.mergeDeleteSets([first.insertions, second.insertions]),
    deletions: Y.mergeDeleteSets([first.deletions, second.deletions]),
  };
}

/** Keeps what was deleted, with what it is in, from being collected: it may have to come back. */
function keep(item: Y.Item): void {
  for (let up: Y.Item | null = item; up !== null && !up.keep;) {
    up.keep = true;
    up = up.parent instanceof Y.AbstractType ? holderOf(up.parent) : null;
  }
}

/** Behind the last character that a transaction wrote or formatted, or where it deleted. */
function placeOfChange(transaction: Y.Transaction): TextPlace | undefined {
  for (const event of [...transaction.changedParentTypes.values()].flat()) {
    if (!(event.target instanceof Y.Text)) continue;
    let at = 0;
    let end: number | undefined;
    for (const { retain, insert, attributes } of event.delta) {
      at += retain ?? (typeof insert === "string" ? insert.length : insert === undefined ? 0 : 1);
      if (retain === undefined || attributes !== undefined) end = at;
    }
    if (end !== undefined) return { text: event.target, at: end };
  }
  return undefined;
}

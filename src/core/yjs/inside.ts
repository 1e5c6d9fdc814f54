import type * as Y from "yjs";

/*
 * What Yjs 13.6 keeps in its types for itself, by the names that this project uses. Only this folder
 * knows the fields (P121): a new version of Yjs is looked at here.
 */

/** A type of Yjs as a sequence of items. */
export interface Sequence {
  readonly _start: Y.Item | null;
}

/** A type of Yjs as far as it is a map: maps themselves, and texts for their attributes. */
export interface Keyed {
  readonly _map: ReadonlyMap<string, Y.Item>;
}

/** A type of Yjs as the content of an item. */
export interface Held {
  readonly _item: Y.Item | null;
}

/** A type of Yjs of any kind (`yjs/src/types/AbstractType.js`). */
export interface SharedType extends Sequence, Keyed, Held {
  readonly _length: number;
}

/** The first item of a sequence, deleted ones included; the others follow by `right`. */
export function firstItem(type: Sequence): Y.Item | null {
  return type._start;
}

/** The newest item of each key that was ever written, deleted ones included; older ones follow by `left`. */
export function itemsByKey(type: Keyed): ReadonlyMap<string, Y.Item> {
  return type._map;
}

/** The item that holds a type; null for a type of the document itself. */
export function holderOf(type: Held): Y.Item | null {
  return type._item;
}

/** How many elements or UTF-16 code units a sequence has that are not deleted. */
export function lengthOf(type: SharedType): number {
  return type._length;
}

/** Makes Yjs count from the start again: it remembers places in a text, and does not see what others cut there. */
export function forgetPlaces(text: Y.Text): void {
  text._searchMarker?.splice(0);
}

/** The transaction under way; null between two. */
export function transactionOf(doc: Y.Doc): Y.Transaction | null {
  return doc._transaction;
}

/** The keys under which a transaction has changed something in a type; null for its sequence. */
export function namesChanged({ changed }: Y.Transaction, type: object): ReadonlySet<string | null> {
  return (changed as ReadonlyMap<object, ReadonlySet<string | null>>).get(type) ?? NO_NAMES;
}

/** Stays empty [Q58]. */
const NO_NAMES: ReadonlySet<string | null> = new Set();

/** The structs that Yjs looks at in the end of a transaction, whether they are one with their neighbours. */
export function mergedAtTheEnd(transaction: Y.Transaction): readonly Y.AbstractStruct[] {
  return transaction._mergeStructs;
}

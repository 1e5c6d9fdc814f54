import * as Y from "yjs";
import { inOneGo } from "../in-one-go.ts";
import { isSharedType, type Owner } from "./update-places.ts";
import { isKnownFormat } from "../text/rich-text.ts";
import { firstItem, transactionOf } from "../yjs/inside.ts";
import { forEachAdded } from "../yjs/struct-store.ts";

/** What a text has of formats: marks that are not deleted. */
export interface FormatCount {
  readonly marks: number;
  /** How many marks start a format of each name that is not known here. */
  readonly foreign: ReadonlyMap<string, number>;
}

/** Items that are looked at in a step. */
const STEP = 4096;

class Count implements FormatCount {
  marks = 0;
  readonly foreign = new Map<string, number>();

  /** @param by 1 for a mark that came, -1 for one that went */
  add({ key, value }: Y.ContentFormat, by: 1 | -1): void {
    this.marks += by;
    if (value === null || isKnownFormat(key)) return;
    const count = (this.foreign.get(key) ?? 0) + by;
    if (count > 0) this.foreign.set(key, count);
    else this.foreign.delete(key);
  }
}

const COUNTS = new WeakMap<Y.Doc, FormatCounts>();

/**
 * How many formats the texts of a document have. A text is counted when somebody asks for the first
 * time; from then on its count follows every transaction, at the cost of what that has changed.
 */
export class FormatCounts {
  readonly #doc: Y.Doc;
  readonly #texts = new WeakMap<object, Count>();

  private constructor(doc: Y.Doc) {
    this.#doc = doc;
    doc.on("afterTransaction", this.#afterTransaction);
  }

  /** Those of a document, as long as it lives. */
  static of(doc: Y.Doc): FormatCounts {
    let counts = COUNTS.get(doc);
    if (counts === undefined) COUNTS.set(doc, (counts = new FormatCounts(doc)));
    return counts;
  }

  /** In steps; the document must not change between them. Only texts of the document have any. */
  *countOf(text: Owner): Generator<void, FormatCount> {
    const count = new Count();
    if (!isSharedType(text)) return count;
    // What the transaction under way has done is counted when it ends.
    const changed: ReadonlyMap<object, unknown> | undefined = transactionOf(this.#doc)?.changed;
    const isChanging = changed?.has(text) === true;
    const known = isChanging ? undefined : this.#texts.get(text);
    if (known !== undefined) return known;
    let seen = 0;
    for (let item = firstItem(text); item !== null; item = item.right) {
      if (!item.deleted && item.content instanceof Y.ContentFormat) count.add(item.content, 1);
      if (++seen % STEP === 0) yield;
    }
    if (!isChanging) this.#texts.set(text, count);
    return count;
  }

  /** How many marks a text of the document has, found out in one go. */
  marksOf(text: Y.Text): number {
    return inOneGo(this.countOf(text)).marks;
  }

  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    const { changed, beforeState, deleteSet } = transaction;
    let isCounted = false;
    for (const type of changed.keys()) isCounted ||= this.#texts.has(type);
    if (!isCounted) return;
    forEachAdded(transaction, (struct) => {
      if (struct instanceof Y.Item && !struct.deleted) this.#add(struct, 1);
    });
    Y.iterateDeletedStructs(transaction, deleteSet, (struct) => {
      const wasThere = struct.id.clock < (beforeState.get(struct.id.client) ?? 0);
      if (wasThere && struct instanceof Y.Item) this.#add(struct, -1);
    });
  };

  #add({ parent, content }: Y.Item, by: 1 | -1): void {
    if (!(content instanceof Y.ContentFormat) || parent === null) return;
    this.#texts.get(parent)?.add(content, by);
  }
}

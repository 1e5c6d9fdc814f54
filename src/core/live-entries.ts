import type * as Y from "yjs";
import { entryOf } from "./schema.ts";
import { itemsByKey, namesChanged, type SharedType, transactionOf } from "./yjs/inside.ts";

const ENTRIES = new WeakMap<SharedType, LiveEntries>();

/**
 * The names under which a root map of a document has something. They are found once; from then on they
 * follow every transaction, at the cost of what that has changed.
 */
export class LiveEntries {
  readonly #doc: Y.Doc;
  readonly #map: SharedType;
  readonly #names = new Set<string>();

  private constructor(doc: Y.Doc, map: SharedType) {
    this.#doc = doc;
    this.#map = map;
    for (const name of itemsByKey(map).keys()) this.#look(name);
    doc.on("afterTransaction", (transaction: Y.Transaction) => {
      for (const name of namesIn(transaction, map)) this.#look(name);
    });
  }

  static of(doc: Y.Doc, map: SharedType): LiveEntries {
    let entries = ENTRIES.get(map);
    if (entries === undefined) ENTRIES.set(map, (entries = new LiveEntries(doc, map)));
    return entries;
  }

  /** How many there are now, also in the midst of a transaction. */
  get count(): number {
    const transaction = transactionOf(this.#doc);
    let count = this.#names.size;
    for (const name of transaction === null ? [] : namesIn(transaction, this.#map)) {
      count += Number(this.#isLive(name)) - Number(this.#names.has(name));
    }
    return count;
  }

  #isLive(name: string): boolean {
    return entryOf(this.#map, name) !== undefined;
  }

  #look(name: string): void {
    if (this.#isLive(name)) this.#names.add(name);
    else this.#names.delete(name);
  }
}

function namesIn(transaction: Y.Transaction, map: SharedType): readonly string[] {
  return [...namesChanged(transaction, map)].filter((name) => name !== null);
}

import type * as Y from "yjs";
import { ATTRIBUTE, nodesOf, ownerOf, stringAttribute, textOf } from "../schema.ts";
import { itemsByKey } from "../yjs/inside.ts";

const MIRRORS = new WeakMap<Y.Doc, LiveMirrors>();

/**
 * The nodes of a document that say to be mirrors of something. They are found once, when somebody asks;
 * from then on they follow every transaction, at the cost of what that has changed.
 */
export class LiveMirrors {
  readonly #nodes: Y.Map<Y.Text>;
  /** [Q90] */
  readonly #keys = new Set<string>();

  private constructor(doc: Y.Doc) {
    this.#nodes = nodesOf(doc);
    for (const key of itemsByKey(this.#nodes).keys()) this.#look(key);
    doc.on("afterTransaction", this.#follow);
  }

  static of(doc: Y.Doc): LiveMirrors {
    let mirrors = MIRRORS.get(doc);
    if (mirrors === undefined) MIRRORS.set(doc, (mirrors = new LiveMirrors(doc)));
    return mirrors;
  }

  /** How many there were when the last transaction had ended. */
  get count(): number {
    return this.#keys.size;
  }

  readonly #follow = ({ changed }: Y.Transaction): void => {
    for (const [type, names] of changed) {
      if (Object.is(type, this.#nodes)) {
        for (const key of names) if (key !== null) this.#look(key);
      } else if (names.has(ATTRIBUTE.origin)) {
        const owner = ownerOf(this.#nodes, type);
        if (owner?.isNode === true) this.#look(owner.key);
      }
    }
  };

  #look(key: string): void {
    const text = textOf(this.#nodes, key);
    const origin = text && stringAttribute(text, ATTRIBUTE.origin);
    if (origin !== undefined && origin !== "") this.#keys.add(key);
    else this.#keys.delete(key);
  }
}

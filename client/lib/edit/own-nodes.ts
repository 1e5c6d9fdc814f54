import type * as Y from "yjs";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { nodesOf, ownerOf } from "../../../src/core/schema.ts";

/**
 * The nodes that this history made, and what others have done to them since: to take back that a node
 * was made must not take away what somebody else wrote into it or put below it.
 */
export class OwnNodes {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #made = new Set<NodeKey>();
  /** Those of them whose texts others have edited. */
  readonly #shared = new Set<NodeKey>();

  constructor(outline: Outline) {
    this.#outline = outline;
    this.#nodes = nodesOf(outline.doc);
    outline.doc.on("afterTransaction", this.#afterTransaction);
  }

  add(keys: readonly NodeKey[]): void {
    for (const key of keys) this.#made.add(key);
  }

  /** Nobody will ask for these again. */
  forget(keys: readonly NodeKey[]): void {
    for (const key of keys) {
      this.#made.delete(key);
      this.#shared.delete(key);
    }
  }

  /** The largest visible subtrees of `made` in which everything is this device's own. */
  ownSubtrees(made: readonly NodeKey[]): readonly NodeKey[] {
    const { tree } = this.#outline;
    const keys = new Set(made);
    const kept = new Set<NodeKey>();
    for (const key of made) {
      const row = tree.visibleRow(key);
      if (row === undefined) continue;
      const isOwn = !this.#shared.has(key) && row.children.every((child) => keys.has(child.key));
      // What is kept stays where it is, in what it is in.
      for (let up = isOwn ? undefined : row; up !== undefined; up = up.parent) {
        if (kept.has(up.key)) break;
        kept.add(up.key);
      }
    }
    return made.filter((key) => {
      const parent = tree.visibleRow(key)?.parent?.key;
      if (parent === undefined || kept.has(key)) return false;
      return !keys.has(parent) || kept.has(parent);
    });
  }

  close(): void {
    this.#outline.doc.off("afterTransaction", this.#afterTransaction);
  }

  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    if (transaction.local || this.#made.size === 0) return;
    for (const [type, names] of transaction.changed) {
      // `null` stands for the content of a text, other names for its attributes.
      const owner = names.has(null) ? ownerOf(this.#nodes, type) : undefined;
      if (owner !== undefined && this.#made.has(owner.key)) this.#shared.add(owner.key);
    }
  };
}

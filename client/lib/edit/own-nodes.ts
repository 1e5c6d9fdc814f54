import type * as Y from "yjs";
import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Outline } from "../../../src/core/outline.ts";
import { ATTRIBUTE, nodesOf, ownerOf } from "../../../src/core/schema.ts";

/**
 * The nodes that this history made or brought back, and what others have done to them since: to take
 * that back must not take away what somebody else wrote into one or put below it.
 */
export class OwnNodes {
  readonly #outline: Outline;
  readonly #nodes: Y.Map<Y.Text>;
  /** How often each was added. */
  readonly #watched = new Map<NodeKey, number>();
  /** Those of them whose texts others have edited. */
  readonly #shared = new Set<NodeKey>();

  constructor(outline: Outline) {
    this.#outline = outline;
    this.#nodes = nodesOf(outline.doc);
    outline.doc.on("afterTransaction", this.#afterTransaction);
  }

  add(keys: readonly NodeKey[]): void {
    for (const key of keys) this.#watched.set(key, (this.#watched.get(key) ?? 0) + 1);
  }

  /** To be called once for each time they were added. */
  forget(keys: readonly NodeKey[]): void {
    for (const key of keys) {
      const left = (this.#watched.get(key) ?? 1) - 1;
      if (left > 0) this.#watched.set(key, left);
      else {
        this.#watched.delete(key);
        this.#shared.delete(key);
      }
    }
  }

  /** The largest visible subtrees of these nodes in which everything is this device's own. */
  ownSubtrees(mine: readonly NodeKey[]): readonly NodeKey[] {
    const { tree } = this.#outline;
    const keys = new Set(mine);
    const kept = new Set<NodeKey>();
    for (const key of mine) {
      const row = tree.visibleRow(key);
      if (row === undefined) continue;
      const isOwn = !this.#shared.has(key) && row.children.every((child) => keys.has(child.key));
      // What is kept stays where it is, in what it is in.
      for (let up = isOwn ? undefined : row; up !== undefined; up = up.parent) {
        if (kept.has(up.key)) break;
        kept.add(up.key);
      }
    }
    return mine.filter((key) => {
      const parent = tree.visibleRow(key)?.parent?.key;
      if (parent === undefined || kept.has(key)) return false;
      return !keys.has(parent) || kept.has(parent);
    });
  }

  close(): void {
    this.#outline.doc.off("afterTransaction", this.#afterTransaction);
  }

  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    if (transaction.local || this.#watched.size === 0) return;
    for (const [type, names] of transaction.changed) {
      const owner = [...names].some(isText) ? ownerOf(this.#nodes, type) : undefined;
      if (owner !== undefined && this.#watched.has(owner.key)) this.#shared.add(owner.key);
    }
  };
}

/** Whether a change of a text is one of what people read: its content, or a note that was begun. */
function isText(name: string | null): boolean {
  return name === null || name.startsWith(ATTRIBUTE.notePrefix);
}

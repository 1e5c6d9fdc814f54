import { makeSystemNode } from "./make-system-node.ts";
import { isReservedKey, type NodeKey } from "../node-key.ts";
import type { PlainNode } from "../node/new-node.ts";
import type { Destination } from "../tree/destinations.ts";
import type { Outline } from "../outline.ts";

/** A node to be made. A list of them in document order is a forest: each stands behind its parent. */
export interface Seedling extends Omit<PlainNode, "parent" | "position"> {
  /** 0 for the top nodes; at most one more than that of the one before. */
  readonly depth: number;
}

/** Mirrors between two yields. */
const SLICE = 50;

/**
 * Makes a forest at a place that is there, node by node. The inbox and the nodes of the calendar are
 * the outline's own: they stay or are made at their own places, and what the forest has below them
 * goes below them. Mirrors of what is not there yet are empty nodes until `finish`.
 */
export class Planter {
  /** All new nodes, each behind its parent where that is new too. */
  readonly keys: NodeKey[] = [];
  readonly tops: NodeKey[] = [];
  readonly #outline: Outline;
  /** Where the next top node goes. */
  #next: Destination;
  /** The nodes around the next one. */
  readonly #path: NodeKey[] = [];
  /** Nodes that are to be mirrors, and of what: as many as an outline may have [Q90]. */
  readonly #mirrors: { readonly key: NodeKey; readonly origin: NodeKey }[] = [];

  constructor(outline: Outline, to: Destination) {
    this.#outline = outline;
    this.#next = { position: "top", ...to };
  }

  add({ depth, ...content }: Seedling): void {
    this.#path.length = Math.min(depth, this.#path.length);
    const above = this.#path.at(-1);
    const key = this.#make(content, above);
    if (above === undefined) this.tops.push(key);
    this.#path.push(key);
  }

  /** To be called when all are added; yields now and then. */
  *finish(): Generator<void> {
    for (const [index, { key, origin }] of this.#mirrors.entries()) {
      if (index % SLICE === SLICE - 1) yield;
      this.#outline.makeMirror(key, origin);
    }
  }

  #make(content: Omit<Seedling, "depth">, above: NodeKey | undefined): NodeKey {
    const { key, origin } = content;
    if (key !== undefined && isReservedKey(key)) {
      const nowSec = Math.floor(this.#outline.now() / 1000);
      if (!this.#outline.has(key)) {
        this.keys.push(...makeSystemNode(this.#outline, key, content, nowSec));
      }
      return key;
    }
    const to: Destination =
      above === undefined ? this.#next : { parent: above, position: "bottom" };
    const isThere = origin !== undefined && this.#outline.has(origin);
    const made = this.#outline.createPlain({
      ...content,
      ...to,
      origin: isThere ? origin : undefined,
    });
    if (origin !== undefined && !isThere) this.#mirrors.push({ key: made, origin });
    this.keys.push(made);
    // At the bottom each stays the last one, whatever became of the one before.
    if (above === undefined && to.position !== "bottom") {
      this.#next = { ...to, position: { after: made } };
    }
    return made;
  }
}

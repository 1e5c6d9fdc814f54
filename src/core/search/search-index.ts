import type * as Y from "yjs";
import type { NodeKey } from "../node-key.ts";
import type { OutlineView } from "../outline-view.ts";
import { nodesOf } from "../schema.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { LinkIndex } from "./link-index.ts";
import { SearchedNode, type SearchSource } from "./searched-node.ts";

/** What a node takes here beside its text: an object, its entry in the map, its place in the order. */
const NODE_BYTES = 200;

/** Visible nodes in document order. */
export interface SearchOrder {
  /** The tree's when it was made. */
  readonly version: number;
  /** The index's when it was made. */
  readonly clearings: number;
  readonly nodes: readonly SearchedNode[];
  /** Of each of them; 0 at the top level. */
  readonly depths: readonly number[];
}

const NODES_IN_A_STEP = 1000;

/**
 * The nodes of an outline as search sees them, kept up with its changes: each is read and folded once,
 * and again when it has changed.
 */
export class SearchIndex implements SearchSource {
  static readonly #ofOutlines = new WeakMap<OutlineView, SearchIndex>();

  readonly outline: OutlineView;
  readonly nodes: Y.Map<Y.Text>;
  /** Which nodes link to which. */
  readonly links: LinkIndex;
  /** Those that were searched. The app keeps them as long as the outline; a server bounds them. [Q76] */
  #searched = new Map<NodeKey, SearchedNode>();
  #textBytes = 0;
  #order: SearchOrder | undefined;
  #clearings = 0;

  /** The one index of an outline. */
  static of(outline: OutlineView): SearchIndex {
    let index = SearchIndex.#ofOutlines.get(outline);
    if (index === undefined)
      SearchIndex.#ofOutlines.set(outline, (index = new SearchIndex(outline)));
    return index;
  }

  private constructor(outline: OutlineView) {
    this.outline = outline;
    this.nodes = nodesOf(outline.doc);
    this.links = LinkIndex.of(outline);
    outline.onChange(({ nodes }) => {
      for (const key of nodes) {
        const node = this.#searched.get(key);
        if (node === undefined) continue;
        node.forget(this);
        // One that is only hidden may be shown again, and the last order still has it.
        if (outline.tree.rowAt(key) !== node.row) this.#searched.delete(key);
      }
    });
  }

  /** How often everything was let go. Nodes from before are not kept up with changes any more. */
  get clearings(): number {
    return this.#clearings;
  }

  /** Memory that is kept, estimated. */
  get bytes(): number {
    return this.#searched.size * NODE_BYTES + this.#textBytes + this.links.bytes;
  }

  nodeOf(row: TreeRow): SearchedNode {
    let node = this.#searched.get(row.key);
    // A row is another object when its node has come back.
    if (node?.row !== row) {
      node?.forget(this);
      this.#searched.set(row.key, (node = new SearchedNode(row)));
    }
    return node;
  }

  keepText(bytes: number): void {
    this.#textBytes += bytes;
  }

  /** Lets go of everything: it is read anew when it is searched. */
  clear(): void {
    this.#searched = new Map();
    this.#textBytes = 0;
    this.#order = undefined;
    this.#clearings += 1;
    this.links.clear();
  }

  /** The order as it was made last, if nothing stands elsewhere since then. */
  get order(): SearchOrder | undefined {
    const { structureVersion } = this.outline;
    return this.#order?.version === structureVersion ? this.#order : undefined;
  }

  /**
   * Makes the order of all visible nodes, as of the moment of the first step; yields after some hundred
   * microseconds each. What stands where it stood costs no look-up.
   */
  *makeOrder(): Generator<void, SearchOrder> {
    const [clearings, version] = [this.#clearings, this.outline.structureVersion];
    const earlier = this.#order?.nodes ?? [];
    const nodes: SearchedNode[] = [];
    const depths: number[] = [];
    const walk = this.outline.tree.walkBelow(this.outline.tree.root);
    let expected = 0;
    try {
      for (let row = walk.next(); row !== undefined; row = walk.next()) {
        const before = clearings === this.#clearings ? earlier[expected] : undefined;
        const node = before?.row === row ? before : this.nodeOf(row);
        // A new one stands where the expected one is to come next.
        if (before === node || node.at >= 0) expected = (before === node ? expected : node.at) + 1;
        node.at = nodes.length;
        nodes.push(node);
        depths.push(walk.depth);
        if (nodes.length % NODES_IN_A_STEP === 0) yield;
      }
    } finally {
      walk.end();
    }
    const order = { version, clearings, nodes, depths };
    if (clearings === this.#clearings) this.#order = order;
    return order;
  }
}

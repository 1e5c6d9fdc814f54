import { nodeIdOf, ROOT, type NodeKey } from "../core/node-key.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { Outline } from "../core/outline.ts";

/** The JSON of a node but for its place, in two parts around the priority. */
export interface RenderedNode {
  readonly key: NodeKey;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** How many nodes of one outline are kept; beyond that all are let go. */
const MAX_NODES = 10_000;

/**
 * The JSON of an outline's nodes, with exactly the keys of the API in their order: written out by
 * hand, since this is most of the work of every answer, and kept until a node changes, since most
 * nodes are read far more often than written.
 */
export class RenderedNodes {
  /** One for each outline in memory, which it goes with. */
  static readonly #ofOutlines = new WeakMap<Outline, RenderedNodes>();

  /** What all full ids of the outline start with: everything but the node's key. */
  readonly idPrefix: string;
  readonly #outline: Outline;
  readonly #nodes = new Map<NodeKey, RenderedNode>();

  static of(outline: Outline): RenderedNodes {
    let nodes = RenderedNodes.#ofOutlines.get(outline);
    if (nodes === undefined) {
      nodes = new RenderedNodes(outline);
      RenderedNodes.#ofOutlines.set(outline, nodes);
    }
    return nodes;
  }

  private constructor(outline: Outline) {
    this.#outline = outline;
    this.idPrefix = nodeIdOf(outline.id, ROOT).slice(0, -ROOT.length);
    outline.onChange(({ nodes }) => {
      for (const key of nodes) this.#nodes.delete(key);
    });
  }

  /** A visible node, kept for the next time. */
  get(key: NodeKey): RenderedNode | undefined {
    const kept = this.#nodes.get(key);
    if (kept !== undefined) return kept;
    const node = this.#outline.node(key);
    if (node === undefined) return undefined;
    if (this.#nodes.size >= MAX_NODES) this.#nodes.clear();
    const rendered = renderNode(node);
    this.#nodes.set(key, rendered);
    return rendered;
  }

  /** The JSON of a node at a place. @param parent undefined at the top level @param rank from 0 */
  jsonAt(node: RenderedNode, parent: NodeKey | undefined, rank: number): string {
    const { key, before, after } = node;
    const parentId = parent === undefined ? "null" : `"${this.idPrefix}${parent}"`;
    return `{"id":"${this.idPrefix}${key}","parent_id":${parentId},${before}${(rank + 1) * 100}${after}`;
  }
}

export function renderNode(node: OutlineNode): RenderedNode {
  const { key, name, note, layout, createdAt, modifiedAt, completedAt } = node;
  const noteJson = note === null ? "null" : JSON.stringify(note);
  return {
    key,
    name,
    before: `"name":${JSON.stringify(name)},"note":${noteJson},"priority":`,
    after: `,"completed":${completedAt !== null},"data":{"layoutMode":"${layout}"},"createdAt":${createdAt},"modifiedAt":${modifiedAt},"completedAt":${completedAt}}`,
  };
}

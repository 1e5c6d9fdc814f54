import { type NodeId, nodeIdOf, type NodeKey, type OutlineId } from "../../core/node-key.ts";
import type { NodeInPieces, OutlineNode } from "../../core/node/node-reader.ts";
import type { Outline } from "../../core/outline.ts";

/** The JSON of a node but for its place, in two parts around the priority. */
export interface RenderedNode {
  readonly key: NodeKey;
  readonly id: NodeId;
  readonly before: string;
  readonly after: string;
}

/** What is kept of one outline; beyond that all is let go. */
const MAX_NODES = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** And of all outlines together. */
const MAX_BYTES_IN_ALL = 4 * MAX_BYTES;
/** What a node takes beside the characters of its JSON, as measured: its id, and the place in the map. */
const NODE_BYTES = 240;
/** Longer ones are not kept: a few of them would push out all others. */
const MAX_NODE_CHARACTERS = 64 * 1024;

/**
 * The JSON of an outline's nodes, with exactly the keys of the API in their order: written out by
 * hand, since this is most of the work of every answer, and kept until a node changes, since most
 * nodes are read far more often than written. A cache, bounded in nodes and memory; where all
 * outlines have too many, those of the one go whose nodes were kept longest ago.
 */
export class RenderedNodes {
  /** One for each outline in memory, which it goes with. */
  static readonly #ofOutlines = new WeakMap<Outline, RenderedNodes>();
  /** Those that keep anything, in the order in which they last kept more. [Q16] */
  static readonly #filled = new Set<RenderedNodes>();
  static #bytesInAll = 0;

  readonly #outline: Outline;
  /** [Q16] */
  readonly #nodes = new Map<NodeKey, RenderedNode>();
  #bytes = 0;
  /** Of the node whose children were asked for last: answers name it once for each of them. */
  #parent: { readonly key: NodeKey; readonly id: NodeId } | undefined;

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
    outline.onChange(({ nodes }) => {
      for (const key of nodes) this.#forget(key);
    });
    outline.doc.once("destroy", () => this.#clear());
  }

  /** Whether a node is too long to be rendered in one go. */
  isLong(key: NodeKey): boolean {
    return !this.#nodes.has(key) && this.#outline.textLength(key) > MAX_NODE_CHARACTERS;
  }

  /** A visible node, kept for the next time unless it is very long. */
  get(key: NodeKey): RenderedNode | undefined {
    const kept = this.#nodes.get(key);
    if (kept !== undefined) return kept;
    const node = this.#outline.node(key);
    if (node === undefined) return undefined;
    const rendered = renderNode(node, this.#outline.id);
    this.#keep(rendered);
    return rendered;
  }

  #keep(node: RenderedNode): void {
    if (lengthOf(node) > MAX_NODE_CHARACTERS) return;
    const bytes = bytesOf(node);
    if (this.#nodes.size >= MAX_NODES || this.#bytes + bytes > MAX_BYTES) this.#clear();
    this.#nodes.set(node.key, node);
    this.#count(bytes);
    const filled = RenderedNodes.#filled;
    filled.delete(this);
    filled.add(this);
    for (const others of filled) {
      if (RenderedNodes.#bytesInAll <= MAX_BYTES_IN_ALL) break;
      others.#clear();
    }
  }

  #forget(key: NodeKey): void {
    const node = this.#nodes.get(key);
    if (node === undefined) return;
    this.#nodes.delete(key);
    this.#count(-bytesOf(node));
  }

  #clear(): void {
    this.#nodes.clear();
    this.#count(-this.#bytes);
    RenderedNodes.#filled.delete(this);
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    RenderedNodes.#bytesInAll += bytes;
  }

  #idOfParent(key: NodeKey): NodeId {
    if (this.#parent?.key !== key) this.#parent = { key, id: nodeIdOf(this.#outline.id, key) };
    return this.#parent.id;
  }

  /** The JSON of a node at a place. @param parent undefined at the top level @param rank from 0 */
  jsonAt(node: RenderedNode, parent: NodeKey | undefined, rank: number): string {
    const { before, after } = node;
    return `${this.#placeJson(node.id, parent)}${before}${priorityAt(rank)}${after}`;
  }

  /** The same as pieces that are made as they are taken. */
  *piecesAt(
    node: NodeInPieces,
    parent: NodeKey | undefined,
    rank: number,
    mirror: string,
  ): Generator<string> {
    yield `${this.#placeJson(nodeIdOf(this.#outline.id, node.key), parent)}"name":"`;
    yield* jsonPieces(node.name);
    if (node.note === null) yield `","note":null`;
    else {
      yield `","note":"`;
      yield* jsonPieces(node.note);
      yield `"`;
    }
    yield `,"priority":${priorityAt(rank)}${restJson(node, mirror)}`;
  }

  #placeJson(id: NodeId, parent: NodeKey | undefined): string {
    const parentId = parent === undefined ? "null" : `"${this.#idOfParent(parent)}"`;
    return `{"id":"${id}","parent_id":${parentId},`;
  }
}

function priorityAt(rank: number): number {
  return (rank + 1) * 100;
}

/** What stands between the quotes in the JSON of a text. */
export function* jsonPieces(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield JSON.stringify(text).slice(1, -1);
}

function lengthOf({ before, after }: RenderedNode): number {
  return before.length + after.length;
}

/** Of memory; texts with characters beyond Latin-1 take twice as much for each. */
function bytesOf(node: RenderedNode): number {
  return NODE_BYTES + lengthOf(node);
}

/** @param mirror what its `data` says of mirrors, from a comma on */
export function renderNode(node: OutlineNode, outline: OutlineId, mirror = ""): RenderedNode {
  const { key, name, note } = node;
  const noteJson = note === null ? "null" : JSON.stringify(note);
  return {
    key,
    id: nodeIdOf(outline, key),
    before: flat([`"name":`, JSON.stringify(name), `,"note":`, noteJson, `,"priority":`]),
    after: restJson(node, mirror),
  };
}

function restJson(
  { layout, createdAt, modifiedAt, completedAt }: Omit<OutlineNode, "name" | "note">,
  mirror: string,
): string {
  return flat([
    `,"completed":`,
    String(completedAt !== null),
    `,"data":{"layoutMode":"`,
    layout,
    `"`,
    mirror,
    `},"createdAt":`,
    String(createdAt),
    `,"modifiedAt":`,
    String(modifiedAt),
    `,"completedAt":`,
    String(completedAt),
    `}`,
  ]);
}

/** Texts put together as one piece of memory: what `+` and templates put together keeps all its parts. */
function flat(texts: readonly string[]): string {
  return texts.join("");
}

import { todayIn } from "../core/calendar/calendar-days.ts";
import type { EntrySource } from "../formats/outline-entries.ts";
import { isNodeKey, nodeIdOf, ROOT, type NodeKey } from "../core/node-key.ts";
import { DEFAULT_LAYOUT } from "../core/node/layout.ts";
import type { NodeInPieces, NodeShape, OutlineNode } from "../core/node/node-reader.ts";
import type { Outline } from "../core/outline.ts";
import { find, findDestination, parseReference, type Reference } from "../core/reference.ts";
import type { RankedRow } from "../core/tree/document-order.ts";
import { rankIn } from "../core/tree/tree-row.ts";
import type { ListItem } from "./answer/list-stream.ts";
import { OneTurn } from "./answer/one-turn.ts";
import { renderNode, RenderedNodes, type RenderedNode } from "./answer/rendered-nodes.ts";

const FULL_ID_LENGTH = 36;

/** The nodes of longer lists are not kept for the next time: they would push out all others. */
const MOST_KEPT = 5000;

/**
 * An outline as one API key sees it: all of it, or for a limited key what is at and below one node,
 * which then is the top level.
 */
export class ScopedOutline {
  readonly outline: Outline;
  /** The top level of what the key reaches: a place, and with a limited key a node too. */
  readonly top: NodeKey;
  readonly #rendered: RenderedNodes;
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(outline: Outline, limitedTo: NodeKey | undefined, now: () => number) {
    this.outline = outline;
    this.top = limitedTo ?? ROOT;
    this.#rendered = RenderedNodes.of(outline);
    this.#now = now;
  }

  /** The key of the visible node that a reference means. The top level is none. */
  node(text: string): NodeKey | undefined {
    const key = this.#fullId(text);
    if (key !== undefined) return this.reaches(key) ? key : undefined;
    const reference = this.#parse(text);
    if (reference.kind === "root") return undefined;
    const strict =
      reference.kind === "shortcut" && reference.orRoot
        ? { ...reference, orRoot: false }
        : reference;
    const found = find(this.outline, strict, this.top);
    return found === ROOT ? undefined : found;
  }

  /**
   * The visible node, or the top level, that a reference means: where to list. For a mirror it is the
   * origin, as far as the key reaches that.
   */
  place(text: string | null | undefined): NodeKey | undefined {
    const key = typeof text === "string" ? this.#fullId(text) : undefined;
    const isThere = key === undefined || this.reaches(key);
    const found = isThere ? (key ?? find(this.outline, this.#parse(text), this.top)) : undefined;
    return found && this.heldBy(found);
  }

  /** Like `place`, and also a system node that is missing and that a new child makes. */
  destination(text: string | null | undefined): NodeKey | undefined {
    const key = typeof text === "string" ? this.#fullId(text) : undefined;
    const isThere = key !== undefined && this.reaches(key);
    const found = isThere ? key : findDestination(this.outline, this.#parse(text), this.top);
    return found && this.heldBy(found);
  }

  /** The node whose texts and children a node shows; undefined for a mirror of what the key does not reach. */
  heldBy(key: NodeKey): NodeKey | undefined {
    const held = this.outline.heldBy(key);
    return held === key || this.reaches(held) ? held : undefined;
  }

  /** What a visible node is in; undefined where the key does not reach that. */
  parentOf(key: NodeKey): NodeKey | undefined {
    return key === this.top ? undefined : this.outline.placeOf(key)?.parent.key;
  }

  /** Whether a node is visible and one that the key reaches. */
  reaches(key: NodeKey): boolean {
    return this.top === ROOT ? this.outline.has(key) : this.outline.contains(this.top, key);
  }

  /** The name of a node; `null` when it is not visible. */
  name(key: NodeKey): string | null {
    return this.heldBy(key) === undefined ? null : (this.outline.node(key)?.name ?? null);
  }

  /** The name of a visible node as it is now, in pieces that are made as they are taken. */
  namePieces(key: NodeKey): Iterable<string> {
    return this.seenInPieces(key)?.name ?? [];
  }

  /** The settings, as JSON. */
  settings(): string {
    const { timezone, weekStart } = this.outline.settings();
    return JSON.stringify({ timezone, weekStart });
  }

  /** The full id of a node. */
  id(key: NodeKey): string {
    return nodeIdOf(this.outline.id, key);
  }

  /** Whether a node is too long to be shown in one turn. */
  isLong(key: NodeKey): boolean {
    return this.#rendered.isLong(key);
  }

  /** What `show` answers of the node as it is now, in pieces that are made as they are taken. */
  showInPieces(key: NodeKey): Iterable<string> | undefined {
    const node = this.seenInPieces(key);
    return node && this.pieces(node);
  }

  /** The JSON of those of some nodes that the key reaches when they are taken. */
  *those(keys: Iterable<NodeKey>): Generator<ListItem> {
    for (const key of keys) {
      if (!this.reaches(key)) continue;
      const node = this.isLong(key) ? this.showInPieces(key) : this.show(key);
      if (node !== undefined) yield node;
    }
  }

  /** A visible node at its place: of a mirror of what the key does not reach only that it is there. */
  nodeInPieces(place: RankedRow): NodeInPieces | undefined {
    const node = this.outline.nodeInPieces(place);
    return node && this.heldBy(node.key) === undefined
      ? { ...node, ...bare(node), name: [], note: null }
      : node;
  }

  /** The node as the key sees it, for one answer where it has to do with mirrors. */
  #renderedOf(key: NodeKey): RenderedNode | undefined {
    const { mirrors } = this.outline.tree;
    const isUsual = mirrors.originOf(key) === undefined && mirrors.of(key).size === 0;
    if (isUsual) return this.#rendered.get(key);
    const node = this.outline.node(key);
    return node && this.#render(node);
  }

  /** A visible node without its texts, as the key sees it. */
  shape(key: NodeKey): NodeShape | undefined {
    const shape = this.outline.shape(key);
    return shape && this.heldBy(key) === undefined
      ? { ...shape, ...bare(shape), hasNote: false }
      : shape;
  }

  /** The same with its texts. */
  seenInPieces(key: NodeKey): NodeInPieces | undefined {
    const place = this.outline.placeOf(key);
    return place && this.nodeInPieces(place);
  }

  #render(node: OutlineNode): RenderedNode {
    const seen =
      this.heldBy(node.key) === undefined ? { ...node, ...bare(node), name: "", note: null } : node;
    return renderNode(seen, this.outline.id, this.mirrorJson(node.key));
  }

  /** What `data` of a node says of mirrors, from a comma on: of those that the key reaches. */
  mirrorJson(key: NodeKey): string {
    const { mirrors } = this.outline.tree;
    if (mirrors.originOf(key) !== undefined) {
      const origin = this.heldBy(key);
      const id = origin === undefined ? "null" : `"${this.id(origin)}"`;
      return `,"mirror":{"origin_id":${id}}`;
    }
    if (mirrors.of(key).size === 0) return "";
    const below = this.outline.tree.visibleRow(this.top);
    const reached = this.outline.mirrorsOf(key, below);
    if (reached.length === 0) return "";
    return `,"mirror":{"mirror_ids":[${reached.map((mirror) => `"${this.id(mirror)}"`).join()}]}`;
  }

  /** The JSON of a visible node as the key sees it. */
  show(key: NodeKey): string | undefined {
    const row = this.outline.tree.visibleRow(key);
    const node = row?.parent === undefined ? undefined : this.#renderedOf(key);
    if (row?.parent === undefined || node === undefined) return undefined;
    return this.#json(node, row.parent.key, rankIn(row.parent.children, row));
  }

  /**
   * The JSON of the children of a node or of the top level, in their order, separated by commas;
   * undefined when that is too much for one turn, which is found out without making all of it.
   */
  children(parent: NodeKey): string | undefined {
    const turn = new OneTurn();
    let list = "";
    let rank = 0;
    for (const key of this.outline.childKeys(parent)) {
      if (this.isLong(key)) return undefined;
      const node = this.#renderedOf(key);
      if (node !== undefined) {
        const json = this.#json(node, parent, rank);
        list = rank === 0 ? json : `${list},${json}`;
        if (turn.isOver(list.length)) return undefined;
      }
      rank += 1;
    }
    return list;
  }

  /**
   * The JSON of the children one by one. Which they are and where is as it is when the first one is
   * taken; one that is deleted meanwhile is left out.
   */
  *childrenInTurn(parent: NodeKey): Generator<ListItem> {
    const above = this.outline.tree.visibleRow(parent);
    if (above === undefined) return;
    const rows = [...above.children];
    const isKept = rows.length <= MOST_KEPT;
    for (const [rank, row] of rows.entries()) {
      if (!this.outline.has(row.key)) continue;
      const node = isKept && !this.isLong(row.key) ? this.#renderedOf(row.key) : undefined;
      if (node === undefined) yield* this.#present({ row, parent: above, rank });
      else yield this.#json(node, parent, rank);
    }
  }

  /**
   * The JSON of a node that the key reaches and everything below it, in document order, or of all that
   * it reaches. Which nodes and where is as it is when the first one is taken.
   */
  *allInTurn(from = this.top): Generator<ListItem> {
    for (const place of this.outline.rowsFrom(from)) yield* this.#present(place);
  }

  /** What goes into a file. */
  get entries(): EntrySource {
    const { outline } = this;
    return {
      id: outline.id,
      rowsFrom: (key) => outline.rowsFrom(key),
      headOf: (row) => (this.heldBy(row.key) === undefined ? undefined : outline.headOf(row)),
      nodeInPieces: (place) => {
        const node = this.nodeInPieces(place);
        if (node === undefined || this.heldBy(node.key) !== undefined) return node;
        // Not even the id of what it is a mirror of.
        const { origin: _unreached, ...rest } = node;
        return rest;
      },
    };
  }

  /** The JSON of a node that is still there, for answers of too many to keep them. */
  *#present(place: RankedRow): Generator<ListItem> {
    if (this.isLong(place.row.key)) {
      const node = this.nodeInPieces(place);
      if (node !== undefined) yield this.pieces(node);
    } else {
      const node = this.outline.nodeAt(place);
      if (node === undefined) return;
      yield this.#json(this.#render(node), node.parent, node.rank);
    }
  }

  #json(node: RenderedNode, parent: NodeKey, rank: number): string {
    return node.key === this.top
      ? this.#rendered.jsonAt(node, undefined, 0)
      : this.#rendered.jsonAt(node, parent === ROOT ? undefined : parent, rank);
  }

  /** The JSON of a node that {@link seenInPieces} or {@link nodeInPieces} has answered. */
  pieces(node: NodeInPieces): Iterable<string> {
    const { key, parent, rank } = node;
    const mirror = this.mirrorJson(key);
    return key === this.top
      ? this.#rendered.piecesAt(node, undefined, 0, mirror)
      : this.#rendered.piecesAt(node, parent === ROOT ? undefined : parent, rank, mirror);
  }

  /** The key in a full id written as answers have it: the reference that programs mostly use. */
  #fullId(text: string): NodeKey | undefined {
    if (text.length !== FULL_ID_LENGTH) return undefined;
    const key = text.slice(-ROOT.length);
    const isOurs = isNodeKey(key) && key !== ROOT && text === nodeIdOf(this.outline.id, key);
    return isOurs ? key : undefined;
  }

  #parse(text: string | null | undefined): Reference {
    const { outline } = this;
    return parseReference(text, {
      outline: outline.id,
      today: () => todayIn(outline.settings().timezone, this.#now()),
      get weekStart() {
        return outline.settings().weekStart;
      },
    });
  }
}

/** What is left of a mirror where the key does not reach its origin. */
function bare({ createdAt }: Pick<OutlineNode, "createdAt">) {
  return { layout: DEFAULT_LAYOUT, completedAt: null, modifiedAt: createdAt } as const;
}

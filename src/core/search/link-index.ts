import { addTo, removeFrom } from "../sets-by-key.ts";
import { inDocumentOrder } from "../tree/in-document-order.ts";
import type { NodeKey } from "../node-key.ts";
import type { OutlineChange, OutlineView } from "../outline-view.ts";
import { nodesOf, textOf } from "../schema.ts";
import type { TreeRow } from "../tree/tree-row.ts";
import { marksOfNode, NO_MARKS } from "./text-marks.ts";

/** What a link takes here: a place in two sets, and mostly the sets. */
const LINK_BYTES = 300;
const NODES_IN_A_STEP = 1000;

const NO_SOURCES: ReadonlySet<NodeKey> = new Set();

/** What happened to links. */
export interface LinkChange {
  /** Nodes that have other backlinks than before. */
  readonly targets: ReadonlySet<NodeKey>;
  /** Nodes that stand elsewhere, or nowhere, which may be backlinks of any. */
  readonly placed: ReadonlySet<NodeKey>;
}

/**
 * Which nodes link to which, by the links in names and notes. Read once, a step at a time, and from then
 * on kept up with each change at the cost of what has changed. Nothing is kept before `build` begins.
 */
export class LinkIndex {
  static readonly #ofOutlines = new WeakMap<OutlineView, LinkIndex>();

  readonly #outline: OutlineView;
  /** Deleted ones as well: they may come back. */
  readonly #sources = new Map<NodeKey, Set<NodeKey>>();
  readonly #targets = new Map<NodeKey, ReadonlySet<NodeKey>>();
  readonly #listeners = new Set<(change: LinkChange) => void>();
  #state: "empty" | "building" | "built" = "empty";
  #clearings = 0;
  #count = 0;

  /** The one index of an outline. */
  static of(outline: OutlineView): LinkIndex {
    let index = LinkIndex.#ofOutlines.get(outline);
    if (index === undefined) LinkIndex.#ofOutlines.set(outline, (index = new LinkIndex(outline)));
    return index;
  }

  private constructor(outline: OutlineView) {
    this.#outline = outline;
    outline.onChange((change) => this.#follow(change));
  }

  /** Whether all links are known. */
  get isBuilt(): boolean {
    return this.#state === "built";
  }

  /** Memory that is kept, estimated. */
  get bytes(): number {
    return this.#count * LINK_BYTES;
  }

  /** Reads all links; some hundred microseconds a step. Changes meanwhile are followed. */
  *build(): Generator<void> {
    if (this.#state === "built") return;
    this.#state = "building";
    const clearings = this.#clearings;
    let read = 0;
    for (const { key } of this.#outline.tree.rows()) {
      this.#read(key);
      if (++read % NODES_IN_A_STEP !== 0) continue;
      yield;
      // Cleared meanwhile, and maybe begun anew by somebody else; or somebody else has come to the end.
      const isOver = this.#clearings !== clearings || this.isBuilt;
      if (isOver) return yield* this.build();
    }
    this.#state = "built";
    const targets = new Set(this.#sources.keys());
    for (const listener of this.#listeners) listener({ targets, placed: new Set() });
  }

  /** Lets go of everything, until it is built again. */
  clear(): void {
    this.#sources.clear();
    this.#targets.clear();
    this.#count = 0;
    this.#clearings += 1;
    this.#state = "empty";
  }

  /** Whether any node, deleted ones too, links to a node. */
  isLinked(target: NodeKey): boolean {
    return this.#sources.has(target);
  }

  /** The nodes that link to a node, deleted ones too, in no order. */
  sourcesOf(target: NodeKey): ReadonlySet<NodeKey> {
    return this.#sources.get(target) ?? NO_SOURCES;
  }

  /** How many visible nodes link to a node. @param most where it stops counting */
  countOf(target: NodeKey, most = Infinity): number {
    let count = 0;
    for (const source of this.sourcesOf(target)) {
      if (count >= most) break;
      if (this.#outline.has(source)) count += 1;
    }
    return count;
  }

  /** The visible nodes that link to a node, in document order; a millisecond or two a step. */
  *backlinksOf(target: NodeKey): Generator<void, readonly NodeKey[]> {
    const { tree } = this.#outline;
    const rows: TreeRow[] = [];
    for (const key of this.sourcesOf(target)) {
      const row = tree.rowAt(key);
      if (row !== undefined && !tree.mirrors.isCovered(row)) rows.push(row);
    }
    const shown = yield* inDocumentOrder(rows, tree.root);
    return shown.map(({ key }) => key);
  }

  /** Called after each change of links, and of places. Answers how to stop. */
  onChange(listener: (change: LinkChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #follow({ nodes, placed }: OutlineChange): void {
    if (this.#state === "empty") return;
    const targets = new Set<NodeKey>();
    for (const key of nodes) {
      const [before, now] = this.#read(key);
      for (const target of before) if (!now.has(target)) targets.add(target);
      for (const target of now) if (!before.has(target)) targets.add(target);
    }
    if (this.#state !== "built" || this.#count === 0) return;
    if (targets.size === 0 && placed.size === 0) return;
    for (const listener of this.#listeners) listener({ targets, placed });
  }

  /** Reads the links of a node. Answers where they led before, and where they lead now. */
  #read(key: NodeKey): readonly [before: ReadonlySet<NodeKey>, now: ReadonlySet<NodeKey>] {
    const text = textOf(nodesOf(this.#outline.doc), key);
    const { links } = text === undefined ? NO_MARKS : marksOfNode(text);
    const before = this.#targets.get(key) ?? NO_SOURCES;
    if (links.size === 0 && before.size === 0) return [before, links];
    for (const target of before) {
      if (!links.has(target)) removeFrom(this.#sources, target, key);
    }
    for (const target of links) addTo(this.#sources, target, key);
    this.#count += links.size - before.size;
    if (links.size === 0) this.#targets.delete(key);
    else this.#targets.set(key, links);
    return [before, links];
  }
}

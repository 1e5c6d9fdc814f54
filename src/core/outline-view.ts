import type * as Y from "yjs";
import { leaveUntidied } from "./yjs/apply-stored-update.ts";
import type { ConflictRules } from "./tree/conflict-rules.ts";
import { parseDeletion } from "./node/deletion-mark.ts";
import type { RankedRow, WalkedRow } from "./tree/document-order.ts";
import { HybridClock } from "./hybrid-clock.ts";
import { ROOT, type NodeKey, type OutlineId, type Random } from "./node-key.ts";
import {
  type NodeHead,
  type NodeInPieces,
  NodeReader,
  type NodeShape,
  type OutlineNode,
  richTextOfNotes,
  textLengthOf,
} from "./node/node-reader.ts";
import type { ShownPlace } from "./tree/places-before.ts";
import { SEARCH_MARK } from "./reference.ts";
import {
  marksOf,
  metaOf,
  nodesOf,
  SCHEMA_VERSION,
  shortcutsOf,
  textOf,
  VERSION,
} from "./schema.ts";
import type { OutlineRoom } from "./room/outline-room.ts";
import { readSettings, type Settings } from "./settings.ts";
import { ShortcutList, type Shortcut } from "./shortcut-list.ts";
import type { RichText } from "./text/rich-text.ts";
import { readRichText } from "./text/y-text.ts";
import type { TextPart } from "./node/text-part.ts";
import { TimeMarks } from "./node/time-marks.ts";
import { CLOCK_TOLERANCE_MS, FOLLOWED_MS } from "./node/timed-value.ts";
import { touchedBy } from "./touched-nodes.ts";
import { TreeIndex } from "./tree/tree-index.ts";
import { treeSourceOf } from "./tree/tree-source.ts";
import { isShown, isWithin, rankIn, type TreeRow } from "./tree/tree-row.ts";

/** What an outline needs from outside. */
export interface OutlinePorts {
  readonly id: OutlineId;
  /** Unix milliseconds. */
  now(): number;
  readonly random: Random;
  /** True for a replica that is not the server's: it sees deletions that repair has not looked at. */
  readonly isDevice?: boolean;
  /** What operations are held to; a replica without it is held to nothing. */
  readonly makeRoom?: (doc: Y.Doc, tree: TreeIndex) => OutlineRoom;
}

export interface OutlineChange {
  /** The nodes whose content or place may differ from before, vanished ones among them. */
  readonly nodes: ReadonlySet<NodeKey>;
  /** Those of them whose place or deletion may differ. */
  readonly placed: ReadonlySet<NodeKey>;
  /** Where rows were that have left their places, when somebody follows that: see `PlacesBefore`. */
  readonly before: ReadonlyMap<TreeRow, ShownPlace>;
}

/**
 * One user's outline as it is shown: a view of a Yjs document as a tree of nodes, kept up with every
 * transaction. It shows only visible nodes: known, reaching the top level, neither deleted nor below
 * a deleted one.
 */
export class OutlineView {
  readonly id: OutlineId;
  readonly doc: Y.Doc;
  /** Where nodes are shown, hidden ones too: for repair, purge and checks. */
  readonly tree: TreeIndex;
  protected readonly nodes: Y.Map<Y.Text>;
  protected readonly meta: Y.Map<unknown>;
  /** When what was written: for repair. */
  readonly marks: TimeMarks;
  /**
   * Unix seconds at which nodes lost text to somebody outside, until a stamp says it: for repair, which
   * keeps few of them [Q40].
   */
  readonly deletions = new Map<NodeKey, number>();
  protected readonly clock = new HybridClock();
  protected readonly shortcutList: ShortcutList;
  protected readonly isDevice: boolean;
  readonly #reader: NodeReader;
  readonly #listeners = new Set<(change: OutlineChange) => void>();

  protected constructor(doc: Y.Doc, ports: OutlinePorts, rules: ConflictRules) {
    this.id = ports.id;
    this.isDevice = ports.isDevice ?? false;
    this.doc = doc;
    this.nodes = nodesOf(doc);
    this.meta = metaOf(doc);
    this.shortcutList = new ShortcutList(shortcutsOf(doc));
    this.marks = new TimeMarks(marksOf(doc));
    const followedMs = this.isDevice ? FOLLOWED_MS : CLOCK_TOLERANCE_MS;
    this.tree = new TreeIndex(
      treeSourceOf(this.nodes, (at) => {
        if (at <= ports.now() + followedMs) this.clock.observe(at);
      }),
      rules,
    );
    this.#reader = new NodeReader(this.tree, this.nodes, this.marks, this.deletions);
  }

  /** Reads the document, in slices, and follows it from then on. */
  protected *follow(): Generator<void> {
    yield* this.marks.read();
    yield* this.tree.build();
    this.doc.on("afterTransaction", this.#afterTransaction);
  }

  /** Stops following the document. */
  detach(): void {
    this.doc.off("afterTransaction", this.#afterTransaction);
    this.#listeners.clear();
  }

  has(key: NodeKey): boolean {
    return this.visibleNode(key) !== undefined;
  }

  node(key: NodeKey): OutlineNode | undefined {
    const place = this.placeOf(key);
    return place === undefined ? undefined : this.nodeAt(place);
  }

  /** A visible node without its texts. */
  shape(key: NodeKey): NodeShape | undefined {
    const place = this.placeOf(key);
    return place && this.#reader.readShape(place.row, place.parent.key, place.rank);
  }

  /** Where a visible node is shown. */
  placeOf(key: NodeKey): RankedRow | undefined {
    const row = this.visibleNode(key);
    const parent = row?.parent;
    if (row === undefined || parent === undefined) return undefined;
    return { row, parent, rank: rankIn(parent.children, row) };
  }

  /** The node whose texts and children a node shows: of a mirror its origin, else itself. */
  heldBy(key: NodeKey): NodeKey {
    return this.tree.mirrors.originOf(key) ?? key;
  }

  /** The mirrors of a visible node that are shown below a visible row, by their keys. */
  mirrorsOf(key: NodeKey, below: TreeRow = this.tree.root): readonly NodeKey[] {
    const known = new Map<TreeRow, boolean>();
    const shown = [...this.tree.mirrors.of(key)].filter((row) => isShown(row, known, below));
    return shown.map((row) => row.key).sort();
  }

  /** UTF-16 units of a node's name and note; 0 for one that is not there. */
  textLength(key: NodeKey): number {
    const text = textOf(this.nodes, this.heldBy(key));
    return text === undefined ? 0 : textLengthOf(text);
  }

  /** When a visible node was last modified, in Unix seconds. */
  modifiedAt(key: NodeKey): number | undefined {
    const row = this.visibleNode(key);
    return row === undefined ? undefined : this.#reader.modifiedAt(row);
  }

  /** The text of a visible node, as it is read; empty for one that is not there. */
  richText(key: NodeKey, part: TextPart): RichText {
    const text = this.visibleNode(key) && textOf(this.nodes, this.heldBy(key));
    if (text === undefined) return [];
    return part === "name" ? readRichText(text) : richTextOfNotes(text);
  }

  /**
   * The nodes below a node or `ROOT`, in their order; empty when it is not visible. Those of a mirror are
   * its origin's, which is their parent: here and in what else asks for children.
   */
  children(parent: NodeKey): readonly OutlineNode[] {
    const row = this.#shownParent(parent);
    const nodes: OutlineNode[] = [];
    for (const [rank, child] of (row?.children ?? []).entries()) {
      const node = this.#reader.read(child, row?.key ?? parent, rank);
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }

  childKeys(parent: NodeKey): readonly NodeKey[] {
    return this.#shownParent(parent)?.children.map((row) => row.key) ?? [];
  }

  childCount(parent: NodeKey): number {
    return this.#shownParent(parent)?.children.length ?? 0;
  }

  /** Whether `key` is `ancestor` or below it. `ROOT` contains itself and every visible node. */
  contains(ancestor: NodeKey, key: NodeKey): boolean {
    const row = this.tree.visibleRow(key);
    const above = this.tree.rowAt(ancestor);
    return row !== undefined && above !== undefined && isWithin(row, above);
  }

  /**
   * The visible nodes below `from` in document order, as they are when the first is asked for; the
   * outline may change while the rest is taken. `from` itself is not among them, and a mirror alone, not
   * what it shows: so each node is there once. Who leaves before the
   * end calls `return`, as `for` does.
   */
  *keysInOrder(from: NodeKey = ROOT): Generator<NodeKey> {
    for (const { row } of this.rowsInOrder(from)) yield row.key;
  }

  /**
   * Like `keysInOrder`, with what the nodes hold when each is taken. A node that has been removed
   * from the document meanwhile is left out.
   */
  *nodesInOrder(from: NodeKey = ROOT): Generator<OutlineNode> {
    for (const place of this.rowsInOrder(from)) {
      const node = this.nodeAt(place);
      if (node !== undefined) yield node;
    }
  }

  /** Like `keysInOrder`, with where each is shown. */
  *rowsInOrder(from: NodeKey = ROOT): Generator<WalkedRow> {
    const row = this.#shownParent(from);
    if (row !== undefined) yield* this.tree.rowsBelow(row);
  }

  /** A visible node, with no siblings, and what is below it like `rowsInOrder`; of `ROOT` all of that. */
  *rowsFrom(key: NodeKey): Generator<WalkedRow> {
    const top = this.placeOf(key);
    const below = this.rowsInOrder(key);
    // Asked first, so that all of it is as at this moment.
    const first = below.next();
    try {
      if (top !== undefined) yield { ...top, siblings: [top.row] };
      for (let next = first; next.done !== true; next = below.next()) yield next.value;
    } finally {
      below.return(undefined);
    }
  }

  /** A node at the place where a walk has met it; undefined when it has left the document since. */
  nodeAt({ row, parent, rank }: RankedRow): OutlineNode | undefined {
    return this.#reader.read(row, parent.key, rank);
  }

  /** The same for a node of very long texts, which are written as they are taken. */
  nodeInPieces({ row, parent, rank }: RankedRow): NodeInPieces | undefined {
    return this.#reader.readInPieces(row, parent.key, rank);
  }

  /** As what a row is shown, without its texts; undefined when it has left the document. */
  headOf(row: TreeRow): NodeHead | undefined {
    return this.#reader.head(row);
  }

  /** How many nodes are visible. */
  get size(): number {
    return this.tree.visibleCount;
  }

  /** Grows with every change of the tree. */
  get structureVersion(): number {
    return this.tree.version;
  }

  /** The schema that the document says it follows; greater than `SCHEMA_VERSION` is for newer code. */
  get schemaVersion(): number {
    const version = this.meta.get(VERSION);
    return typeof version === "number" ? version : SCHEMA_VERSION;
  }

  /** The nodes that `restore` accepts, in no particular order. */
  trashedKeys(): readonly NodeKey[] {
    const keys: NodeKey[] = [];
    for (const row of this.tree.deletedRows()) {
      if (parseDeletion(row.deletion)?.kind === "trash") keys.push(row.key);
    }
    return keys;
  }

  /** By age, those whose node is visible. */
  shortcuts(): readonly Shortcut[] {
    const visible: Shortcut[] = [];
    for (const { key, node } of this.shortcutList.all()) {
      if (this.has(node)) visible.push({ key, node });
    }
    return visible;
  }

  /** The shortcuts that are searches, each with the node below which it looks, home among them. */
  savedSearches(): readonly Shortcut[] {
    const searches: Shortcut[] = [];
    for (const { key, node } of this.shortcutList.all()) {
      if (key.startsWith(SEARCH_MARK) && this.mayLeadTo(key, node)) searches.push({ key, node });
    }
    return searches;
  }

  /** Whether a shortcut may lead to a node: to one that is visible, and a search to home. */
  protected mayLeadTo(shortcut: string, node: NodeKey): boolean {
    return this.has(node) || (node === ROOT && shortcut.trim().startsWith(SEARCH_MARK));
  }

  /** The visible node of a shortcut written in any case. */
  shortcutNode(shortcut: string): NodeKey | undefined {
    const node = this.shortcutList.nodeOf(shortcut);
    return node !== undefined && this.has(node) ? node : undefined;
  }

  settings(): Settings {
    return readSettings(this.meta);
  }

  /** Called after every transaction that changed nodes. Answers how to stop. */
  onChange(listener: (change: OutlineChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The row whose children a visible node or `ROOT` shows. */
  #shownParent(key: NodeKey): TreeRow | undefined {
    return this.tree.visibleRow(key) && this.tree.rowAt(this.heldBy(key));
  }

  /** The visible row of a node; undefined for the root. */
  protected visibleNode(key: NodeKey): TreeRow | undefined {
    return key === ROOT ? undefined : this.tree.visibleRow(key);
  }

  /** The Unix seconds at which a client wrote what stands at a clock, as far as marks say; 0: nothing. */
  dateOf({ client, clock }: { readonly client: number; readonly clock: number }): number {
    return this.marks.writtenAt(client, clock);
  }

  /** To be called in a transaction's end, before anybody is told about it. */
  protected endTransaction(): void {}

  readonly #afterTransaction = (transaction: Y.Transaction): void => {
    // On a device it is an edit like others, which stock clients make too, and nobody waits for it.
    if (!this.isDevice) leaveUntidied(transaction);
    const arrivals = this.marks.update(transaction);
    this.shortcutList.update(transaction);
    this.endTransaction();
    const { nodes, refreshed } = touchedBy(transaction, this.nodes, this.tree, arrivals);
    this.tree.refresh(refreshed);
    const placed = new Set<NodeKey>();
    for (const row of this.tree.takeTouched()) {
      placed.add(row.key);
      nodes.add(row.key);
    }
    for (const key of this.tree.mirrors.takeLeft()) nodes.add(key);
    const before = this.tree.before.take();
    if (nodes.size === 0) return;
    // Who shows a mirror looks at it for what its origin says. A server asks each time.
    if (this.isDevice && this.tree.mirrors.size > 0) {
      for (const key of nodes)
        for (const mirror of this.tree.mirrors.of(key)) nodes.add(mirror.key);
    }
    for (const key of nodes) {
      const row = this.tree.rowAt(key);
      if (row !== undefined) row.modifiedAt = 0;
    }
    for (const listener of this.#listeners) listener({ nodes, placed, before });
  };
}

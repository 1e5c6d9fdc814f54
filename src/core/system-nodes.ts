import * as Y from "yjs";
import { systemOrder } from "./calendar.ts";
import { parseDeletion, type DeletionMark } from "./deletion-mark.ts";
import { seedFor } from "./month-seed.ts";
import { ROOT, systemNodeOf, systemParentOf, type NodeKey } from "./node-key.ts";
import type { NodeWriter } from "./node-writer.ts";
import { textOf } from "./schema.ts";
import type { TreeIndex } from "./tree-index.ts";
import type { TreeWriter } from "./tree-writer.ts";
import { isVisible, type TreeRow } from "./tree-row.ts";

/** The reserved nodes from the top level down to `key`, which is the last; empty for other keys. */
export function systemChain(key: NodeKey): readonly NodeKey[] {
  const chain: NodeKey[] = [];
  for (let at = key; at !== ROOT;) {
    const node = systemNodeOf(at);
    if (node === undefined) return [];
    chain.unshift(at);
    at = systemParentOf(node);
  }
  return chain;
}

/** Makes the inbox and the nodes of the calendar when they are needed. */
export class SystemNodes {
  readonly #doc: Y.Doc;
  readonly #nodes: Y.Map<Y.Text>;
  readonly #tree: TreeIndex;
  readonly #treeWriter: TreeWriter;
  readonly #nodeWriter: NodeWriter;

  constructor(
    doc: Y.Doc,
    nodes: Y.Map<Y.Text>,
    tree: TreeIndex,
    treeWriter: TreeWriter,
    nodeWriter: NodeWriter,
  ) {
    this.#doc = doc;
    this.#nodes = nodes;
    this.#tree = tree;
    this.#treeWriter = treeWriter;
    this.#nodeWriter = nodeWriter;
  }

  /**
   * Makes a reserved node visible, with the reserved nodes it is in. Inside a transaction.
   * @param kept rows that stay when a node they are in comes back, as all others do not
   */
  make(key: NodeKey, nowMs: number, kept: ReadonlySet<TreeRow> = new Set()): void {
    for (const each of systemChain(key)) {
      const row = this.#tree.rowAt(each);
      if (row === undefined) this.#appear(each, nowMs);
      else if (!isVisible(row)) this.#comeBack(row, nowMs, kept);
    }
  }

  #appear(key: NodeKey, nowMs: number): void {
    let text = textOf(this.#nodes, key) ?? this.#sow(key);
    // Only what another program put under a reserved key can stand in the way of the seed.
    if (text === undefined) this.#nodes.set(key, (text = new Y.Text()));
    this.#treeWriter.place(key, text, this.#ownPlace(key), nowMs);
    const row = this.#tree.rowAt(key);
    if (row?.deletion !== undefined) this.#treeWriter.liftDeletion(row);
  }

  /**
   * Lets a deleted node come back empty: what was deleted with it is marked deleted one by one
   * first, so that it stays deleted.
   */
  #comeBack(row: TreeRow, nowMs: number, kept: ReadonlySet<TreeRow>): void {
    const mark = markAbove(row);
    for (const child of row.children.slice()) {
      if (!kept.has(child)) this.#treeWriter.markDeleted(child, mark);
    }
    if (row.deletion !== undefined) this.#treeWriter.liftDeletion(row);
    if (!isVisible(row)) this.#treeWriter.move(row, this.#ownPlace(row.key));
    const text = textOf(this.#nodes, row.key);
    if (text !== undefined) {
      this.#nodeWriter.edit(text, { note: [], completed: false }, Math.floor(nowMs / 1000));
    }
  }

  /** Applies the seed of a key, as part of the transaction under way. */
  #sow(key: NodeKey): Y.Text | undefined {
    const seed = seedFor(key);
    if (seed === undefined) return undefined;
    this.#doc.transact((transaction) => {
      // Applying an update declares the whole transaction remote, and Yjs would then take this
      // replica's own writes in it for somebody else's under the same client id.
      const { local } = transaction;
      Y.applyUpdate(this.#doc, seed);
      transaction.local = local;
    });
    return textOf(this.#nodes, key);
  }

  #ownPlace(key: NodeKey): { readonly parent: NodeKey; readonly order: string } {
    const node = systemNodeOf(key);
    const parent = node === undefined ? ROOT : systemParentOf(node);
    const parentRow = this.#tree.rowAt(parent) ?? this.#tree.root;
    return { parent, order: systemOrder(key) ?? this.#treeWriter.lastOrder(parentRow) };
  }
}

/** The mark that hides a row: its own or the nearest above it. */
function markAbove(row: TreeRow): DeletionMark {
  for (let up: TreeRow | undefined = row; up !== undefined; up = up.parent) {
    const mark = parseDeletion(up.deletion);
    if (mark !== undefined) return mark;
  }
  return { kind: "final", seen: "everything" };
}

import * as Y from "yjs";
import { systemOrder } from "./calendar.ts";
import { parsePlacement } from "../tree/placement.ts";
import { insertSeededName, seededNode, seedFor } from "./month-seed.ts";
import { ROOT, systemNodeOf, systemParentOf, type NodeKey } from "../node-key.ts";
import type { NodeWriter } from "../node/node-writer.ts";
import { textOf } from "../schema.ts";
import type { TreeIndex } from "../tree/tree-index.ts";
import type { TreeWriter } from "../tree/tree-writer.ts";
import { isVisible, isWithin, type TreeRow } from "../tree/tree-row.ts";
import { withoutPending } from "../yjs/struct-store.ts";

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
  readonly #isDevice: boolean;

  constructor(
    doc: Y.Doc,
    nodes: Y.Map<Y.Text>,
    tree: TreeIndex,
    treeWriter: TreeWriter,
    nodeWriter: NodeWriter,
    isDevice: boolean,
  ) {
    this.#doc = doc;
    this.#nodes = nodes;
    this.#tree = tree;
    this.#treeWriter = treeWriter;
    this.#nodeWriter = nodeWriter;
    this.#isDevice = isDevice;
  }

  /**
   * Makes a reserved node visible, with those reserved nodes above it that it can't do without.
   * Inside a transaction.
   * @param kept rows that are no part of any deletion: they stay when what they are in comes back
   */
  make(key: NodeKey, nowMs: number, kept: ReadonlySet<TreeRow> = new Set()): void {
    for (const each of this.#missing(key)) {
      const row = this.#tree.rowAt(each);
      if (row === undefined) this.#appear(each, nowMs);
      else if (!isVisible(row)) this.#comeBack(row, nowMs, kept);
    }
  }

  /** Whether a reserved node, once it is made, would be `row` or below it; false for other keys. */
  wouldBeWithin(key: NodeKey, row: TreeRow): boolean {
    const chain = systemChain(key);
    let isInside = chain.length > 0 && row === this.#tree.root;
    for (const each of chain) {
      const made = this.#tree.rowAt(each);
      // It stays where it is unless something above it is deleted; else it is made in the one before.
      const stays = made?.parent !== undefined && isVisible(made.parent);
      if (made !== undefined && stays) isInside = isWithin(made, row);
    }
    return isInside;
  }

  /** What has to be made for a key, from the top down: up to where there is something to be in. */
  #missing(key: NodeKey): readonly NodeKey[] {
    const missing: NodeKey[] = [];
    for (const each of systemChain(key).toReversed()) {
      const row = this.#tree.rowAt(each);
      if (row !== undefined && isVisible(row)) break;
      missing.unshift(each);
      if (row?.parent !== undefined && isVisible(row.parent)) break;
    }
    return missing;
  }

  /**
   * Makes the text of a reserved node again whose entry a client has removed, and its place when
   * something is in it. Inside a transaction, on the server alone: on two replicas it would be two texts.
   */
  remake(key: NodeKey, nowMs: number): void {
    if (textOf(this.#nodes, key) !== undefined) return;
    this.#name(key);
    this.#tree.refresh([key]);
    if (this.#tree.countOrphansOf(key) > 0) this.make(key, nowMs);
  }

  /** A new text with the name that the seed would give it. */
  #name(key: NodeKey): Y.Text {
    const text = new Y.Text();
    this.#nodes.set(key, text);
    const seeded = seededNode(key);
    if (seeded !== undefined) insertSeededName(text, seeded);
    return text;
  }

  #appear(key: NodeKey, nowMs: number): void {
    // Only what another program did to a reserved key can stand in the way of the seed.
    const text = textOf(this.#nodes, key) ?? this.#sow(key) ?? this.#name(key);
    this.#treeWriter.place(key, text, this.#ownPlace(key), nowMs);
    const row = this.#tree.rowAt(key);
    if (row?.deletion !== undefined) this.#treeWriter.liftDeletion(row);
  }

  /**
   * Lets a deleted node come back empty: what was deleted with it is marked deleted one by one
   * first, so that it stays deleted.
   *
   * It comes back with its children where these may be no part of the deletion: below a kept row, and
   * on a device below a move, because only the server can tell whether the deleter had seen it.
   */
  #comeBack(row: TreeRow, nowMs: number, kept: ReadonlySet<TreeRow>): void {
    const top = deletedAt(row);
    const isUncertain = (each: TreeRow): boolean =>
      kept.has(each) || (this.#isDevice && wasMoved(each));
    if (top !== undefined && !isAnyBelow(row, top, isUncertain)) {
      for (const child of row.children.slice()) {
        if (!kept.has(child)) this.#treeWriter.handDownDeletion(child, top);
      }
      const text = textOf(this.#nodes, row.key);
      const empty = { note: { wanted: [] }, completed: false };
      if (text !== undefined) this.#nodeWriter.edit(text, empty, nowMs);
    }
    if (row.deletion !== undefined) {
      // What is kept says that the deleter had not seen it: nobody has taken the deletion back.
      if (kept.size > 0) this.#treeWriter.voidDeletions([row]);
      else this.#treeWriter.liftDeletion(row);
    }
    if (!isVisible(row)) this.#treeWriter.transfer(row, this.#ownPlace(row.key));
  }

  /** Applies the seed of a key, as part of the transaction under way. */
  #sow(key: NodeKey): Y.Text | undefined {
    const seed = seedFor(key);
    if (seed === undefined) return undefined;
    this.#doc.transact((transaction) => {
      // Applying an update declares the whole transaction remote, and Yjs would then take this
      // replica's own writes in it for somebody else's under the same client id. It also tries
      // updates again that wait for others: these would become part of what is written here.
      const { local } = transaction;
      withoutPending(this.#doc, () => Y.applyUpdate(this.#doc, seed));
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

/** Whether something holds for a row or for one between it and `top`. */
function isAnyBelow(row: TreeRow, top: TreeRow, holds: (row: TreeRow) => boolean): boolean {
  for (let up: TreeRow | undefined = row; up !== undefined && up !== top; up = up.parent) {
    if (holds(up)) return true;
  }
  return false;
}

function wasMoved(row: TreeRow): boolean {
  const placement = parsePlacement(row.register);
  return placement?.move !== undefined || placement?.restates !== undefined;
}

/** The row whose deletion hides a row: itself or the nearest above it. */
function deletedAt(row: TreeRow): TreeRow | undefined {
  let top: TreeRow | undefined = row;
  while (top !== undefined && top.deletion === undefined) top = top.parent;
  return top;
}

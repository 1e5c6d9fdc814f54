import { parseDeletion, type DeletionMark } from "./deletion-mark.ts";
import { isReservedKey, type NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { nodesOf } from "./schema.ts";
import type { TreeIndex } from "./tree-index.ts";
import { isVisible, type TreeRow } from "./tree-row.ts";

/** Nodes removed in one transaction: a few milliseconds. */
const CHUNK = 200;

/**
 * Removes from the document what has been deleted and is due, a chunk in each transaction; yields
 * between them. Nothing that is shown changes, and the outline may change meanwhile. On the server
 * alone, after repair: an edit of a removed node by a device that has not seen the removal is lost,
 * so a deletion is due when every device has seen it, or has had long enough to.
 *
 * Reserved nodes stay, with what they are in: a seed can't be applied a second time.
 *
 * @param isDue asked once for each node that is marked deleted
 * @returns how many nodes were removed
 */
export function* purge(
  outline: Outline,
  isDue: (key: NodeKey, kind: DeletionMark["kind"]) => boolean,
): Generator<void, number> {
  const { doc, tree } = outline;
  const nodes = nodesOf(doc);
  const queue = dueRows(tree, isDue);
  let removed = 0;
  for (let start = 0; start < queue.length; start += CHUNK) {
    doc.transact(() => {
      for (const row of queue.slice(start, start + CHUNK)) {
        if (tree.rowAt(row.key) !== row || isVisible(row) || hasChildren(row, tree)) continue;
        nodes.delete(row.key);
        tree.refresh([row.key]);
        removed++;
      }
    });
    yield;
  }
  return removed;
}

/** The rows to remove, each behind everything that is below it, so that none is ever an orphan. */
function dueRows(
  tree: TreeIndex,
  isDue: (key: NodeKey, kind: DeletionMark["kind"]) => boolean,
): readonly TreeRow[] {
  const due = new Set<TreeRow>();
  for (const top of tree.deletedRows()) {
    const kind = parseDeletion(top.deletion)?.kind;
    if (kind === undefined || due.has(top) || !isDue(top.key, kind)) continue;
    const pending = [top];
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      // Set again behind its parent when an outer deletion reaches it after an inner one did.
      due.delete(row);
      due.add(row);
      for (const child of row.children) pending.push(child);
      for (const child of tree.deletedChildren(row)) pending.push(child);
    }
  }
  const queue = [...due].reverse();
  const kept = new Set<TreeRow>();
  for (const row of queue) {
    if (isReservedKey(row.key) || kept.has(row)) {
      kept.add(row);
      if (row.parent !== undefined) kept.add(row.parent);
    }
  }
  return queue.filter((row) => !kept.has(row));
}

function hasChildren(row: TreeRow, tree: TreeIndex): boolean {
  if (row.children.length > 0) return true;
  for (const _ of tree.deletedChildren(row)) return true;
  return false;
}

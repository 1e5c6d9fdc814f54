import { parseDeletion, type DeletionMark } from "./node/deletion-mark.ts";
import { isReservedKey, type NodeKey } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { ATTRIBUTE, nodesOf, textOf } from "./schema.ts";
import { structsIn } from "./yjs/structs-in.ts";
import type { TreeIndex } from "./tree/tree-index.ts";
import { foundAbove, type TreeRow } from "./tree/tree-row.ts";

/** Structs removed in one transaction, and one node at least: a few milliseconds. */
const CHUNK = 600;
/** Nodes that are looked at between two yields. */
const GLANCE = 2_000;

/**
 * Removes from the document what has been deleted and is due, a chunk in each transaction; yields
 * between them, and while it looks for them. Nothing that is shown changes, and the outline may
 * change meanwhile. On the server alone, after repair: an edit of a removed node by a device that has
 * not seen the removal is lost, so a deletion is due when every device has seen it, or has had long
 * enough to.
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
  const { tree } = outline;
  const marks = yield* dueMarks(tree, isDue);
  // A row may have been moved, or the deletion taken back, since it was looked for.
  const removed = yield* removeEach(
    outline,
    yield* rowsBelow(marks, tree),
    (row, known) =>
      !isReservedKey(row.key) && isDeleted(row, marks, known) && !hasChildren(row, tree),
  );
  return (
    removed + (yield* removeEach(outline, yield* bereftMirrors(tree), (row) => isBereft(row, tree)))
  );
}

/** @param mayGo asked right before a row is removed. @param known what was found in the same transaction */
function* removeEach(
  { doc, tree }: Outline,
  rows: readonly TreeRow[],
  mayGo: (row: TreeRow, known: Map<TreeRow, boolean>) => boolean,
): Generator<void, number> {
  const nodes = nodesOf(doc);
  let removed = 0;
  for (let at = 0; at < rows.length;) {
    doc.transact(() => {
      const known = new Map<TreeRow, boolean>();
      const before = removed;
      for (let structs = 0; structs < CHUNK; at++) {
        const row = rows[at];
        if (row === undefined) break;
        const text = textOf(nodes, row.key);
        structs += 1 + structsIn(text);
        if (tree.rowAt(row.key) !== row || !mayGo(row, known)) continue;
        // So that the update has a struct of the server's, which says that clients did not write it.
        if (removed === before) text?.setAttribute(ATTRIBUTE.modified, 0);
        nodes.delete(row.key);
        tree.refresh([row.key]);
        removed++;
      }
    });
    yield;
  }
  return removed;
}

/** The mirrors of what has been removed for good, which nothing will show again. */
function* bereftMirrors(tree: TreeIndex): Generator<void, readonly TreeRow[]> {
  const bereft: TreeRow[] = [];
  let looked = 0;
  for (const key of tree.mirrors.origins()) {
    if (tree.isGone(key)) bereft.push(...tree.mirrors.of(key));
    if (++looked % GLANCE === 0) yield;
  }
  return bereft;
}

function isBereft({ key }: TreeRow, tree: TreeIndex): boolean {
  const origin = tree.mirrors.originOf(key);
  return origin !== undefined && tree.isGone(origin) && tree.countOrphansOf(key) === 0;
}

/** The rows that are marked by a deletion that is due, with the mark that says so. */
type DueMarks = ReadonlyMap<TreeRow, string | undefined>;

function* dueMarks(
  tree: TreeIndex,
  isDue: (key: NodeKey, kind: DeletionMark["kind"]) => boolean,
): Generator<void, DueMarks> {
  const marks = new Map<TreeRow, string | undefined>();
  let seen = 0;
  for (const row of tree.deletedRows()) {
    if (++seen % GLANCE === 0) yield;
    const kind = parseDeletion(row.deletion)?.kind;
    if (kind !== undefined && isDue(row.key, kind)) marks.set(row, row.deletion);
  }
  return marks;
}

/** All that is marked or below, each row behind everything below it, so that none is ever orphaned. */
function* rowsBelow(marks: DueMarks, tree: TreeIndex): Generator<void, readonly TreeRow[]> {
  const known = new Map<TreeRow, boolean>();
  const rows: TreeRow[] = [];
  for (const top of marks.keys()) {
    if (top.parent !== undefined && isDeleted(top.parent, marks, known)) continue;
    const pending = [top];
    for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
      rows.push(row);
      if (rows.length % GLANCE === 0) yield;
      // The last one goes first: what is removed at the end of an array moves nothing else.
      for (const child of row.children.toReversed()) pending.push(child);
      for (const child of tree.deletedChildren(row)) pending.push(child);
    }
  }
  return rows.reverse();
}

/** Whether a row still has one of the marks, or is below one. @param known what was found already */
function isDeleted(row: TreeRow, marks: DueMarks, known: Map<TreeRow, boolean>): boolean {
  const isMarked = (up: TreeRow): boolean =>
    up.deletion !== undefined && marks.get(up) === up.deletion;
  return foundAbove(row, known, (up) => isMarked(up) || undefined, false);
}

function hasChildren(row: TreeRow, tree: TreeIndex): boolean {
  // What was put into a mirror is shown in its origin as long as it is known what that is.
  if (row.children.length + tree.countOrphansOf(row.key) > 0) return true;
  for (const _ of tree.deletedChildren(row)) return true;
  return false;
}

import type { TreeRow } from "../core/tree-row.ts";
import type { ScopedOutline } from "./scoped-outline.ts";

/** How nodes are written into each other. */
export interface NestedForm {
  /** A node from its opening brace on, without the closing one. */
  readonly node: (row: TreeRow) => Iterable<string>;
  /** What stands before the list of its children, which it ends with a bracket. */
  readonly children: string;
  /** What stands there for a node without children. */
  readonly none: string;
  /** What stands there for children that are too deep to be shown. */
  readonly deeper: (count: number) => string;
}

/** A node's children that are still to be written. */
interface Level {
  readonly rows: Iterator<TreeRow>;
  readonly parent: TreeRow;
  /** Whether it is below a mirror. */
  readonly isMirrored: boolean;
  isFirst: boolean;
}

/** Nodes that one answer has below mirrors: mirrors of what has mirrors would make it as long as one likes. [Q91] */
const MOST_MIRRORED = 10_000;

/**
 * Ends a node that was begun: with so many levels below it, in pieces that are made as they are taken,
 * and its closing brace. Which children a node has is as it is when it is written; one that has left
 * since is left out. Below a mirror stand the children of its origin; not where the origin is being
 * written already, as if they were too deep.
 */
export function* nestedPieces(
  view: ScopedOutline,
  row: TreeRow,
  depth: number,
  form: NestedForm,
): Generator<string> {
  /** As many as levels are written. [Q17] */
  const levels: Level[] = [];
  let mirrored = 0;
  yield begin(view, levels, row, depth, form);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value: child } = level.rows.next();
    if (child === undefined) {
      levels.pop();
      yield "]}";
      continue;
    }
    if (child.parent !== level.parent || !view.outline.has(child.key)) continue;
    if (level.isMirrored) mirrored++;
    // With the first piece: others may have their turn behind each.
    let comma = level.isFirst ? "" : ",";
    level.isFirst = false;
    for (const piece of form.node(child)) {
      yield comma + piece;
      comma = "";
    }
    const isFull = mirrored >= MOST_MIRRORED;
    const isBelowMirror = level.isMirrored || view.outline.heldBy(child.key) !== child.key;
    yield begin(view, levels, child, isFull && isBelowMirror ? 0 : depth, form);
  }
}

/** Begins the list of a node's children, or ends the node where none are to be written. */
function begin(
  view: ScopedOutline,
  levels: Level[],
  row: TreeRow,
  depth: number,
  form: NestedForm,
): string {
  const key = view.heldBy(row.key);
  const parent = key === undefined ? undefined : view.outline.tree.rowAt(key);
  if (parent === undefined || parent.children.length === 0) return `${form.none}}`;
  const { children } = parent;
  const isMirror = parent !== row;
  const isInItself = isMirror && levels.some((level) => level.parent === parent);
  if (levels.length >= depth || isInItself) return `${form.deeper(children.length)}}`;
  const isMirrored = (isMirror && levels.length > 0) || levels.at(-1)?.isMirrored === true;
  levels.push({ rows: children.slice().values(), parent, isMirrored, isFirst: true });
  return form.children;
}

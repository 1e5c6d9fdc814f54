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
  isFirst: boolean;
}

/**
 * Ends a node that was begun: with so many levels below it, in pieces that are made as they are taken,
 * and its closing brace. Which children a node has is as it is when it is written; one that has left
 * since is left out.
 */
export function* nestedPieces(
  view: ScopedOutline,
  row: TreeRow,
  depth: number,
  form: NestedForm,
): Generator<string> {
  /** As many as levels are written. [Q17] */
  const levels: Level[] = [];
  yield begin(levels, row, depth, form);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value: child } = level.rows.next();
    if (child === undefined) {
      levels.pop();
      yield "]}";
      continue;
    }
    if (child.parent !== level.parent || !view.outline.has(child.key)) continue;
    // With the first piece: others may have their turn behind each.
    let comma = level.isFirst ? "" : ",";
    level.isFirst = false;
    for (const piece of form.node(child)) {
      yield comma + piece;
      comma = "";
    }
    yield begin(levels, child, depth, form);
  }
}

/** Begins the list of a node's children, or ends the node where none are to be written. */
function begin(levels: Level[], parent: TreeRow, depth: number, form: NestedForm): string {
  const { children } = parent;
  if (children.length === 0) return `${form.none}}`;
  if (levels.length >= depth) return `${form.deeper(children.length)}}`;
  levels.push({ rows: children.slice().values(), parent, isFirst: true });
  return form.children;
}

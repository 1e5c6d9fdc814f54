import type { TreeRow } from "../../core/tree/tree-row.ts";
import type { ScopedOutline } from "../scoped-outline.ts";

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
 * written already, nor where there would be too many, as if they were too deep.
 */
export function* nestedPieces(
  view: ScopedOutline,
  row: TreeRow,
  depth: number,
  form: NestedForm,
): Generator<string> {
  const levels = new Levels(view, depth, form);
  yield levels.begin(row);
  for (let level = levels.last; level !== undefined; level = levels.last) {
    const { value: child } = level.rows.next();
    if (child === undefined) {
      levels.end();
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
    yield levels.begin(child);
  }
}

/** The lists of children that are being written, each in a node of the one before. */
class Levels {
  readonly #view: ScopedOutline;
  readonly #depth: number;
  readonly #form: NestedForm;
  /** As many as levels are written. [Q17] */
  readonly #levels: Level[] = [];
  /** Whose children these are. [Q17] */
  readonly #parents = new Set<TreeRow>();
  #mirrored = 0;

  constructor(view: ScopedOutline, depth: number, form: NestedForm) {
    this.#view = view;
    this.#depth = depth;
    this.#form = form;
  }

  get last(): Level | undefined {
    return this.#levels.at(-1);
  }

  /** Begins the list of a node's children, or ends the node where none are to be written. */
  begin(row: TreeRow): string {
    const { none, deeper, children: opening } = this.#form;
    const key = this.#view.heldBy(row.key);
    const parent = key === undefined ? undefined : this.#view.outline.tree.rowAt(key);
    if (parent === undefined || parent.children.length === 0) return `${none}}`;
    const { children } = parent;
    const isMirrored = this.last !== undefined && (this.last.isMirrored || parent !== row);
    const isTooDeep = this.#levels.length >= this.#depth || this.#parents.has(parent);
    const isTooMuch = isMirrored && this.#mirrored + children.length > MOST_MIRRORED;
    if (isTooDeep || isTooMuch) return `${deeper(children.length)}}`;
    if (isMirrored) this.#mirrored += children.length;
    this.#parents.add(parent);
    this.#levels.push({ rows: children.slice().values(), parent, isMirrored, isFirst: true });
    return opening;
  }

  end(): void {
    const level = this.#levels.pop();
    if (level !== undefined) this.#parents.delete(level.parent);
  }
}

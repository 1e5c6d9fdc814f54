import type { NodeKey } from "../../../../src/core/node-key.ts";
import type { TreeRow } from "../../../../src/core/tree/tree-row.ts";
import type { Row } from "./outline-rows.ts";
import type { RowId } from "./row-id.ts";

/** A row that knows its place in the tree. Never changed: what changes gets another. */
export class VisibleRow implements Row {
  readonly node: TreeRow;
  /** Whose children stand below it: of a mirror its origin, else the node. */
  readonly held: TreeRow;
  readonly via: RowId | "";
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isExpanded: boolean;
  readonly isContext: boolean;
  height = 0;

  constructor(
    node: TreeRow,
    depth: number,
    hasChildren: boolean,
    isExpanded: boolean,
    isContext: boolean,
    via: RowId | "" = "",
    held: TreeRow = node,
  ) {
    this.node = node;
    this.held = held;
    this.via = via;
    this.depth = depth;
    this.hasChildren = hasChildren;
    this.isExpanded = isExpanded;
    this.isContext = isContext;
  }

  get key(): NodeKey {
    return this.node.key;
  }

  get id(): RowId {
    return this.via === "" ? this.key : (`${this.via}${this.key}` as RowId);
  }

  /** The same row with other, or no, rows below it. */
  withBelow(hasChildren: boolean, isExpanded: boolean): VisibleRow {
    const { node, depth, isContext, via, held, height } = this;
    const row = new VisibleRow(node, depth, hasChildren, isExpanded, isContext, via, held);
    row.height = height;
    return row;
  }

  /** Whether it is a mirror's, or below one. */
  get isCopied(): boolean {
    return this.held !== this.node || this.via !== "";
  }

  /** Whether it looks like another one and is in the same place. */
  isLike(other: VisibleRow): boolean {
    return (
      this.node === other.node &&
      this.held === other.held &&
      this.via === other.via &&
      this.depth === other.depth &&
      this.hasChildren === other.hasChildren &&
      this.isExpanded === other.isExpanded &&
      this.isContext === other.isContext
    );
  }
}

/** Behind the last row that is below the row at `index`. */
export function endOfBlock(rows: readonly Row[], index: number): number {
  const depth = rows[index]?.depth ?? 0;
  let end = index + 1;
  for (let row = rows[end]; row !== undefined && row.depth > depth; row = rows[end]) end++;
  return end;
}

/** The row that the one at `index` is below; undefined for those of the zoomed node itself. */
export function parentIndex(rows: readonly Row[], index: number): number | undefined {
  const depth = rows[index]?.depth ?? 0;
  if (depth === 0) return undefined;
  let at = index - 1;
  while ((rows[at]?.depth ?? 0) >= depth) at--;
  return at;
}

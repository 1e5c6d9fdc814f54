import type { NodeKey } from "../../../src/core/node-key.ts";
import type { Source } from "../state/source.ts";
import type { RowId } from "./row-id.ts";

/** A line on the screen. */
export interface Row {
  /** Whose line it is. */
  readonly key: NodeKey;
  /** What it is among the rows: below a mirror other rows may have the same key. */
  readonly id: RowId;
  /** 0 for the children of the zoomed node. */
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isExpanded: boolean;
  /** Only shown since something below it matches the search. */
  readonly isContext: boolean;
  /** As it was drawn last, in pixels; 0 or absent before. Kept by the screen. */
  height?: number;
}

/** What is looked at: part of the outline, flattened to rows. Belongs to the device, is never undone. */
export interface OutlineRows {
  /** The node that is looked into; `ROOT` is home. */
  readonly zoom: Source<NodeKey>;
  /** The rows below the zoomed node; another array whenever the structure of what is shown changes. */
  readonly rows: Source<readonly Row[]>;
  /** The text of the search box; empty shows everything. */
  readonly query: Source<string>;
  /** How many lines the search has found; undefined without one. */
  readonly found: Source<number | undefined>;
  /** Stands for zoom and search together; changes once with both of them, before the rows do. */
  readonly address: Source<string>;
  zoomTo(key: NodeKey, options?: { readonly caret?: boolean; readonly replace?: boolean }): void;
  /**
   * Shows what a query finds, in the address too: as a step to go back from when it begins or ends a
   * search, or when it `isStep`; else in the place of the query before.
   */
  search(query: string, isStep?: boolean): void;
  isCollapsed(id: RowId): boolean;
  setCollapsed(ids: Iterable<RowId>, isCollapsed: boolean): void;
  /** -1 for what has no row. */
  indexOf(id: RowId): number;
  /**
   * Opens what hides a row, zooming out when it is elsewhere. Answers what is shown then: the row at the
   * node's own place where it is no more in that mirror.
   */
  reveal(id: RowId): RowId;
}

import type { NodeKey } from "../../../../src/core/node-key.ts";
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

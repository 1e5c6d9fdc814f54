import type { NodeKey } from "../../../../src/core/node-key.ts";
import type { OutlineView } from "../../../../src/core/outline-view.ts";

/** How many lines are shown below a node, deleted or not. @param most where it stops counting */
export function countBelow({ tree }: OutlineView, key: NodeKey, most: number): number {
  const row = tree.rowAt(key);
  let count = 0;
  if (row === undefined || most <= 0) return count;
  for (const _ of tree.rowsBelow(row)) if (++count === most) break;
  return count;
}

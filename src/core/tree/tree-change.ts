import { isNodeKey, isReservedKey, type NodeKey, ROOT, systemNodeOf } from "../node-key.ts";
import type { TreeRow } from "./tree-row.ts";

/** How a node's entry in the source differs from its row. No register: it has no place any more. */
export interface Change {
  readonly key: NodeKey;
  readonly row: TreeRow | undefined;
  readonly register: string | undefined;
  readonly deletion: string | undefined;
  readonly origin: NodeKey | undefined;
}

/** What a key without an entry says. */
export const NOTHING = { deletion: undefined, origin: undefined };

/** What one update of the index works on. */
export interface Batch {
  /** Rows that have to be placed. */
  readonly rows: Set<TreeRow>;
  readonly lost: TreeRow[];
  mayMakeRings: boolean;
}

/** Whether a key can be a node's: well-formed, not the root, not reserved for nothing. */
export function isNode(key: string): key is NodeKey {
  if (!isNodeKey(key) || key === ROOT) return false;
  return !isReservedKey(key) || systemNodeOf(key) !== undefined;
}

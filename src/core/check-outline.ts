import type * as Y from "yjs";
import { isNodeKey, ROOT } from "./node-key.ts";
import type { Outline } from "./outline.ts";
import { orderIn, parsePlacement } from "./tree/placement.ts";
import { MAX_ORDER_LENGTH } from "./tree/rebalance.ts";
import {
  ATTRIBUTE,
  nodesOf,
  SCHEMA_VERSION,
  shortcutsOf,
  stringAttribute,
  textOf,
} from "./schema.ts";
import { ShortcutList } from "./shortcut-list.ts";
import { TreeIndex } from "./tree/tree-index.ts";
import { compareRows, type TreeRow } from "./tree/tree-row.ts";
import { treeSourceOf } from "./tree/tree-source.ts";
import { itemsByKey } from "./yjs/inside.ts";
import { isPending } from "./yjs/struct-store.ts";

type FindingKind =
  /** Updates that wait for others which never came: something of the history is missing. */
  | "pending_updates"
  /** The index does not say what the document says: a defect of the program. */
  | "index_differs"
  /** A row does not reach the top level, or its siblings are out of order: a defect too. */
  | "not_a_tree"
  /** The document says that it follows a schema this program does not know. */
  | "newer_schema"
  /** An entry among the nodes that is no node. */
  | "not_a_node"
  /** A node without a place in the tree that can be read. */
  | "bad_placement"
  /** A node whose parent is not there, or a ring; it is shown where the rules say. */
  | "fallen"
  /** An order key that waits to be rebalanced. */
  | "long_order"
  /** A shortcut to a node that is not there or deleted. */
  | "dangling_shortcut";

export interface Finding {
  readonly kind: FindingKind;
  /** True when something is wrong with what the service did; else it is worth knowing. */
  readonly isError: boolean;
  /** The node's key, or the shortcut. */
  readonly key?: string;
}

const ERRORS: ReadonlySet<FindingKind> = new Set([
  "pending_updates",
  "index_differs",
  "not_a_tree",
] as const);

/** Everything about an outline that is not as it should be. O(nodes). */
export function checkOutline(outline: Outline): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (kind: FindingKind, key?: string): void => {
    const isError = ERRORS.has(kind);
    findings.push(key === undefined ? { kind, isError } : { kind, isError, key });
  };
  const { doc, tree } = outline;
  if (isPending(doc)) add("pending_updates");
  if (outline.schemaVersion > SCHEMA_VERSION) add("newer_schema");
  checkEntries(nodesOf(doc), add);
  checkTree(tree, add);
  if (!isSameTree(tree, freshIndex(nodesOf(doc)))) add("index_differs");
  for (const { key, node } of new ShortcutList(shortcutsOf(doc)).all()) {
    if (!outline.has(node)) add("dangling_shortcut", key);
  }
  return findings;
}

type Add = (kind: FindingKind, key?: string) => void;

function checkEntries(nodes: Y.Map<Y.Text>, add: Add): void {
  for (const [key, item] of itemsByKey(nodes)) {
    if (item.deleted) continue;
    const text = textOf(nodes, key);
    if (text === undefined || !isNodeKey(key) || key === ROOT) {
      add("not_a_node", key);
      continue;
    }
    const register = stringAttribute(text, ATTRIBUTE.placement);
    // A seeded node that nobody needed yet has no place and is well.
    if (
      register === undefined ? itemsByKey(text).has(ATTRIBUTE.placement) : !parsePlacement(register)
    ) {
      add("bad_placement", key);
    }
  }
}

function checkTree(tree: TreeIndex, add: Add): void {
  let reached = 0;
  const pending = [tree.root];
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    for (const [rank, child] of row.children.entries()) {
      const previous = row.children[rank - 1];
      const isInOrder = previous === undefined || compareRows(previous, child) < 0;
      if (!isInOrder || child.parent !== row || child.deletion !== undefined) {
        add("not_a_tree", child.key);
      }
    }
    const below = [...row.children, ...tree.deletedChildren(row)];
    reached += below.length;
    if (reached > tree.knownCount) break;
    for (const child of below) pending.push(child);
  }
  if (reached !== tree.knownCount) add("not_a_tree");
  for (const row of tree.fallenRows()) add("fallen", row.key);
  for (const row of tree.rows()) {
    if (orderIn(row.register).length > MAX_ORDER_LENGTH) add("long_order", row.key);
  }
}

function freshIndex(nodes: Y.Map<Y.Text>): TreeIndex {
  const index = new TreeIndex(treeSourceOf(nodes));
  for (const _ of index.build());
  return index;
}

/** Whether two indexes show every node alike. */
function isSameTree(a: TreeIndex, b: TreeIndex): boolean {
  if (a.knownCount !== b.knownCount) return false;
  for (const row of a.rows()) {
    const other = b.rowAt(row.key);
    if (other === undefined || !isShownAlike(row, other)) return false;
  }
  return true;
}

function isShownAlike(a: TreeRow, b: TreeRow): boolean {
  return (
    a.parent?.key === b.parent?.key &&
    a.order === b.order &&
    a.deletion === b.deletion &&
    a.children.length === b.children.length &&
    a.children.every((child, rank) => child.key === b.children[rank]?.key)
  );
}

import type { NodeKey } from "../../../src/core/node-key.ts";
import type { OutlineNode } from "../../../src/core/node/node-reader.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import type { OutlineEntry } from "../../../src/formats/outline-entry.ts";

/** Nodes with all below them, the given ones at the top. Without keys: copies are other nodes. */
export function entriesOfNodes(
  outline: OutlineView,
  keys: readonly NodeKey[],
): readonly OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  for (const key of keys) {
    const top = outline.node(key);
    if (top === undefined) continue;
    const depths = new Map<NodeKey, number>([[outline.heldBy(key), 0]]);
    entries.push(entryOf(top, 0));
    for (const node of outline.nodesInOrder(key)) {
      const depth = (depths.get(node.parent) ?? -1) + 1;
      depths.set(node.key, depth);
      entries.push(entryOf(node, depth));
    }
  }
  return entries;
}

function entryOf({ name, note, layout, completedAt }: OutlineNode, depth: number): OutlineEntry {
  return {
    depth,
    name,
    layout,
    ...(note !== null && { note }),
    ...(completedAt !== null && { completedAt }),
  };
}

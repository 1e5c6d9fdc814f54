import { type NodeKey, ROOT } from "../core/node-key.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { OutlineView } from "../core/outline-view.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/** The nodes of an outline that nobody changes meanwhile, in document order, from the top level. */
export function* entriesOfOutline(outline: OutlineView): Generator<OutlineEntry, void> {
  const depths = new Map<NodeKey, number>([[ROOT, -1]]);
  for (const node of outline.nodesInOrder()) {
    const depth = (depths.get(node.parent) ?? -1) + 1;
    depths.set(node.key, depth);
    yield entryOf(node, depth);
  }
}

function entryOf(node: OutlineNode, depth: number): OutlineEntry {
  const { key, origin, name, note, layout, createdAt, modifiedAt, completedAt } = node;
  return {
    depth,
    key,
    name,
    layout,
    createdAt,
    modifiedAt,
    ...(origin !== undefined && { origin }),
    ...(note !== null && { note }),
    ...(completedAt !== null && { completedAt }),
  };
}

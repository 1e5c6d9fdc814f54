import { type NodeKey, ROOT } from "../core/node-key.ts";
import type { OutlineNode } from "../core/node-reader.ts";
import type { OutlineView } from "../core/outline-view.ts";
import type { OutlineEntry } from "./outline-entry.ts";

/**
 * The nodes of an outline that nobody changes meanwhile, in document order: all of them, or a node and
 * what is below it.
 */
export function* entriesOfOutline(
  outline: OutlineView,
  from: NodeKey = ROOT,
): Generator<OutlineEntry, void> {
  const depths = new Map<NodeKey, number>([[ROOT, -1]]);
  for (const node of nodesFrom(outline, from)) {
    const depth = (depths.get(node.parent) ?? -1) + 1;
    depths.set(node.key, depth);
    yield entryOf(node, depth);
  }
}

/** The same as they are read. */
export function* nodesFrom(outline: OutlineView, from: NodeKey): Generator<OutlineNode, void> {
  const top = outline.node(from);
  if (top !== undefined) yield top;
  yield* outline.nodesInOrder(from);
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

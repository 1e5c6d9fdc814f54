import { nodeIdOf, type NodeKey, ROOT } from "../../../src/core/node-key.ts";
import type { OutlineNode } from "../../../src/core/node/node-reader.ts";
import type { OutlineView } from "../../../src/core/outline-view.ts";
import { exportedPieces } from "../../../src/formats/exported-pieces.ts";
import { nodesFrom } from "../../../src/formats/outline-entries.ts";
import type { OutlineFormat } from "../../../src/formats/outline-format.ts";
import { titleOf } from "../page/node-names.ts";

/** A node with what is below it, or all of the outline for `ROOT`, as a file. */
export function exportOutline(outline: OutlineView, from: NodeKey, format: OutlineFormat): string {
  if (format === "json") return jsonOfNodes(outline, nodesFrom(outline, from));
  return [...exportedPieces(outline, format, { from, title: titleOf(outline, from) })].join("");
}

/** The body of the API's export. A node whose parent is not in it is at the top. */
function jsonOfNodes(outline: OutlineView, nodes: Iterable<OutlineNode>): string {
  const inFile = new Set<NodeKey>();
  const items: unknown[] = [];
  for (const node of nodes) {
    inFile.add(node.key);
    const hasParent = node.parent !== ROOT && inFile.has(node.parent);
    items.push({
      id: nodeIdOf(outline.id, node.key),
      parent_id: hasParent ? nodeIdOf(outline.id, node.parent) : null,
      name: node.name,
      note: node.note,
      priority: (node.rank + 1) * 100,
      completed: node.completedAt !== null,
      data: { layoutMode: node.layout, ...mirrorOf(outline, node) },
      createdAt: node.createdAt,
      modifiedAt: node.modifiedAt,
      completedAt: node.completedAt,
    });
  }
  return `${JSON.stringify({ nodes: items }, undefined, 1)}\n`;
}

/** What a node's `data` says of mirrors. */
function mirrorOf(outline: OutlineView, { key, origin }: OutlineNode): object {
  if (origin !== undefined) return { mirror: { origin_id: nodeIdOf(outline.id, origin) } };
  const mirrors = outline.mirrorsOf(key).map((each) => nodeIdOf(outline.id, each));
  return mirrors.length === 0 ? {} : { mirror: { mirror_ids: mirrors } };
}

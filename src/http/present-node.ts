import type { OutlineNode } from "../core/node-reader.ts";
import { nodeIdOf, ROOT, type NodeKey, type OutlineId } from "../core/node-key.ts";

/** What all full ids of an outline start with: everything but the node's key. */
export function idPrefixOf(outline: OutlineId): string {
  return nodeIdOf(outline, ROOT).slice(0, -ROOT.length);
}

/** Where a node is shown, which for a limited key is not always where it is. */
export interface ShownPlace {
  /** Undefined at the top level. */
  readonly parent: NodeKey | undefined;
  /** Counted from 0 among the siblings. */
  readonly rank: number;
}

/**
 * The JSON of a node, with exactly the keys of the API in their order. Written out by hand, since
 * this is most of the work of every list and export.
 */
export function presentNode(node: OutlineNode, idPrefix: string, place: ShownPlace): string {
  const parent = place.parent === undefined ? "null" : `"${idPrefix}${place.parent}"`;
  const note = node.note === null ? "null" : JSON.stringify(node.note);
  return `{"id":"${idPrefix}${node.key}","parent_id":${parent},"name":${JSON.stringify(node.name)},"note":${note},"priority":${(place.rank + 1) * 100},"completed":${node.completedAt !== null},"data":{"layoutMode":"${node.layout}"},"createdAt":${node.createdAt},"modifiedAt":${node.modifiedAt},"completedAt":${node.completedAt}}`;
}

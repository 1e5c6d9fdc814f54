import type { NodeKey } from "../node-key.ts";
import type { PlainNode } from "../node/new-node.ts";
import type { Outline } from "../outline.ts";
import { ATTRIBUTE, nodesOf, textOf } from "../schema.ts";
import { systemChain } from "./system-nodes.ts";

export type SystemNodeContent = Pick<
  PlainNode,
  "name" | "note" | "layout" | "createdAt" | "modifiedAt" | "completedAt"
>;

/**
 * Makes the inbox or a node of the calendar that is not there, at its own place and with what a file
 * says of it. Answers the reserved nodes that appeared, each behind the one it is in.
 */
export function makeSystemNode(
  outline: Outline,
  key: NodeKey,
  content: SystemNodeContent,
  nowSec: number,
): readonly NodeKey[] {
  const { name, note, layout, createdAt = nowSec, modifiedAt, completedAt } = content;
  const missing = systemChain(key).filter((each) => !outline.has(each));
  outline.doc.transact(() => {
    outline.systemNodes.make(key, createdAt * 1000);
    const text = textOf(nodesOf(outline.doc), key);
    if (text === undefined) throw new Error("a system node that was made has a text");
    const edit = { name: { wanted: name }, note: note && { wanted: note }, layout };
    outline.nodeWriter.edit(text, edit, nowSec * 1000);
    if (typeof completedAt === "number") text.setAttribute(ATTRIBUTE.completed, completedAt);
    outline.nodeWriter.stamp(text, modifiedAt ?? createdAt);
  });
  return missing.filter((each) => outline.has(each));
}

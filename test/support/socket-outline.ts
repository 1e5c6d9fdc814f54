import * as Y from "yjs";
import { newNodeKey } from "../../src/core/node-key.ts";

/** What sync tests write: nodes with a name, as any client may add them. */
export function addNode(doc: Y.Doc, name: string): void {
  doc.getMap<Y.Text>("nodes").set(newNodeKey(Math.random), new Y.Text(name));
}

/** The names of all nodes, sorted. */
export function namesIn(doc: Y.Doc): readonly string[] {
  return [...doc.getMap<Y.Text>("nodes").values()].map((text) => text.toJSON()).sort();
}

/** How many nodes there are; cheap enough to be asked over and over. */
export function countIn(doc: Y.Doc): number {
  return doc.getMap("nodes").size;
}

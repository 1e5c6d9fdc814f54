import * as Y from "yjs";
import type { OutlineDocument } from "../../../src/documents/replica/outline-document.ts";

/** Gives a replica what it lacks of a document, durable or not, as Yjs encodes it. */
export function catchUp(replica: Y.Doc, { outline }: OutlineDocument, origin?: unknown): void {
  const lacking = Y.encodeStateAsUpdate(outline.doc, Y.encodeStateVector(replica));
  Y.applyUpdate(replica, lacking, origin);
}

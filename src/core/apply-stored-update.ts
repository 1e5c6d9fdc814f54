import * as Y from "yjs";

/**
 * Applies an update that is a part of a stored state, at the cost that it would have in one piece with
 * the others.
 *
 * At the end of each transaction Yjs (13.6) merges new structs with their neighbours. In a part of a
 * state there are neighbours between which a later part puts something, so they are cut again; every
 * cut moves the rest of the client's structs, and 100,000 nodes of which every fourth was edited take
 * 5.1 s in parts and 0.9 s in one piece. What is stored was merged when it was written: so here
 * nothing is, which Yjs is told by a transaction that seems to have begun where it ends. Nor does it
 * tidy up formats that have no effect, or make an `update` event.
 */
export function applyStoredUpdate(doc: Y.Doc, update: Uint8Array, origin?: unknown): void {
  doc.on("afterTransaction", leaveUnmerged);
  try {
    Y.applyUpdate(doc, update, origin);
  } finally {
    doc.off("afterTransaction", leaveUnmerged);
  }
}

function leaveUnmerged(transaction: Y.Transaction): void {
  transaction.beforeState = transaction.afterState;
}

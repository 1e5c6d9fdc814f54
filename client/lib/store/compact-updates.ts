import * as Y from "yjs";
import { stateChunks } from "../../../src/core/yjs/state-chunks.ts";
import { pendingUpdates } from "../../../src/core/yjs/struct-store.ts";
import { applyFromStore } from "./compaction.ts";

/**
 * The same replica in fewer and larger updates, each small enough to be applied between two other
 * things, without what was deleted. Structs that wait for others stay, as the last update.
 *
 * @param pause is awaited after each piece of work of some 10 ms
 * @throws what Yjs throws on bytes that are no update
 */
export async function compactUpdates(
  updates: AsyncIterable<Uint8Array>,
  pause: () => Promise<void>,
): Promise<readonly Uint8Array[]> {
  const doc = new Y.Doc();
  for await (const update of updates) {
    applyFromStore(doc, update);
    await pause();
  }
  const chunks: Uint8Array[] = [];
  for (const chunk of stateChunks(doc)) {
    chunks.push(chunk);
    await pause();
  }
  chunks.push(...pendingUpdates(doc));
  doc.destroy();
  return chunks;
}

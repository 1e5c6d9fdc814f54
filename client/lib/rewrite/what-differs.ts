import * as Y from "yjs";
import { firstContradiction } from "../../../src/core/updates/struct-contradiction.ts";

/**
 * What a replica has and another one lacks, or has otherwise under the same ids; with all that the
 * replica has deleted.
 */
export function whatDiffers(doc: Y.Doc, other: Y.Doc): Uint8Array {
  const common = Y.decodeStateVector(Y.encodeStateVector(other));
  for (const struct of Y.decodeUpdate(Y.encodeStateAsUpdate(other)).structs) {
    const first = struct instanceof Y.Item ? firstContradiction(doc, struct) : undefined;
    const { client } = struct.id;
    if (first !== undefined) common.set(client, Math.min(common.get(client) ?? 0, first));
  }
  return Y.encodeStateAsUpdate(doc, Y.encodeStateVector(common));
}

import { expect, test } from "vitest";
import * as Y from "yjs";
import { concurrentWrites } from "../../../src/core/yjs/concurrent-writes.ts";

/** A document with one entry that so many clients have written without having seen each other. */
function writtenBy(clients: number): Y.Doc {
  const doc = new Y.Doc();
  for (let client = 1; client <= clients; client++) {
    const own = new Y.Doc();
    own.clientID = client;
    own.getMap("keys").set("entry", client);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(own));
  }
  return doc;
}

function countIn(doc: Y.Doc): number {
  const kept = doc.getMap("keys")._map.get("entry");
  if (kept === undefined) throw new Error("nothing was written");
  return [...concurrentWrites(kept)].length;
}

test("[Q42] of a register that very many have written only some writes are looked at", () => {
  expect(countIn(writtenBy(900))).toBe(899);
  expect(countIn(writtenBy(1_500))).toBe(1_000);
});

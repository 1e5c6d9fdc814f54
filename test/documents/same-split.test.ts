import { expect, test } from "vitest";
import * as Y from "yjs";
import { splitNode } from "../../client/lib/edit/name-surgery.ts";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { catchUp } from "./support/catch-up.ts";
import { outlineDoc } from "./support/random-edits.ts";
import { workshop } from "./support/workshop.ts";

/** The names that are left when two authors split "one two" behind "one" and do not know it. */
async function namesAfterTwoSplits(
  author: Author,
  maxStructsAtOnce: number,
  saysWhatItHad = false,
): Promise<string[]> {
  const { documents, id } = workshop({ maxStructsAtOnce });
  const { document } = await documents.open(id);
  const attach = (doc: Y.Doc): Outline => {
    const random = seededRandom(doc.clientID);
    return Outline.attach(doc, { id: newOutlineId(random), now: Date.now, random, isDevice: true });
  };
  const plantedDoc = outlineDoc(900);
  const made = attach(plantedDoc).create({ parent: ROOT, name: "one two" });
  if (made.kind !== "created") throw new Error(made.kind);
  await document.receive(Y.encodeStateAsUpdate(plantedDoc), author);
  const updates = [901, 902].map((client) => {
    const doc = outlineDoc(client);
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(plantedDoc));
    const outline = attach(doc);
    const unsent: Uint8Array[] = [];
    doc.on("update", (update: Uint8Array) => unsent.push(update));
    doc.transact(() =>
      splitNode(outline, made.key, 3, { parent: ROOT, position: { after: made.key } }),
    );
    return Y.mergeUpdates(unsent);
  });
  const had = Y.decodeStateVector(Y.encodeStateVector(plantedDoc));
  for (const update of updates) {
    const receipt = await document.receive(update, author, saysWhatItHad ? had : undefined);
    expect(receipt.kind).toBe("applied");
  }
  const result = outlineDoc(903);
  catchUp(result, document);
  return [...attach(result).nodesInOrder()].map(({ name }) => name);
}

const EXTENDED: Author = { keyId: "ann", session: {}, writesAnew: true };
const STOCK: Author = { keyId: "ann", session: {} };

test.each([
  ["small", 1_000],
  ["large", 1],
])("[D82] a split that comes twice over the wire is one split: %s updates", async (_, most) => {
  expect(await namesAfterTwoSplits(EXTENDED, most)).toEqual(["one", " two"]);
});

test("[D82] of a client that repeats what others deleted nothing is concluded from that", async () => {
  expect(await namesAfterTwoSplits(STOCK, 1_000)).toEqual(["one", " two", " two"]);
});

test("[D110, D82] of a client that has said what it had it is known what it deleted itself", async () => {
  expect(await namesAfterTwoSplits(STOCK, 1_000, true)).toEqual(["one", " two"]);
});

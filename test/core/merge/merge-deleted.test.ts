import { expect, test } from "vitest";
import * as Y from "yjs";
import { leaveUntidied } from "../../../src/core/yjs/apply-stored-update.ts";
import { mergeDeletedInOnePass } from "../../../src/core/yjs/merge-deleted.ts";
import { encodePlanInParts } from "../../../src/core/updates/update-plan.ts";
import { expectSame } from "../../support/expect-same.ts";
import { integerBelow, oneOf, seededRandom } from "../../support/seeded-random.ts";

const CLIENT = 7;

function newDoc(isInOnePass: boolean): Y.Doc {
  const doc = new Y.Doc();
  doc.clientID = CLIENT;
  if (isInOnePass) mergeDeletedInOnePass(doc);
  doc.on("afterTransaction", leaveUntidied);
  doc.getMap("nodes");
  return doc;
}

/** A text of single letters, each written before the others: no two of them are ever one struct. */
function lettersIn(doc: Y.Doc, key: string, count: number): Y.Text {
  const text = doc.getMap("nodes").set(key, new Y.Text());
  doc.transact(() => {
    for (let left = count; left > 0; left--) text.insert(0, "x");
  });
  return text;
}

/** How often structs of the client are moved in their array from now on. */
function countingMoves(doc: Y.Doc): () => number {
  const structs = doc.store.clients.get(CLIENT) ?? [];
  let moves = 0;
  const splice = structs.splice.bind(structs);
  structs.splice = (...given: Parameters<typeof splice>) => {
    moves++;
    return splice(...given);
  };
  return () => moves;
}

function structsIn(doc: Y.Doc): number {
  return [...doc.store.clients.values()].reduce((count, { length }) => count + length, 0);
}

test("[Q45] a text whose letters were deleted before is removed without moving the rest for each", () => {
  for (const isInOnePass of [true, false]) {
    const doc = newDoc(isInOnePass);
    lettersIn(doc, "before", 10);
    const text = lettersIn(doc, "a", 2_000);
    lettersIn(doc, "behind", 10);
    text.delete(0, 2_000);
    const moves = countingMoves(doc);
    doc.getMap("nodes").delete("a");
    // Without it each letter moves all that is behind it.
    if (isInOnePass) expect(moves()).toBeLessThan(5);
    else expect(moves()).toBeGreaterThan(1_000);
    expect(structsIn(doc)).toBeLessThan(40);
  }
});

test("[Q45] nor are texts whose letters stand between those of others", () => {
  const doc = newDoc(true);
  const texts = ["a", "b"].map((key) => lettersIn(doc, key, 1));
  doc.transact(() => {
    for (let left = 2_000; left > 0; left--) texts[left % 2]?.insert(0, "x");
  });
  const moves = countingMoves(doc);
  doc.getMap("nodes").delete("a");
  doc.getMap("nodes").delete("b");
  expect(moves()).toBeLessThan(5);
  expect(structsIn(doc)).toBeLessThan(10);
});

test("[Q45] whatever is written and deleted comes to the same as with Yjs alone", () => {
  let merged = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const docs = [newDoc(true), newDoc(false)] as const;
    const updates = docs.map((doc) => {
      const sent: Uint8Array[] = [];
      doc.on("update", (update: Uint8Array) => sent.push(update));
      edit(doc, seed);
      return sent;
    });
    expectSame(updates[0], updates[1]);
    expect(structsIn(docs[0])).toBeLessThanOrEqual(structsIn(docs[1]));
    expectSame(stateOf(docs[0]), stateOf(docs[1]));
    // Who gets the updates has the same.
    const peer = newDoc(true);
    peer.clientID = 8;
    for (const update of updates[0] ?? []) Y.applyUpdate(peer, update);
    expect(peer.getMap("nodes").toJSON()).toEqual(docs[0].getMap("nodes").toJSON());
    merged += structsIn(docs[0]);
  }
  expect(merged).toBeGreaterThan(1_000);
});

/** What a document is worth to others, whatever it has left unmerged. */
function stateOf(doc: Y.Doc): Uint8Array {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return Y.encodeStateAsUpdate(copy);
}

/** Many letters and deletions in few transactions. */
function edit(doc: Y.Doc, seed: number): void {
  const random = seededRandom(seed);
  const nodes = doc.getMap<Y.Text>("nodes");
  const keys = ["a", "b", "c", "d"];
  for (let round = 0; round < 30; round++) {
    doc.transact(() => {
      for (let left = integerBelow(random, 80); left > 0; left--) {
        const key = oneOf(random, keys);
        const text = nodes.get(key) ?? nodes.set(key, new Y.Text());
        const at = integerBelow(random, text.length + 1);
        const choice = integerBelow(random, 12);
        if (choice < 6) text.insert(at, "xyz".slice(integerBelow(random, 3)));
        else if (choice < 9) text.delete(at, Math.min(text.length - at, 4));
        else if (choice < 10) text.setAttribute("p", String(left));
        else if (choice < 11) text.format(at, Math.min(text.length - at, 3), { b: true });
        else if (integerBelow(random, 4) === 0) nodes.delete(key);
      }
    });
  }
}

test("[Q45] what deletes texts is taken in parts that are as large as what is in the texts", () => {
  const doc = newDoc(true);
  const nodes = doc.getMap<Y.Text>("nodes");
  const keys = Array.from({ length: 20 }, (_, index) => `n${index}`);
  doc.transact(() => {
    for (const key of keys) nodes.set(key, new Y.Text());
  });
  for (const key of keys) {
    doc.transact(() => {
      for (let left = 100; left > 0; left--) nodes.get(key)?.insert(0, "x");
    });
  }
  // One range, of the nodes alone.
  const plan = { runs: [], deletes: [{ client: CLIENT, ranges: [0, keys.length] }] };
  const parts: number[] = [];
  for (const part of encodePlanInParts(plan, 200, doc)) {
    Y.applyUpdate(doc, part);
    parts.push(nodes.size);
  }
  expect(parts).toEqual([18, 16, 14, 12, 10, 8, 6, 4, 2, 0]);
});

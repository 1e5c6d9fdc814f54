import { expect, test } from "vitest";
import * as Y from "yjs";

import { applyStoredUpdate, applyUnfollowed } from "../../../src/core/yjs/apply-stored-update.ts";
import { stateChunks } from "../../../src/core/yjs/state-chunks.ts";

/** Fifty texts, in the middle of which something was written later. */
function edited(): Y.Doc {
  const doc = new Y.Doc();
  const texts = doc.getArray<Y.Text>("texts");
  for (let index = 0; index < 50; index++) texts.push([new Y.Text(`before after ${index}`)]);
  for (const text of texts) text.insert(7, "between ");
  for (const text of texts) text.delete(0, 3);
  return doc;
}

const structsOf = (doc: Y.Doc): number[] =>
  [...doc.store.clients.values()].map((all) => all.length);
const limits = { structs: 20, ranges: 10 };

test("[L43] a state that is applied in parts has the structs that it was written with", () => {
  const doc = edited();
  const inParts = new Y.Doc();
  for (const chunk of stateChunks(doc, new Map(), limits)) applyStoredUpdate(inParts, chunk);
  const inOnePiece = new Y.Doc();
  Y.applyUpdate(inOnePiece, Y.encodeStateAsUpdate(doc));
  expect(inParts.getArray("texts").toJSON()).toEqual(doc.getArray("texts").toJSON());
  expect(structsOf(inParts)).toEqual(structsOf(inOnePiece));
});

test("[L43] no struct is put together only to be cut again", () => {
  const [first] = stateChunks(edited(), new Map(), limits);
  if (first === undefined) throw new Error("no chunk");
  const written = Y.decodeUpdate(first).structs.length;
  const [kept, merged] = [new Y.Doc(), new Y.Doc()];
  applyStoredUpdate(kept, first);
  Y.applyUpdate(merged, first);
  expect(structsOf(kept)).toEqual([written]);
  expect(structsOf(merged)[0]).toBeLessThan(written);
});

test("[L43] nobody is told what is read, and everybody what is edited afterwards", () => {
  const doc = new Y.Doc();
  const told: string[] = [];
  doc
    .getArray("texts")
    .observeDeep((events) => events.forEach(({ path }) => told.push(path.join())));
  for (const chunk of stateChunks(edited(), new Map(), limits)) applyStoredUpdate(doc, chunk);
  expect(told).toEqual([]);
  doc.getArray<Y.Text>("texts").get(3).insert(0, "a");
  expect(told).toEqual(["3"]);
});

test("[L43] what is edited afterwards is as ever", () => {
  const doc = new Y.Doc();
  for (const chunk of stateChunks(edited(), new Map(), limits)) applyStoredUpdate(doc, chunk);
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  const text = doc.getArray<Y.Text>("texts").get(3);
  text.insert(0, "a");
  text.insert(1, "b");
  expect(updates).toHaveLength(2);
  // The second letter has joined the first.
  expect(doc.store.clients.get(doc.clientID)).toHaveLength(1);
});

/** Somebody makes a word bold; then it turns out that somebody else has deleted it. */
function boldAndDeleted(): readonly Uint8Array[] {
  const [one, other] = [new Y.Doc(), new Y.Doc()];
  one.getText("text").insert(0, "one word of three");
  Y.applyUpdate(other, Y.encodeStateAsUpdate(one));
  one.getText("text").format(4, 5, { b: true });
  other.getText("text").delete(4, 5);
  return [one, other].map((doc) => Y.encodeStateAsUpdate(doc));
}

function deletedIn(update: Uint8Array): readonly unknown[] {
  return [...Y.decodeUpdate(update).ds.clients];
}

test.each([
  ["a few letters", applyUnfollowed],
  ["a stored state", applyStoredUpdate],
])("[L93] reading %s deletes no format without effect", (_what, apply) => {
  const updates = boldAndDeleted();
  const [read, usual] = [new Y.Doc(), new Y.Doc()];
  for (const doc of [read, usual]) doc.getText("text");
  for (const update of updates) {
    apply(read, update);
    Y.applyUpdate(usual, update);
  }
  const written = deletedIn(Y.mergeUpdates([...updates]));
  expect(deletedIn(Y.encodeStateAsUpdate(read))).toEqual(written);
  expect(deletedIn(Y.encodeStateAsUpdate(usual))).not.toEqual(written);
});

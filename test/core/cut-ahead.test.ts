import { expect, test } from "vitest";
import * as Y from "yjs";
import { cutAhead } from "../../src/core/yjs/cut-ahead.ts";
import { newNodeKey } from "../../src/core/node-key.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { editAtRandom, outlineDoc, shownBy } from "../documents/support/random-edits.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";

/** The clocks at which the structs of each client begin. */
function structsOf(doc: Y.Doc): ReadonlyMap<number, readonly string[]> {
  const starts = [...doc.store.clients].map(([client, structs]): [number, string[]] => [
    client,
    structs.map(({ id, length, deleted }) => `${id.clock}+${length} ${deleted}`),
  ]);
  return new Map(starts);
}

/** The places at which cutting is left to the updates themselves. */
function cutsOf(doc: Y.Doc, updates: readonly Uint8Array[]): number {
  const before = doc.store.clients.get(1)?.length ?? 0;
  for (const _ of cutAhead(doc, updates, 0));
  return (doc.store.clients.get(1)?.length ?? 0) - before;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "[P85] structs that are cut before updates come end as those that are cut by them (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    const imported = outlineDoc(1);
    for (let edits = 0; edits < 30; edits++) editAtRandom(imported, random);
    for (let count = 0; count < 60; count++) {
      nodesOf(imported).set(newNodeKey(random), new Y.Text("what was imported in one go, uncut"));
    }
    const state = Y.encodeStateAsUpdate(imported);
    const tail: Uint8Array[] = [];
    const devices = [2, 3, 4].map((client) => {
      const doc = outlineDoc(client);
      Y.applyUpdate(doc, state);
      doc.on("update", (update: Uint8Array, origin: unknown) => {
        if (origin !== "other") tail.push(update);
      });
      return doc;
    });
    for (let edits = 0; edits < 200; edits++) {
      const doc = devices[integerBelow(random, devices.length)];
      if (doc === undefined) continue;
      if (random() < 0.2) for (const update of tail.slice()) Y.applyUpdate(doc, update, "other");
      editAtRandom(doc, random);
    }
    const [whole, cut] = [outlineDoc(9), outlineDoc(9)];
    Y.applyUpdate(whole, state);
    Y.applyUpdate(cut, state);
    const clocks = Y.encodeStateVector(cut);
    expect(cutsOf(cut, tail)).toBeGreaterThan(5);
    expect(Y.encodeStateVector(cut)).toEqual(clocks);
    expect(shownBy(cut)).toEqual(shownBy(whole));
    expect(cutsOf(cut, tail)).toBe(0);

    for (const doc of [whole, cut]) {
      doc.transact(() => {
        for (const update of tail) Y.applyUpdate(doc, update);
      });
      expect(doc.store.pendingStructs).toBe(null);
    }
    expect(shownBy(cut)).toEqual(shownBy(whole));
    expect(Y.encodeStateVector(cut)).toEqual(Y.encodeStateVector(whole));
    for (const structs of cut.store.clients.values()) {
      let end = 0;
      for (const { id, length } of structs) {
        expect(id.clock).toBe(end);
        end += length;
      }
    }
    // What the other has, each has: to the last deletion.
    const fresh = outlineDoc(9);
    Y.applyUpdate(fresh, Y.encodeStateAsUpdate(cut));
    Y.applyUpdate(fresh, Y.encodeStateAsUpdate(whole));
    expect(shownBy(fresh)).toEqual(shownBy(whole));
  },
);

test("[P85] an array that is not long is left as it is", () => {
  const doc = outlineDoc(1);
  doc.getMap("nodes").set("a", new Y.Text("some words"));
  const state = Y.encodeStateAsUpdate(doc);
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  (doc.getMap("nodes").get("a") as Y.Text).insert(4, "!");
  const read = outlineDoc(2);
  Y.applyUpdate(read, state);
  const before = structsOf(read);
  for (const _ of cutAhead(read, updates));
  expect(structsOf(read)).toEqual(before);
  for (const _ of cutAhead(read, updates, 0));
  expect(structsOf(read)).not.toEqual(before);
});

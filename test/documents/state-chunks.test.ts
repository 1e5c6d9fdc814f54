import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { nodesOf } from "../../src/core/schema.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import { StateDiff } from "../../src/core/yjs/state-diff.ts";
import { editAtRandom, fullUpdate, outlineDoc, shownBy } from "./support/random-edits.ts";
import { expectSame } from "../support/expect-same.ts";
import { oneOf, integerBelow, seededRandom } from "../support/seeded-random.ts";

function hasPending({ store }: Y.Doc): boolean {
  return store.pendingStructs !== null || store.pendingDs !== null;
}

/** A document that several clients wrote, with everything that leaves behind. */
function writtenByMany(random: () => number, edits: number): Y.Doc {
  const docs = [5, 900, 70_000].map((client) => outlineDoc(client));
  for (let edit = 0; edit < edits; edit++) {
    const doc = oneOf(random, docs);
    editAtRandom(doc, random);
    if (random() < 0.3) Y.applyUpdate(oneOf(random, docs), fullUpdate(doc));
  }
  const [first, ...others] = docs;
  if (first === undefined) throw new Error("no document");
  for (const doc of others) Y.applyUpdate(first, fullUpdate(doc));
  return first;
}

function applyAll(doc: Y.Doc, chunks: Iterable<Uint8Array>, where: string): void {
  for (const chunk of chunks) {
    Y.applyUpdate(doc, chunk);
    expect(hasPending(doc), where).toBe(false);
  }
}

describe("a state in chunks", () => {
  test("[P50] chunks of a document that nobody changes meanwhile make an equal document", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const doc = writtenByMany(seededRandom(seed), 60);
      const copy = outlineDoc(1);
      applyAll(copy, stateChunks(doc, new Map(), { structs: 7, ranges: 3 }), `seed ${seed}`);
      expectSame(shownBy(copy), shownBy(doc), `seed ${seed}`);
      expectSame(fullUpdate(copy), fullUpdate(doc), `seed ${seed}`);
    }
  });

  test("[P50] chunks of a document that changes meanwhile, and then the changes, do the same", () => {
    let changes = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const random = seededRandom(seed);
      const doc = writtenByMany(random, 60);
      const other = outlineDoc(40);
      Y.applyUpdate(other, fullUpdate(doc));
      const atStart = Y.decodeStateVector(Y.encodeStateVector(doc));
      const later: Uint8Array[] = [];
      doc.on("update", (update: Uint8Array) => later.push(update));
      const copy = outlineDoc(1);
      for (const chunk of stateChunks(doc, new Map(), { structs: 5, ranges: 3 })) {
        applyAll(copy, [chunk], `seed ${seed}`);
        for (let edits = integerBelow(random, 3); edits > 0; edits--) editAtRandom(doc, random);
        if (random() < 0.1) editAtRandom(other, random);
        if (random() < 0.05) Y.applyUpdate(doc, fullUpdate(other));
      }
      expect(Y.decodeStateVector(Y.encodeStateVector(copy)), `seed ${seed}`).toEqual(atStart);
      changes += later.length;
      applyAll(copy, later, `seed ${seed}`);
      expectSame(shownBy(copy), shownBy(doc), `seed ${seed}`);
    }
    expect(changes).toBeGreaterThan(500);
  });

  test("[P50] the deletions of one client are looked for in several goes", () => {
    const doc = outlineDoc(5);
    const text = new Y.Text("x".repeat(200));
    nodesOf(doc).set("a1b2c3d4e5f6", text);
    for (let at = 0; at < 100; at++) text.delete(at, 1);
    const few = { looks: 10, structs: 1_000 };
    const copy = outlineDoc(1);
    const [structs, ...deletes] = stateChunks(doc, new Map(), few);
    expect(Y.decodeUpdate(structs ?? new Uint8Array()).structs.length).toBeGreaterThan(100);
    expect(deletes.length).toBeGreaterThan(10);
    for (const chunk of deletes) {
      const ranges = [...Y.decodeUpdate(chunk).ds.clients.values()].flat();
      expect(ranges.length).toBeLessThanOrEqual(10);
    }
    applyAll(copy, [structs ?? new Uint8Array(), ...deletes], "in goes");
    expect(fullUpdate(copy)).toEqual(fullUpdate(doc));
    for (let seed = 1; seed <= 20; seed++) {
      const many = writtenByMany(seededRandom(seed), 60);
      const one = outlineDoc(1);
      applyAll(one, stateChunks(many, new Map(), { structs: 7, looks: 2 }), `seed ${seed}`);
      expect(fullUpdate(one), `seed ${seed}`).toEqual(fullUpdate(many));
    }
  });

  test("[P50] a state ends in the middle of a struct that was written on meanwhile", () => {
    const doc = outlineDoc(5);
    const text = new Y.Text("abc");
    nodesOf(doc).set("a1b2c3d4e5f6", text);
    const copy = outlineDoc(1);
    for (const chunk of stateChunks(doc, new Map(), { structs: 1, ranges: 1 })) {
      Y.applyUpdate(copy, chunk);
      text.insert(text.length, "def");
    }
    expect(nodesOf(copy).get("a1b2c3d4e5f6")?.toJSON()).toBe("abc");
  });

  test("[P51] chunks for a replica that has a part have the rest and every deletion", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seededRandom(seed);
      const doc = writtenByMany(random, 40);
      const replica = outlineDoc(1);
      Y.applyUpdate(replica, fullUpdate(doc));
      for (let edits = 0; edits < 20; edits++) editAtRandom(doc, random);
      const known = Y.decodeStateVector(Y.encodeStateVector(replica));
      applyAll(replica, stateChunks(doc, known, { structs: 4, ranges: 3 }), `seed ${seed}`);
      expectSame(shownBy(replica), shownBy(doc), `seed ${seed}`);
    }
  });
});

describe("a difference", () => {
  test("[P51] is what Yjs encodes, whatever has happened since the last one", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed);
      const doc = writtenByMany(random, 30);
      const diff = new StateDiff(doc);
      const replica = outlineDoc(1);
      for (let round = 0; round < 15; round++) {
        editAtRandom(doc, random);
        const stateVector = Y.encodeStateVector(replica);
        const update = diff.encode(Y.decodeStateVector(stateVector));
        expectSame(
          Y.decodeUpdate(update),
          Y.decodeUpdate(Y.encodeStateAsUpdate(doc, stateVector)),
          `seed ${seed}`,
        );
        if (random() < 0.5) Y.applyUpdate(replica, update);
      }
    }
  });

  test("[P51] is that too when the document has changed while it was prepared", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed);
      const doc = writtenByMany(random, 30);
      const diff = new StateDiff(doc);
      for (let round = 0; round < 15; round++) {
        // Two at once, of which the other may begin anew what was changed for the one.
        let other = diff.prepare(3);
        for (const _ of diff.prepare(3)) {
          if (random() < 0.3) editAtRandom(doc, random);
          if (random() < 0.5 && other.next().done === true) other = diff.prepare(3);
        }
        expectSame(
          Y.decodeUpdate(diff.encode(new Map())),
          Y.decodeUpdate(Y.encodeStateAsUpdate(doc)),
          `seed ${seed}`,
        );
      }
    }
  });
});

import { expect, test } from "vitest";
import * as Y from "yjs";
import { expectSame } from "../support/expect-same.ts";
import { seededRandom, integerBelow } from "../support/seeded-random.ts";
import type { Author } from "../../src/documents/replica/author.ts";
import type { StoredState } from "../../src/documents/log/stored-state.ts";
import { readStateVector } from "../../src/protocol/state-vector.ts";
import { catchUp } from "./support/catch-up.ts";
import { editAtRandom, outlineDoc, shownBy, updateOf } from "./support/random-edits.ts";
import { addNode, turns, workshop, type Workshop } from "./support/workshop.ts";

const ALWAYS = (): boolean => true;
const NOTHING = new Uint8Array([0]);

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = outlineDoc(7);
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
}

/** What a replica has, and what it has deleted. */
function printOf(doc: Y.Doc): unknown {
  const { ds, sv } = Y.snapshot(doc);
  const deleted = new Map(
    [...ds.clients].map(([client, ranges]) => [
      client,
      ranges.map(({ clock, len }) => [clock, len]),
    ]),
  );
  return [shownBy(doc), sv, deleted];
}

async function stateOf({ documents, id }: Workshop): Promise<StoredState> {
  documents.evictAll("restored");
  await turns();
  const unopened = await documents.unopened(id, ALWAYS);
  if (unopened === undefined) throw new Error("it is open");
  return unopened.state;
}

async function bring(doc: Y.Doc, state: StoredState): Promise<number> {
  let count = 0;
  for await (const update of state.difference(Y.encodeStateVector(doc), ALWAYS)) {
    Y.applyUpdate(doc, update);
    // Each can be applied when it comes.
    expect([doc.store.pendingStructs, doc.store.pendingDs]).toEqual([null, null]);
    count++;
  }
  return count;
}

/** What a client of y-websocket answers who is asked for what the server lacks. */
function answerOf(doc: Y.Doc, ours: Uint8Array): Uint8Array {
  return Y.encodeStateAsUpdate(doc, ours);
}

test.each([1, 2, 3, 4, 5])(
  "[P131] what an outline has, and a replica lacks, is found in what is stored (seed %i)",
  async (seed) => {
    const random = seededRandom(seed);
    const shop = workshop({ minCompactionBytes: 3_000 }, seed);
    const author: Author = { keyId: "key", session: {}, writesAnew: false };
    const writers = [outlineDoc(100_001), outlineDoc(100_002), outlineDoc(100_003)];
    const left: Y.Doc[] = [];
    for (let round = 0; round < 5; round++) {
      const { document, release } = await shop.documents.open(shop.id);
      for (let edits = 0; edits < 15; edits++) {
        const doc = writers[integerBelow(random, writers.length)] ?? outlineDoc(1);
        catchUp(doc, document);
        const update = updateOf(doc, () => editAtRandom(doc, random));
        const receipt = await document.receive(update, author);
        if (receipt.kind === "applied") await receipt.durable;
        if (edits === 7 || edits === 14) left.push(copyOf(document.outline.doc));
      }
      await addNode(document, `round ${round}`);
      await turns(50);
      const now = copyOf(document.outline.doc);
      release();
      const state = await stateOf(shop);
      const ours = await state.stateVector(ALWAYS);
      expect(new Map(readStateVector(ours ?? NOTHING))).toEqual(Y.snapshot(now).sv);
      const wanted = printOf(now);
      for (const doc of [outlineDoc(8), now, ...left].map(copyOf)) {
        await bring(doc, state);
        expectSame(printOf(doc), wanted);
        const answer = answerOf(doc, ours ?? NOTHING);
        expect(await state.knows(answer, Y.snapshot(doc).sv, ALWAYS)).toBe(true);
        expect(await state.knows(answer, undefined, ALWAYS)).toBe(true);
      }
      expect(shop.documents.stats().open).toBe(0);
    }
    expect(shop.happened).toContain("compaction");
  },
);

test("[P131] who misses nothing is sent what is deleted, and no struct, however large the outline is", async () => {
  const shop = workshop({ minCompactionBytes: 100 });
  const { document, release } = await shop.documents.open(shop.id);
  for (let index = 0; index < 40; index++) await addNode(document, `${index} ${"x".repeat(2_000)}`);
  await turns(50);
  const doc = copyOf(document.outline.doc);
  release();
  const state = await stateOf(shop);
  let bytes = 0;
  for await (const update of state.difference(Y.encodeStateVector(doc), ALWAYS)) {
    bytes += update.byteLength;
  }
  expect(bytes).toBeLessThan(500);
});

test("[P131, D110] an answer is news when it deletes or adds something, or what its author had not seen deleted", async () => {
  const shop = workshop();
  const author: Author = { keyId: "key", session: {}, writesAnew: false };
  const { document, release } = await shop.documents.open(shop.id);
  const writer = outlineDoc(100_001);
  const textIn = (doc: Y.Doc): Y.Text | undefined => [...doc.getMap<Y.Text>("nodes").values()][0];
  const write = async (edit: (text: Y.Text) => void): Promise<void> => {
    const text = textIn(writer);
    const update = updateOf(writer, () => {
      if (text !== undefined) edit(text);
    });
    const receipt = await document.receive(update, author);
    if (receipt.kind === "applied") await receipt.durable;
    catchUp(writer, document);
  };
  await addNode(document, "one two three");
  catchUp(writer, document);
  await write((text) => text.delete(0, 4));
  const before = copyOf(writer);
  await write((text) => {
    text.delete(0, 4);
    text.insert(0, "2 ");
  });
  const after = copyOf(writer);
  release();
  const state = await stateOf(shop);
  const ours = (await state.stateVector(ALWAYS)) ?? NOTHING;
  const knows = (doc: Y.Doc): Promise<boolean> =>
    state.knows(answerOf(doc, ours), Y.snapshot(doc).sv, ALWAYS);
  expect([await knows(before), await knows(after)]).toEqual([true, true]);

  // Both have deleted the same word, one of them without knowing of the other.
  const twice = copyOf(before);
  textIn(twice)?.delete(0, 4);
  expect(await knows(twice)).toBe(false);
  // Once it was sent all, it repeats that.
  expect(await state.knows(answerOf(twice, ours), undefined, ALWAYS)).toBe(true);

  const deleting = copyOf(after);
  textIn(deleting)?.delete(2, 1);
  const adding = copyOf(after);
  textIn(adding)?.insert(2, "x");
  expect([await knows(deleting), await knows(adding)]).toEqual([false, false]);
  expect(await state.knows(answerOf(deleting, ours), undefined, ALWAYS)).toBe(false);
});

test("[P131] a newer snapshot in the midst of a difference begins it again, and a damaged log ends it", async () => {
  const shop = workshop({ minCompactionBytes: 3_000, keptChunkBytes: 1 });
  await shop.documents.use(shop.id, async (document) => {
    for (let index = 0; index < 80; index++)
      await addNode(document, `${index} ${"x".repeat(2_000)}`);
    await turns(50);
  });
  const state = await stateOf(shop);
  const others = shop.again({ minCompactionBytes: 1 });
  const doc = outlineDoc(9);
  const difference = state.difference(Y.encodeStateVector(doc), ALWAYS);
  Y.applyUpdate(doc, (await difference.next()).value ?? new Uint8Array([0, 0]));
  await others.use(shop.id, async (document) => {
    for (let index = 0; index < 60; index++)
      await addNode(document, `later ${index} ${"y".repeat(9_000)}`);
    await turns(50);
  });
  for await (const update of difference) Y.applyUpdate(doc, update);
  await others.use(shop.id, (document) => {
    expect(shownBy(doc)).toEqual(shownBy(document.outline.doc));
  });

  expect(shop.disk.outlines.get(shop.id)?.snapshot?.seq).toBeGreaterThan(80);
  const stored = shop.disk.outlines.get(shop.id);
  stored?.updates.splice(0);
  const damaged = await stateOf(shop);
  expect(await damaged.stateVector(ALWAYS)).toBe(undefined);
  const lacked = damaged.difference(NOTHING, ALWAYS);
  const toTheEnd = async (): Promise<void> => {
    while ((await lacked.next()).done !== true);
  };
  await expect(toTheEnd()).rejects.toMatchObject({ code: "outline_corrupt" });
});

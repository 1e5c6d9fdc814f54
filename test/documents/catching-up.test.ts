import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { nodesOf } from "../../src/core/schema.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { outlineDoc, shownBy } from "./support/random-edits.ts";
import { addNode, stateOf, turns, workshop } from "./support/workshop.ts";

const NOTHING = new Uint8Array([0]);

function replicaOf(updates: readonly Uint8Array[], doc = outlineDoc(0)): Y.Doc {
  for (const update of updates) {
    Y.applyUpdate(doc, update);
    expect([doc.store.pendingStructs, doc.store.pendingDs]).toEqual([null, null]);
  }
  return doc;
}

function differenceOf(
  document: OutlineDocument,
  stateVector: Uint8Array,
): Promise<readonly Uint8Array[]> {
  return allOf(document.difference(stateVector));
}

async function allOf(parts: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function addMany(document: OutlineDocument, count: number): Promise<void> {
  await document.bulk(function* (outline) {
    for (let index = 0; index < count; index++) {
      outline.create({ parent: ROOT, name: `node ${index}` });
      if (index % 10 === 0) yield;
    }
  });
}

describe("by state vector", () => {
  test("[P70] a replica that lacks little gets one update, one that lacks much gets chunks", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addMany(document, 2_000);
    const all = await differenceOf(document, NOTHING);
    expect(all.length).toBeGreaterThan(2);
    const replica = replicaOf(all);
    await document.write((outline) => outline.remove(outline.childKeys(ROOT)[0] ?? ROOT));
    const rest = await differenceOf(document, Y.encodeStateVector(replica));
    expect(rest).toHaveLength(1);
    expect(shownBy(replicaOf(rest, replica))).toEqual(shownBy(document.outline.doc));
  });

  test("[P70] nothing is told that is not durable", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    const written = addNode(document, "node");
    const told = differenceOf(document, NOTHING);
    expect(await stateOf(told)).toBe("pending");
    log.release();
    await written;
    expect(nodesOf(replicaOf(await told)).size).toBe(1);
  });

  test("[P70] what is written while chunks are made may come later, without a gap", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addMany(document, 3_000);
    const told = differenceOf(document, NOTHING);
    for (let index = 0; index < 20; index++) {
      await document.write((outline) => {
        outline.create({ parent: ROOT, name: "meanwhile" });
        outline.remove(outline.childKeys(ROOT)[index * 7] ?? ROOT);
      });
    }
    const replica = replicaOf(await told);
    replicaOf(await differenceOf(document, Y.encodeStateVector(replica)), replica);
    expect(shownBy(replica)).toEqual(shownBy(document.outline.doc));
  });
});

describe("by number", () => {
  test("[P71] the updates behind a number come from memory, or else from the log", async () => {
    const { documents, id, log, again } = workshop();
    const { document } = await documents.open(id);
    for (let index = 0; index < 5; index++) await addNode(document, `node ${index}`);
    const loads = log.loads;
    const all = (await document.since(0)) ?? [];
    expect([all.length, await document.since(5), await document.since(6)]).toEqual([
      5,
      [],
      undefined,
    ]);
    expect(log.loads).toBe(loads);
    expect(await document.since(3)).toEqual(all.slice(3));
    const restarted = await again().open(id);
    expect(await restarted.document.since(3)).toEqual(all.slice(3));
  });

  test("[P71] what the log has trimmed can't be told by number any more", async () => {
    const { documents, id, clock, happened } = workshop({
      minCompactionBytes: 2_000,
      idleMs: 0,
      sweepMs: 50,
    });
    await documents.use(id, async (document) => {
      for (let index = 0; index < 1_500; index++) await addNode(document, `node ${index}`);
      await turns(200);
    });
    expect(happened).toContain("compaction");
    await clock.advance(200);
    await documents.use(id, async (document) => {
      expect(await document.since(10)).toBe(undefined);
      expect(await document.since(document.head - 10)).toHaveLength(10);
    });
  });
});

const ALWAYS = (): boolean => true;

describe("whole", () => {
  test("[P72] what is stored is read part by part, also while a snapshot takes the place of another", async () => {
    const { documents, id } = workshop({ minCompactionBytes: 2_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    const updates: Uint8Array[] = [];
    for await (const update of documents.stored(id)) {
      if (updates.length === 0) {
        await addMany(document, 900);
        await turns(100);
      }
      updates.push(update);
    }
    // Later writes are in it or not.
    expect(nodesOf(replicaOf(updates)).size).toBeGreaterThanOrEqual(300);
  });

  test("[P72] the stored state makes an equal document, with the number it is of", async () => {
    const { documents, id } = workshop({ minCompactionBytes: 2_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    await addNode(document, "behind the snapshot");
    const updates = await allOf(documents.stored(id));
    expect((await document.extent(ALWAYS)).snapshot?.chunks).toBeGreaterThan(0);
    expect(shownBy(replicaOf(updates))).toEqual(shownBy(document.outline.doc));
  });

  test("[P72, P13] a log that lacks what is behind its snapshot is told as damaged", async () => {
    const { documents, id, disk } = workshop({ minCompactionBytes: 2_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    await addNode(document, "lost");
    const stored = disk.outlines.get(id);
    if (stored?.snapshot === undefined) throw new Error("no snapshot");
    stored.updates = [];
    const updates: Uint8Array[] = [];
    const reading = async (): Promise<void> => {
      for await (const update of documents.stored(id)) {
        if (updates.push(update) > 1_000) throw new Error("it has no end");
      }
    };
    await expect(reading()).rejects.toMatchObject({ code: "outline_corrupt", outline: id });
    expect(nodesOf(replicaOf(updates)).size).toBe(300);
  });

  test("[P72] it is never ahead of the log", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "durable");
    log.hold();
    const written = addNode(document, "pending");
    await turns();
    const stored = allOf(documents.stored(id));
    log.release();
    const updates = await stored;
    expect(nodesOf(replicaOf(updates)).size).toBe(updates.length);
    await written;
  });
});

describe("in parts", () => {
  test("[Q50] a part is read once for all who ask meanwhile, and then kept", async () => {
    const { documents, id, log } = workshop({ minCompactionBytes: 2_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    const { epoch, snapshot } = await document.extent(ALWAYS);
    if (snapshot === undefined) throw new Error("no snapshot");
    const place = { epoch, seq: snapshot.seq, index: 0 };
    const reads = log.reads;
    const chunks = await Promise.all(range(50).map(() => document.chunk(place, ALWAYS)));
    expect(new Set(chunks).size).toBe(1);
    expect(await document.chunk(place, ALWAYS)).toBe(chunks[0]);
    expect(log.reads).toBe(reads + 1);
  });

  test("[Q51] only so much is kept", async () => {
    const { documents, id, log } = workshop({ minCompactionBytes: 2_000, keptChunkBytes: 1_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    const { epoch, snapshot } = await document.extent(ALWAYS);
    const place = { epoch, seq: snapshot?.seq ?? 0, index: 0 };
    const reads = log.reads;
    for (let round = 0; round < 3; round++) {
      expect((await document.chunk(place, ALWAYS))?.byteLength).toBeGreaterThan(1_000);
    }
    expect(log.reads).toBe(reads + 3);
  });

  test("[Q50] so many reads are under way at one time, of one outline as of another in turn", async () => {
    const { documents, id, log } = workshop({ readsAtOnce: 2 });
    const other = newOutlineId(seededRandom(9));
    const [{ document }, second] = [await documents.open(id), await documents.open(other)];
    const epoch = document.epoch;
    const told: string[] = [];
    const ask = (name: string, of: OutlineDocument, index: number): void => {
      void of.chunk({ epoch, seq: 1, index }, ALWAYS).then(() => told.push(name));
    };
    log.hold();
    const reads = log.reads;
    for (const index of range(5)) ask(`a${index}`, document, index);
    ask("b", second.document, 0);
    await turns();
    expect(log.reads - reads).toBe(2);
    log.release();
    await turns();
    expect(told).toEqual(["a0", "a1", "a2", "b", "a3", "a4"]);
  });

  test("[Q50] nothing is read that nobody waits for any more", async () => {
    const { documents, id, log } = workshop({ readsAtOnce: 1 });
    const { document } = await documents.open(id);
    const { epoch } = document;
    const askers = [true, true, true];
    log.hold();
    const asked = askers.map((_, index) =>
      document.chunk({ epoch, seq: 1, index }, () => askers[index] === true),
    );
    await turns();
    const reads = log.reads;
    askers[1] = false;
    log.release();
    expect(await Promise.all(asked.map(stateOf))).toEqual([
      "resolved",
      "rejected unavailable",
      "resolved",
    ]);
    expect(log.reads).toBe(reads + 1);
  });

  test("[P70] a difference is made as far as it is asked for", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addMany(document, 3_000);
    const parts = document.difference(NOTHING);
    const first = await parts.next();
    if (first.done === true) throw new Error("nothing");
    const { doc } = document.outline;
    const before = nodesOf(doc).size;
    await addNode(document, "later");
    // What is deleted before the next is asked for is in it: nothing was made ahead.
    const last = [...nodesOf(doc).keys()].at(-2) ?? "";
    await document.write(() => nodesOf(doc).delete(last));
    const rest = await allOf(parts);
    expect(rest.length).toBeGreaterThan(1);
    const replica = replicaOf([first.value, ...rest]);
    expect([nodesOf(replica).size, nodesOf(replica).has(last)]).toEqual([before - 1, false]);
    replicaOf(await differenceOf(document, Y.encodeStateVector(replica)), replica);
    expect(shownBy(replica)).toEqual(shownBy(doc));
  });

  test("[P70] few structs with long texts are no little", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    for (const index of range(10)) await addNode(document, `${index}`.repeat(100_000));
    const parts = await differenceOf(document, NOTHING);
    expect(parts.length).toBeGreaterThan(3);
    expect(shownBy(replicaOf(parts))).toEqual(shownBy(document.outline.doc));
  });
});

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}

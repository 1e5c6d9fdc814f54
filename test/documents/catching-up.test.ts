import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT } from "../../src/core/node-key.ts";
import { nodesOf } from "../../src/core/schema.ts";
import type { OutlineDocument } from "../../src/documents/outline-document.ts";
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
    const all = await document.catchUp(NOTHING);
    expect(all.length).toBeGreaterThan(2);
    const replica = replicaOf(all);
    await document.write((outline) => outline.remove(outline.childKeys(ROOT)[0] ?? ROOT));
    const rest = await document.catchUp(Y.encodeStateVector(replica));
    expect(rest).toHaveLength(1);
    expect(shownBy(replicaOf(rest, replica))).toEqual(shownBy(document.outline.doc));
  });

  test("[P70] nothing is told that is not durable", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    log.hold();
    const written = addNode(document, "node");
    const told = document.catchUp(NOTHING);
    expect(await stateOf(told)).toBe("pending");
    log.release();
    await written;
    expect(nodesOf(replicaOf(await told)).size).toBe(1);
  });

  test("[P70] what is written while chunks are made may come later, without a gap", async () => {
    const { documents, id } = workshop();
    const { document } = await documents.open(id);
    await addMany(document, 3_000);
    const told = document.catchUp(NOTHING);
    for (let index = 0; index < 20; index++) {
      await document.write((outline) => {
        outline.create({ parent: ROOT, name: "meanwhile" });
        outline.remove(outline.childKeys(ROOT)[index * 7] ?? ROOT);
      });
    }
    const replica = replicaOf(await told);
    replicaOf(await document.catchUp(Y.encodeStateVector(replica)), replica);
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

describe("whole", () => {
  test("[P72] the stored state makes an equal document, with the number it is of", async () => {
    const { documents, id } = workshop({ minCompactionBytes: 2_000 });
    const { document } = await documents.open(id);
    await addMany(document, 300);
    await turns(100);
    await addNode(document, "behind the snapshot");
    const { chunks, updates, head } = await document.fullState();
    expect(head).toBe(document.head);
    expect(chunks.length).toBeGreaterThan(0);
    expect(shownBy(replicaOf([...chunks, ...updates]))).toEqual(shownBy(document.outline.doc));
  });

  test("[P72] a small one is read once, and goes on with what is written since", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await addMany(document, 30);
    await document.fullState();
    const { loads } = log;
    for (let round = 0; round < 5; round++) {
      await addNode(document, `later ${round}`);
      const { chunks, updates, head } = await document.fullState();
      expect(head).toBe(document.head);
      expect(shownBy(replicaOf([...chunks, ...updates]))).toEqual(shownBy(document.outline.doc));
    }
    expect(log.loads).toBe(loads);
    await document.storedState();
    expect(log.loads).toBe(loads + 1);
  });

  test("[P72] it is never ahead of the log", async () => {
    const { documents, id, log } = workshop();
    const { document } = await documents.open(id);
    await addNode(document, "durable");
    log.hold();
    const written = addNode(document, "pending");
    await turns();
    const state = document.fullState();
    log.release();
    const { updates, head } = await state;
    expect(nodesOf(replicaOf(updates)).size).toBe(head);
    await written;
  });
});

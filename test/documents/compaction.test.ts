import * as encoding from "lib0/encoding";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { expectSame } from "../support/expect-same.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { catchUp } from "./support/catch-up.ts";
import { editAtRandom, fullUpdate, outlineDoc, shownBy } from "./support/random-edits.ts";
import { addNode, codeOf, namesIn, turns, workshop, type Workshop } from "./support/workshop.ts";

const SMALL = { minCompactionBytes: 3_000 };

async function addUntilCompacted(shop: Workshop, document: OutlineDocument): Promise<void> {
  const before = shop.log.snapshots.length;
  for (let index = 0; shop.log.snapshots.length === before; index++) {
    if (index > 2_000) throw new Error("no snapshot");
    await addNode(document, `node ${index}`);
    await turns(2);
  }
}

function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

describe("snapshots", () => {
  test("[P73] are written when the log outweighs the last one, and loaded from then on", async () => {
    const shop = workshop(SMALL);
    const { document } = await shop.documents.open(shop.id);
    await addUntilCompacted(shop, document);
    await addUntilCompacted(shop, document);
    await addNode(document, "behind it");
    const [first, second] = shop.log.snapshots;
    expect(bytesOf(second?.chunks ?? [])).toBeGreaterThan(bytesOf(first?.chunks ?? []));
    const { snapshot } = await shop.store.log.load(shop.id);
    expect(snapshot?.seq).toBe(second?.seq);
    const restarted = await shop.again().open(shop.id);
    expect(shownBy(restarted.document.outline.doc)).toEqual(shownBy(document.outline.doc));
    expect(restarted.document.head).toBe(document.head);
    expect(await restarted.document.read(namesIn)).toEqual(await document.read(namesIn));
  });

  test("[P73] cost less than twice what is written besides", async () => {
    const shop = workshop(SMALL);
    const { document } = await shop.documents.open(shop.id);
    for (let index = 0; index < 1_200; index++) {
      void addNode(document, `node ${index}`);
      if (index % 10 === 0) await turns(3);
    }
    await document.read(() => undefined);
    await turns(100);
    const appended = shop.log.appends.reduce((sum, { append }) => sum + bytesOf(append.updates), 0);
    const snapshots = shop.log.snapshots.reduce((sum, { chunks }) => sum + bytesOf(chunks), 0);
    expect(shop.log.snapshots.length).toBeGreaterThan(2);
    expect(snapshots).toBeLessThan(2 * appended);
  });

  test.each([
    { longTailMs: 2, least: 4, most: 8 },
    { longTailMs: 1e9, least: 0, most: 0 },
  ])(
    "[P120] are also written of many small updates, within the bound ($longTailMs ms)",
    async ({ longTailMs, least, most }) => {
      const shop = workshop({ minCompactionBytes: 1e9, longTailMs });
      const { document } = await shop.documents.open(shop.id);
      const name = [{ insert: "a line that takes a hundred bytes ".repeat(3) }];
      const keys = await document.bulk(function* plant(outline) {
        const planted: NodeKey[] = [];
        for (let index = 0; index < 500; index++) {
          planted.push(outline.createPlain({ parent: ROOT, position: "bottom", name }));
          yield;
        }
        return planted;
      });
      await turns(50);
      for (const key of keys) {
        await document.write((outline) => {
          outline.editText(key, "name", (text) => text.insert(7, "x"));
        });
        await turns(3);
      }
      await turns(50);
      const { snapshots } = shop.log;
      expect(snapshots.length).toBeGreaterThanOrEqual(least);
      expect(snapshots.length).toBeLessThanOrEqual(most);
      const updates = shop.log.appends.flatMap(({ append }) => append.updates);
      const written = updates.reduce((sum, { length }) => sum + Math.max(512, length), 0);
      const cost = snapshots.reduce((sum, { chunks }) => sum + bytesOf(chunks), 0);
      expect(cost).toBeLessThan(2 * written);
    },
  );

  test("[P73] are also written of a log that had grown before it was loaded", async () => {
    const shop = workshop({ minCompactionBytes: 1e9 });
    await shop.documents.use(shop.id, async (document) => {
      for (let index = 0; index < 100; index++) await addNode(document, `node ${index}`);
    });
    const eager = workshop(SMALL);
    const { append } = { append: (await shop.store.log.load(shop.id)).updates };
    await eager.store.log.append(eager.id, { updates: append.map(({ update }) => update) });
    await eager.documents.open(eager.id);
    await turns(50);
    expect(eager.log.snapshots).toHaveLength(1);
  });

  test("[P74] hold what is durable at their number, whatever goes on meanwhile", async () => {
    let snapshots = 0;
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed);
      const shop = workshop({ minCompactionBytes: 400 }, seed);
      const { document } = await shop.documents.open(shop.id);
      const device = outlineDoc(3_000);
      const author = { keyId: "ann", session: {} };
      for (let step = 0; step < 120; step++) {
        editAtRandom(device, random);
        await document.receive(fullUpdate(device), author);
        if (random() < 0.3) {
          void document.write((outline) => {
            const keys = outline.childKeys(ROOT);
            const victim = keys[integerBelow(random, keys.length)];
            if (victim !== undefined && random() < 0.5) outline.remove(victim);
            else outline.create({ parent: ROOT, name: `n${step}` });
          });
        }
        if (random() < 0.4) await turns(integerBelow(random, 3));
        catchUp(device, document);
      }
      await document.read(() => undefined);
      await turns(30);
      const stored = shop.log.appends.flatMap(({ append }) => append.updates);
      for (const { seq, chunks, stateVector } of shop.log.snapshots) {
        const fromSnapshot = outlineDoc(0);
        for (const chunk of chunks) {
          Y.applyUpdate(fromSnapshot, chunk);
          expect(fromSnapshot.store.pendingStructs, `seed ${seed}`).toBe(null);
        }
        const fromLog = outlineDoc(0);
        for (const update of stored.slice(0, seq)) Y.applyUpdate(fromLog, update);
        expect(Y.encodeStateVector(fromSnapshot), `seed ${seed}`).toEqual(
          Y.encodeStateVector(fromLog),
        );
        expect(Y.encodeStateVector(fromSnapshot), `seed ${seed}`).toEqual(stateVector);
        for (const update of stored.slice(seq)) {
          Y.applyUpdate(fromSnapshot, update);
          Y.applyUpdate(fromLog, update);
        }
        expectSame(shownBy(fromSnapshot), shownBy(fromLog), `seed ${seed}`);
        snapshots++;
      }
    }
    expect(snapshots).toBeGreaterThan(10);
  });

  test("[P84] an annex of another number than its snapshot's is refused, one of before had none", async () => {
    const shop = workshop(SMALL);
    const { document } = await shop.documents.open(shop.id);
    await addUntilCompacted(shop, document);
    await addUntilCompacted(shop, document);
    const [first, second] = shop.log.snapshots;
    const stored = shop.disk.outlines.get(shop.id);
    if (first === undefined || second === undefined || stored === undefined) throw new Error();
    const opened = async (annex: Uint8Array): Promise<string> => {
      stored.snapshot = { ...second, annex };
      const documents = shop.again();
      const state = await documents.open(shop.id).then(() => "opened", codeOf);
      await documents.close();
      return state;
    };
    expect(await opened(second.annex)).toBe("opened");
    expect(await opened(first.annex)).toBe("outline_corrupt");
    // The number, and how many removed keys follow.
    const end = encoding.encode((encoder) => {
      encoding.writeVarUint(encoder, second.seq);
      encoding.writeVarUint(encoder, 0);
    });
    const { annex } = second;
    expect(annex.slice(-end.byteLength)).toEqual(end);
    expect(await opened(annex.slice(0, -1))).toBe("opened");
    expect(await opened(annex.slice(0, -end.byteLength))).toBe("opened");
  });

  test("[P74] are not written of a replica that was lost while they were made", async () => {
    const shop = workshop(SMALL);
    const { document } = await shop.documents.open(shop.id);
    let isBegun = false;
    document.subscribe({
      onDurable: () => {
        // The snapshot waits for what comes after it has begun, since it may hold parts of that.
        if (!isBegun) shop.log.hold();
        isBegun = true;
        void addNode(document, "meanwhile").catch(() => undefined);
        // Which makes the write be done at once.
        void document.read(() => undefined).catch(() => undefined);
      },
      onLost: () => undefined,
    });
    // One write: it is in the log as a whole when the first snapshot begins.
    await document.write((outline) => {
      for (let index = 0; index < 200; index++) {
        outline.create({ parent: ROOT, name: `node ${index}` });
      }
    });
    await turns();
    expect(isBegun).toBe(true);
    shop.documents.evictAll("restored");
    shop.log.release();
    await turns();
    expect(shop.log.snapshots.length).toBe(0);
  });

  test("[P74] that can't be written stop nothing, and are tried again", async () => {
    const shop = workshop(SMALL);
    const { document } = await shop.documents.open(shop.id);
    const save = shop.log.saveSnapshot.bind(shop.log);
    let isRefused = false;
    shop.log.saveSnapshot = (...given) => {
      if (isRefused) return save(...given);
      isRefused = true;
      return Promise.reject(new Error("a defect"));
    };
    await addUntilCompacted(shop, document);
    expect(shop.happened).toContain("defect Error: a defect");
    expect(shop.log.snapshots).toHaveLength(1);
  });
});

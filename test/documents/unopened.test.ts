import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import type { Author } from "../../src/documents/author.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { editAtRandom, outlineDoc, updateOf } from "./support/random-edits.ts";
import { addNode, codeOf, turns, workshop } from "./support/workshop.ts";

const ALWAYS = (): boolean => true;

describe("outlines that are not open", () => {
  test.each([1, 2, 3])(
    "[P83] the log alone tells of each id what the opened outline has (seed %i)",
    async (seed) => {
      const random = seededRandom(seed);
      const shop = workshop({ minCompactionBytes: 4_000 }, seed);
      const author: Author = { keyId: "key", session: {}, writesAnew: false };
      const docs = [outlineDoc(100_001), outlineDoc(100_002), outlineDoc(100_003)];
      for (let round = 0; round < 12; round++) {
        const { document, release } = await shop.documents.open(shop.id);
        for (let edits = 0; edits < 12; edits++) {
          const doc = docs[integerBelow(random, docs.length)];
          if (doc === undefined) continue;
          Y.applyUpdate(doc, document.diff(Y.encodeStateVector(doc)));
          const receipt = await document.receive(
            updateOf(doc, () => editAtRandom(doc, random)),
            author,
          );
          if (receipt.kind === "applied") await receipt.durable;
        }
        await addNode(document, `round ${round}`);
        await turns(50);
        const clocks = Y.decodeStateVector(document.stateVector());
        const { head } = document;
        release();
        expect(shop.documents.unopened(shop.id, ALWAYS)).toBe(undefined);
        shop.documents.evictAll("restored");
        await turns();
        const unopened = await shop.documents.unopened(shop.id, ALWAYS);
        expect([unopened?.head, unopened?.epoch]).toEqual([head, document.epoch]);
        expect(clocks.size).toBeGreaterThan(1);
        for (const [client, clock] of [...clocks, [99, 0] as const]) {
          const standing = await unopened?.standing(client, ALWAYS);
          expect([client, standing?.clock, standing?.head]).toEqual([client, clock, head]);
        }
      }
      expect(shop.happened).toContain("compaction");
      expect(shop.documents.stats().open).toBe(0);
    },
  );

  test("[P83] what is long behind the snapshot is not looked through: the outline says it", async () => {
    const shop = workshop();
    const long = outlineDoc(100_001);
    long.getMap("nodes").set("aaaaaaaaaaaa", new Y.Text("x".repeat(40_000)));
    await shop.store.log.append(shop.id, { updates: [Y.encodeStateAsUpdate(long)] });
    const unopened = await shop.documents.unopened(shop.id, ALWAYS);
    expect(await unopened?.standing(100_001, ALWAYS)).toBe(undefined);
    expect(await unopened?.since(0, ALWAYS)).toHaveLength(1);
  });

  test("[P83, P38] a removed outline, and a service that stops, answer nothing from the log", async () => {
    const shop = workshop();
    await shop.documents.use(shop.id, (document) => addNode(document, "gone"));
    shop.documents.evictAll("restored");
    await turns();
    const unopened = await shop.documents.unopened(shop.id, ALWAYS);
    await shop.documents.drop(shop.id);
    const asked = [
      () => shop.documents.unopened(shop.id, ALWAYS),
      () => unopened?.since(0, ALWAYS),
      () => unopened?.standing(1, ALWAYS),
    ];
    for (const ask of asked) {
      expect(await (async () => ask())().catch(codeOf)).toBe("unavailable");
    }
    await shop.documents.close();
    expect(await shop.documents.unopened(shop.id, ALWAYS)?.catch(codeOf)).toBe("unavailable");
  });
});

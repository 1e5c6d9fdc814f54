import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import type { Author } from "../../src/documents/replica/author.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import type { UnopenedOutline } from "../../src/documents/log/unopened-outline.ts";
import { catchUp } from "./support/catch-up.ts";
import { editAtRandom, outlineDoc, shownBy, updateOf } from "./support/random-edits.ts";
import { addNode, codeOf, turns, workshop } from "./support/workshop.ts";

const ALWAYS = (): boolean => true;

/** A document of what the log alone tells: the snapshot, and what is behind it. */
async function toldBy(unopened: UnopenedOutline | undefined): Promise<Y.Doc> {
  if (unopened === undefined) throw new Error("it is open");
  const doc = outlineDoc(0);
  const { epoch, snapshot } = await unopened.extent(ALWAYS);
  for (let index = 0; index < (snapshot?.chunks ?? 0); index++) {
    const chunk = await unopened.chunk({ epoch, seq: snapshot?.seq ?? 0, index }, ALWAYS);
    Y.applyUpdate(doc, chunk ?? new Uint8Array());
  }
  const behind = await unopened.since(snapshot?.seq ?? 0, ALWAYS);
  for (const update of behind ?? []) Y.applyUpdate(doc, update);
  return doc;
}

describe("outlines that are not open", () => {
  test.each([1, 2, 3])(
    "[P130] the log alone tells what the opened outline has (seed %i)",
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
          catchUp(doc, document);
          const receipt = await document.receive(
            updateOf(doc, () => editAtRandom(doc, random)),
            author,
          );
          if (receipt.kind === "applied") await receipt.durable;
        }
        await addNode(document, `round ${round}`);
        await turns(50);
        const state = Y.encodeStateVector(document.outline.doc);
        const shown = shownBy(document.outline.doc);
        const { head } = document;
        release();
        expect(shop.documents.unopened(shop.id, ALWAYS)).toBe(undefined);
        shop.documents.evictAll("restored");
        await turns();
        const unopened = await shop.documents.unopened(shop.id, ALWAYS);
        expect([unopened?.head, unopened?.epoch]).toEqual([head, document.epoch]);
        const told = await toldBy(unopened);
        expect(Y.encodeStateVector(told)).toEqual(state);
        expect(shownBy(told)).toEqual(shown);
      }
      expect(shop.happened).toContain("compaction");
      expect(shop.documents.stats().open).toBe(0);
    },
  );

  test("[P130] what the log tells is never older than what was durable when it was asked", async () => {
    const shop = workshop({ idleMs: 0, sweepMs: 50 });
    const { document, release } = await shop.documents.open(shop.id);
    await addNode(document, "one");
    const { log } = shop.store;
    const extentOf = log.extent.bind(log);
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    log.extent = async (outline) => {
      log.extent = extentOf;
      const extent = await extentOf(outline);
      await answered;
      return extent;
    };
    const asked = document.extent(ALWAYS);
    await turns();
    await addNode(document, "two");
    const { head } = document;
    release();
    await shop.clock.advance(200);
    expect(shop.documents.stats().open).toBe(0);
    const unopened = shop.documents.unopened(shop.id, ALWAYS);
    await turns();
    answer();
    expect((await asked).head).toBe(head - 1);
    expect((await unopened)?.head).toBe(head);
  });

  test("[P130, P38] a removed outline, and a service that stops, answer nothing from the log", async () => {
    const shop = workshop();
    await shop.documents.use(shop.id, (document) => addNode(document, "gone"));
    shop.documents.evictAll("restored");
    await turns();
    const unopened = await shop.documents.unopened(shop.id, ALWAYS);
    await shop.documents.drop(shop.id);
    const asked = [
      () => shop.documents.unopened(shop.id, ALWAYS),
      () => unopened?.since(0, ALWAYS),
    ];
    for (const ask of asked) {
      expect(await (async () => ask())().catch(codeOf)).toBe("unavailable");
    }
    await shop.documents.close();
    expect(await shop.documents.unopened(shop.id, ALWAYS)?.catch(codeOf)).toBe("unavailable");
  });
});

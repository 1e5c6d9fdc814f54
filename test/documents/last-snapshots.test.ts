import { describe, expect, test } from "vitest";
import { newOutlineId, ROOT, type OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import type { DocumentLimits } from "../../src/documents/document-limits.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { outlineDoc } from "./support/random-edits.ts";
import { turns, workshop, type Workshop } from "./support/workshop.ts";

/** No snapshot is due while an outline is in use. */
const LAST_ONLY = {
  minCompactionBytes: 1e9,
  longTailMs: 1e9,
  unloadTailMs: 10,
  idleMs: 60_000,
  sweepMs: 10_000,
};
/** Letters that make opening take longer by more than `LAST_ONLY` says, and by less. */
const LONG = 1_500;
const SHORT = 500;

/** A line that is typed letter by letter, and the line itself first. */
const TYPED = typed(3 * LONG);

function typed(letters: number): readonly Uint8Array[] {
  const doc = outlineDoc(901);
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  const random = seededRandom(4);
  const outline = Outline.attach(doc, { id: newOutlineId(random), now: () => 0, random });
  const line = outline.createPlain({ parent: ROOT, name: [] });
  for (let count = 0; count < letters; count++) {
    outline.editText(line, "name", (text) => text.insert(text.length, "x"));
  }
  return updates;
}

/** What is behind it in the log is typed now, and the outline is in memory. */
async function type({ documents, store }: Workshop, id: OutlineId, to: number): Promise<void> {
  const { head } = await store.log.extent(id);
  await store.log.append(id, { updates: TYPED.slice(head, to) });
  await documents.use(id, () => undefined);
}

/** How many letters others find, who were not there before. */
async function lettersIn({ again }: Workshop, id: OutlineId): Promise<number> {
  const documents = again();
  const letters = await documents.use(id, (document) =>
    document.read((outline) => outline.children(ROOT)[0]?.name.length ?? 0),
  );
  await documents.close();
  return letters;
}

describe("an outline that is let go", () => {
  /** @returns how many snapshots were written for it */
  async function letGo(shop: Workshop, to: number): Promise<number> {
    const before = shop.log.snapshots.length;
    await type(shop, shop.id, to);
    await shop.clock.leap(100_000, 1_000);
    expect(shop.documents.stats().open).toBe(0);
    return shop.log.snapshots.length - before;
  }

  test("[P123] has a snapshot written first, when opening it then takes noticeably less", async () => {
    const shop = workshop(LAST_ONLY);
    expect(await letGo(shop, SHORT)).toBe(0);
    expect(await letGo(shop, LONG)).toBe(1);
    const { snapshot, updates } = await shop.store.log.load(shop.id);
    expect(snapshot?.seq).toBeGreaterThanOrEqual(LONG);
    expect(updates).toEqual([]);
    expect(await lettersIn(shop, shop.id)).toBeGreaterThan(LONG - 10);
  });

  test("[P123, P73] has none that is not paid for", async () => {
    const shop = workshop({ ...LAST_ONLY, unloadTailMs: 0 });
    expect(await letGo(shop, LONG)).toBe(1);
    const { head, snapshot } = await shop.store.log.load(shop.id);
    const bytes = snapshot?.chunks.reduce((sum, { byteLength }) => sum + byteLength, 0) ?? 0;
    expect(bytes).toBeGreaterThan(1_024);
    expect(await letGo(shop, head + 1)).toBe(0);
    expect(await letGo(shop, 2 * LONG)).toBe(1);
  });

  test("[P123] goes at once where its memory is needed", async () => {
    const shop = workshop({ ...LAST_ONLY, memoryBytes: 1 });
    await type(shop, shop.id, LONG);
    await shop.clock.advance(10);
    await type(shop, newOutlineId(seededRandom(2)), 1);
    await turns();
    expect(shop.happened.filter((event) => event === "evict memory")).toHaveLength(1);
    expect(shop.log.snapshots).toHaveLength(0);
  });

  test("[P123, P74] goes without one that can't be written", async () => {
    const shop = workshop(LAST_ONLY);
    shop.log.saveSnapshot = () => Promise.reject(new Error("a defect"));
    expect(await letGo(shop, LONG)).toBe(0);
    expect(shop.happened).toContain("defect Error: a defect");
    expect(await lettersIn(shop, shop.id)).toBeGreaterThan(LONG - 10);
  });
});

describe("a stop", () => {
  /** Outlines of so many letters each, all in memory. */
  async function opened(
    counts: readonly number[],
    limits: Partial<DocumentLimits> = {},
  ): Promise<{ readonly shop: Workshop; readonly ids: readonly OutlineId[] }> {
    const shop = workshop({ ...LAST_ONLY, ...limits });
    const random = seededRandom(3);
    const ids = counts.map(() => newOutlineId(random));
    for (const [index, id] of ids.entries()) await type(shop, id, counts[index] ?? 0);
    return { shop, ids };
  }

  async function snapshotsOf(
    { store }: Workshop,
    ids: readonly OutlineId[],
  ): Promise<readonly boolean[]> {
    const loaded = await Promise.all(ids.map((id) => store.log.load(id)));
    return loaded.map(({ snapshot }) => snapshot !== undefined);
  }

  test("[P123] has snapshots written where they spare more than they take", async () => {
    const { shop, ids } = await opened([LONG, SHORT, LONG, LONG]);
    const [first, , , last] = ids;
    if (first === undefined || last === undefined) throw new Error("there are four");
    // What is large takes as long to write as many letters take to open.
    await shop.documents.use(last, (document) =>
      document.write((outline) => outline.create({ parent: ROOT, name: "y".repeat(500_000) })),
    );
    await shop.documents.close();
    expect(await snapshotsOf(shop, ids)).toEqual([true, false, true, false]);
    expect(await lettersIn(shop, first)).toBeGreaterThan(LONG - 10);
  });

  test("[P123] is held up for a bounded time, in which those are written that spare most", async () => {
    const counts = [LONG, 3 * LONG, 2 * LONG];
    const { shop, ids } = await opened(counts, { stopSnapshotsMs: 1_000 });
    const { log, clock } = shop;
    const save = log.saveSnapshot.bind(log);
    log.saveSnapshot = async (...given) => {
      await clock.leap(600, 600);
      return save(...given);
    };
    await shop.documents.close();
    expect(await snapshotsOf(shop, ids)).toEqual([false, true, true]);
    for (const [index, id] of ids.entries()) {
      expect(await lettersIn(shop, id)).toBeGreaterThan((counts[index] ?? 0) - 10);
    }
  });

  test("[P123, P60] that is killed meanwhile has lost nothing", async () => {
    const { shop, ids } = await opened([LONG, 2 * LONG]);
    let isWriting = false;
    shop.log.saveSnapshot = () => {
      isWriting = true;
      return new Promise(() => undefined);
    };
    void shop.documents.close();
    await turns(100);
    expect(isWriting).toBe(true);
    const letters = [];
    for (const id of ids) letters.push(await lettersIn(shop, id));
    expect(letters[0]).toBeGreaterThan(LONG - 10);
    expect(letters[1]).toBeGreaterThan(2 * LONG - 10);
  });
});

import { expect, test } from "vitest";
import { newOutlineId, ROOT, type OutlineId } from "../../src/core/node-key.ts";
import type { DocumentLimits } from "../../src/documents/document-limits.ts";
import type { Documents } from "../../src/documents/documents.ts";
import { MemoryBudget } from "../../src/documents/memory/memory-budget.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { addNode, codeOf, stateOf, turns, type Workshop, workshop } from "./support/workshop.ts";

const MIB = 2 ** 20;

/** 8 MiB for all, of which large ones may have 7; small ones have 512 KiB at most. */
const LIMITS: Partial<DocumentLimits> = {
  maxMemoryBytes: 8 * MIB,
  maxLargeBytes: 7 * MIB,
  smallOutlineBytes: MIB / 2,
  memoryWaitMs: 5_000,
  minCompactionBytes: 100_000,
};

function ids(count: number): readonly OutlineId[] {
  const random = seededRandom(9);
  return Array.from({ length: count }, () => newOutlineId(random));
}

/** Stores an outline of about so many bytes of memory, and waits for its snapshot. */
async function store(documents: Documents, id: OutlineId, bytes: number): Promise<void> {
  const { document, release } = await documents.open(id);
  const name = "x".repeat(100_000);
  while (document.outline.quota.bytes < bytes) await addNode(document, name);
  await turns(50);
  release();
}

/** A shop with stored outlines of about these bytes, and documents that know nothing of them yet. */
async function shopWith(
  sizes: readonly number[],
  limits = LIMITS,
): Promise<{ shop: Workshop; documents: Documents; outlines: readonly OutlineId[] }> {
  const shop = workshop({ minCompactionBytes: 100_000 });
  const outlines = ids(sizes.length);
  for (const [index, id] of outlines.entries()) await store(shop.again(), id, sizes[index] ?? 0);
  return { shop, documents: shop.again(limits), outlines };
}

function budgetOf(clock = new ManualClock(), letGo: (bytes: number) => void = () => undefined) {
  const small = { maxLargeBytes: 80, smallOutlineBytes: 5, memoryWaitMs: 50 };
  const limits = { memoryBytes: 90, maxMemoryBytes: 100, ...small };
  return new MemoryBudget({ limits, timers: clock, letGo });
}

test("[Q64] what fits is given, and large ones leave some to small ones", () => {
  const budget = budgetOf();
  const [one, other, small] = [budget.open(), budget.open(), budget.open()];
  expect([one.grow(60), other.grow(21), other.grow(20), other.grow(21)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([small.grow(5), budget.bytes]).toEqual([true, 85]);
  one.end();
  expect([other.grow(80), budget.bytes]).toEqual([true, 85]);
});

test("[Q64] who does not fit waits for others to go, then is refused; unused ones go first", async () => {
  const clock = new ManualClock();
  const unused: { end(): void }[] = [];
  const budget = budgetOf(clock, () => unused.pop()?.end());
  const [first, second, third] = [budget.open(), budget.open(), budget.open()];
  first.set(70);
  unused.push(first);
  expect(await stateOf(budget.wait(second, 70))).toBe("resolved");
  const waiting = budget.wait(third, 70);
  expect(await stateOf(waiting)).toBe("pending");
  second.end();
  expect(await stateOf(waiting)).toBe("resolved");
  const refused = budget.wait(budget.open(), 70);
  await Promise.all([
    clock.advance(60),
    expect(refused).rejects.toMatchObject({ code: "unavailable" }),
  ]);
});

test("[Q64] an outline that is in use counts: the next waits, unused ones are let go, small ones open", async () => {
  const { shop, documents, outlines } = await shopWith([3 * MIB, 3 * MIB, 3 * MIB, 1_000]);
  const [first, second, third, small] = outlines;
  if (!first || !second || !third || !small) throw new Error("no outlines");
  const one = await documents.open(first);
  const two = await documents.open(second);
  const opening = documents.open(third);
  opening.catch(() => undefined);
  expect(await stateOf(opening)).toBe("pending");
  await documents.use(small, (document) => addNode(document, "there is room"));
  one.release();
  await documents.use(small, (document) => addNode(document, "still"));
  const retried = documents.open(third);
  expect(await stateOf(retried)).toBe("resolved");
  expect(documents.stats().bytes).toBeLessThan(8 * MIB);
  two.release();
  const refused = Promise.all([documents.open(first), documents.open(second)]).catch(codeOf);
  await shop.clock.advance(6_000);
  expect(await refused).toBe("unavailable");
});

test("[Q64] outlines that are in use can't grow beyond the memory together", async () => {
  const { documents, outlines } = await shopWith([1_000, 1_000, 1_000]);
  const opened = await Promise.all(outlines.map((id) => documents.open(id)));
  const outcomes: string[] = [];
  for (let round = 0; round < 60; round++) {
    for (const { document } of opened) {
      const name = "x".repeat(50_000);
      const { kind, ...more } = await document.write((outline) =>
        outline.create({ parent: ROOT, name }),
      );
      outcomes.push("quota" in more ? `${kind} ${more.quota}` : kind);
    }
  }
  expect([...new Set(outcomes)]).toEqual(["created", "outline_full memory"]);
  expect(documents.stats().bytes).toBeLessThan(8 * MIB);
});

test("[Q64] one that could never fit is refused by name, and read once at most", async () => {
  const { shop, outlines } = await shopWith([9 * MIB, 1_000]);
  const [large, small] = outlines;
  if (!large || !small) throw new Error("no outlines");
  const documents = shop.againFaulty(LIMITS);
  const loads = shop.log.loads;
  const refusals = await Promise.all(
    Array.from({ length: 20 }, () => documents.open(large).catch((error: unknown) => error)),
  );
  for (const error of refusals) {
    expect(error).toMatchObject({ code: "outline_too_large", outline: large });
  }
  // Whatever came since the last note was read once for all of them.
  expect(shop.log.loads - loads).toBeLessThanOrEqual(1);
  expect(await documents.open(large).catch(codeOf)).toBe("outline_too_large");
  expect(shop.log.loads - loads).toBeLessThanOrEqual(1);
  await documents.use(small, (document) => addNode(document, "served"));
  let bytes = 0;
  for await (const update of documents.stored(large)) bytes += update.byteLength;
  expect(bytes).toBeGreaterThan(4 * MIB);
});

test("[Q64] one of which nothing is noted is given up while it is loaded, and not tried again", async () => {
  const { shop, outlines } = await shopWith([9 * MIB, 9 * MIB, 1_000]);
  const [large, tailOnly, small] = outlines;
  if (!large || !tailOnly || !small) throw new Error("no outlines");
  const disk = shop.disk.outlines;
  const [first, second] = [disk.get(large), disk.get(tailOnly)];
  if (first?.snapshot === undefined || second === undefined) throw new Error("no snapshot");
  const { memoryBytes: _noted, ...before } = first.snapshot;
  first.snapshot = before;
  // As after a crash in the middle of everything: all of it in the log, and no snapshot.
  const whole = [...(second.snapshot?.chunks ?? []), ...second.updates];
  second.snapshot = undefined;
  second.updates = whole;
  second.head = whole.length;

  const documents = shop.againFaulty(LIMITS);
  const loads = shop.log.loads;
  for (let attempt = 0; attempt < 3; attempt++) {
    for (const id of [large, tailOnly]) {
      expect(await documents.open(id).catch(codeOf)).toBe("outline_too_large");
    }
  }
  // The second was taken for a small one at first.
  expect(shop.log.loads - loads).toBe(3);
  expect(documents.stats()).toMatchObject({ open: 0, bytes: 0 });
  await documents.use(small, (document) => addNode(document, "served"));
});

test("[Q64] many that are too large and come at once leave others served", async () => {
  const { shop, outlines } = await shopWith([9 * MIB, 1_000]);
  const [large, small] = outlines;
  if (!large || !small) throw new Error("no outlines");
  const stored = shop.disk.outlines.get(large);
  if (stored?.snapshot === undefined) throw new Error("no snapshot");
  const { memoryBytes: _noted, ...snapshot } = stored.snapshot;
  const many = ids(102).slice(2);
  for (const id of many) shop.disk.outlines.set(id, { ...stored, snapshot });
  const documents = shop.again(LIMITS);
  let most = 0;
  const refusals = Promise.all(many.map((id) => documents.open(id).catch(codeOf)));
  for (let round = 0; round < 20; round++) {
    await documents.use(small, (document) => addNode(document, `round ${round}`));
    most = Math.max(most, documents.stats().bytes);
  }
  expect([...new Set(await refusals)]).toEqual(["outline_too_large"]);
  expect(most).toBeLessThan(8 * MIB);
});

import { expect, test } from "vitest";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { KeptReceipts } from "../../src/documents/replica/kept-receipts.ts";
import { joinedTail } from "../../src/documents/replica/kept-tail.ts";
import { KeptTails } from "../../src/documents/kept-tails.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import type { Receipt } from "../../src/documents/replica/received-updates.ts";
import type { StoredReads } from "../../src/documents/log/stored-reads.ts";
import { slowWatchdog } from "../support/slow-watchdog.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import type { Workshop } from "./support/workshop.ts";
import { addNode, durableNames, namesIn, turns, workshop } from "./support/workshop.ts";

const TAKEN_OVER = "another process may serve it";

/** What the store has is that of some appends ago, and a history of its own from now on. */
function failOver({ disk, store, id }: Workshop, lost: number): void {
  const stored = disk.outlines.get(id);
  if (stored === undefined) throw new Error("nothing is stored");
  if (lost > 0) stored.updates = stored.updates.slice(0, -lost);
  stored.head -= lost;
  store.startEpoch("of the standby");
}

/** Some names, of which the outline's log has one for each update behind the first. */
async function written(shop: Workshop, names: readonly string[]): Promise<void> {
  const { document, release } = await shop.documents.open(shop.id);
  for (const name of names) await addNode(document, name);
  release();
}

test("[P106] what a store has confirmed and lost is handed in by the process that has it", async () => {
  const shop = workshop();
  await written(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  failOver(shop, 2);
  // The control: without it they are lost.
  expect(await durableNames(shop)).toEqual(["a"]);
  const brought: string[] = [];
  await shop.documents.bringBack(async (id) => void brought.push(id));
  expect(brought).toEqual([shop.id]);
  expect(await durableNames(shop)).toEqual(["a", "b", "c"]);
  expect(shop.happened).toContain("handed in 2, refused 0");
  await shop.documents.bringBack(async () => expect.fail("nothing is kept any more"));
});

/** Adds a node once for each id, however often it is asked for. */
async function addOnce(shop: Workshop, ids: readonly string[]): Promise<void> {
  const { document, release } = await shop.documents.open(shop.id);
  for (const id of ids) {
    if ((await document.receipt(id)) !== undefined) continue;
    await document.write((outline, receipts) => {
      outline.createPlain({ parent: ROOT, position: "bottom", name: [{ insert: id }] });
      receipts.keep(id, Buffer.from(`done ${id}`));
    });
  }
  release();
}

test("[P106, U60] what is asked for again after it was handed in is not done twice", async () => {
  const shop = workshop();
  await addOnce(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  // Another replica, which lacks nothing and has answered nothing, does not take their place.
  await written(shop, ["x"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  failOver(shop, 3);
  shop.disk.outlines.get(shop.id)?.receipts.clear();
  await addOnce(shop, ["a"]);
  await addOnce(shop, ["b", "c", "d"]);
  expect(await durableNames(shop)).toEqual(["a", "b", "c", "d", "x"]);
  await shop.documents.use(shop.id, async (document) => {
    expect(Buffer.from((await document.receipt("b")) ?? []).toString()).toBe("done b");
  });
});

test.each([
  ["taken", { kind: "applied", durable: Promise.resolve(1) } as const, ["a"]],
  ["refused", { kind: "refused", refusal: undefined } as const, []],
])(
  "[P106, U60] of an update that is %s when it is handed in the answers are kept accordingly",
  async (_, judged, all) => {
    const id = newOutlineId(Math.random);
    const tails = new KeptTails({ reads: {} as StoredReads, events: {}, timers: workshop().clock });
    const receipt = { id: "a", at: 0, bytes: 1, answer: new Uint8Array(1), seq: 1 };
    const update = new Uint8Array(2);
    tails.keep(id, { epoch: "one", head: 1, updates: [update], receipts: [receipt] }, false);
    const kept: string[] = [];
    const keeper = { isReady: true, keep: (name: string) => void kept.push(name) };
    const document: Partial<OutlineDocument> = {
      id,
      epoch: "two",
      // Nothing else is looked at here.
      receive: async () => judged as unknown as Receipt,
      receipt: async () => undefined,
      write: async (fn) => fn({} as Outline, keeper),
    };
    await tails.handIn(document as OutlineDocument);
    expect(kept).toEqual(all);
  },
);

test("[Q93] of very many answers those that were kept last are handed in", () => {
  const kept = new KeptReceipts();
  let most = 0;
  for (let seq = 1; seq <= 100; seq++) {
    const answer = new Uint8Array(100_000);
    kept.add([{ id: String(seq), at: 0, bytes: answer.byteLength, answer, seq }]);
    most = Math.max(most, kept.behind(0).length);
  }
  expect([most, kept.behind(0).at(-1)?.seq]).toEqual([20, 100]);
  expect(kept.bytes).toBe(kept.behind(0).length * 100_300);
});

test("[P106, Q41] what is lacking waits until its outline is judged again, which took too long before", async () => {
  const { watchdog, workLasts, pass } = slowWatchdog();
  const shop = workshop({}, 1, () => 0, watchdog);
  await written(shop, ["a", "b", "c"]);
  const { document, release } = await shop.documents.open(shop.id);
  workLasts(1_500);
  await document.receive(fullUpdate(outlineDoc(900)), { keyId: "ann", session: {} });
  workLasts(0);
  release();
  await turns();
  shop.documents.evictAll(TAKEN_OVER, false);
  failOver(shop, 3);
  await expect(shop.documents.open(shop.id)).rejects.toMatchObject({ code: "unavailable" });
  pass(60_000);
  await written(shop, ["d"]);
  expect(await durableNames(shop)).toEqual(expect.arrayContaining(["a", "b", "c", "d"]));
});

test("[P106] what another process can't let go of yet is handed in later", async () => {
  const shop = workshop();
  await written(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  failOver(shop, 2);
  let tries = 0;
  const brought = shop.documents.bringBack(async () => {
    tries += 1;
    if (tries < 3) throw new Error("its owner does not answer");
  });
  await shop.clock.leap(10_000, 1_000);
  await brought;
  expect(tries).toBe(3);
  expect(await durableNames(shop)).toEqual(["a", "b", "c"]);
});

test("[P106] what another process has written in the new history stays beside it", async () => {
  const shop = workshop();
  await written(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  failOver(shop, 2);
  const other = shop.again();
  for (const name of ["x", "y", "z"]) {
    await other.use(shop.id, (document) => addNode(document, name));
  }
  await other.close();
  await shop.documents.bringBack(async () => undefined);
  expect(await durableNames(shop)).toEqual(["a", "b", "c", "x", "y", "z"]);
});

test("[P106] where nothing is lost nothing is opened, and in the same history nothing is looked for", async () => {
  for (const isNew of [true, false]) {
    const shop = workshop();
    await written(shop, ["a", "b"]);
    shop.documents.evictAll(TAKEN_OVER, false);
    if (isNew) failOver(shop, 0);
    await shop.documents.bringBack(async () => expect.fail("nothing is missing"));
    expect(shop.happened).toEqual(["load", "evict lost"]);
  }
});

test("[P106] whoever opens the outline first finds it there, also when the store has failed before", async () => {
  const shop = workshop();
  await written(shop, ["a", "b"]);
  const { document } = await shop.documents.open(shop.id);
  shop.log.fault = "fail";
  await expect(addNode(document, "not acknowledged")).rejects.toMatchObject({
    code: "unavailable",
  });
  failOver(shop, 1);
  shop.log.recover();
  await shop.clock.advance(1000);
  const again = await shop.documents.open(shop.id);
  expect(await again.document.read(namesIn)).toEqual(["a", "b"]);
});

test("[P106] what a backup that was put back lacks is not handed in", async () => {
  const shop = workshop();
  await written(shop, ["a", "b"]);
  failOver(shop, 1);
  shop.documents.evictAll("a backup was restored");
  await shop.documents.bringBack(async () => expect.fail("nothing is kept"));
  expect(await shop.documents.use(shop.id, (document) => document.read(namesIn))).toEqual(["a"]);
});

test("[Q93] of very many outlines those that were kept last are handed in", () => {
  const reads = {} as StoredReads;
  const tails = new KeptTails({ reads, events: {}, timers: workshop().clock });
  const mebibyte = new Uint8Array(2 ** 20);
  const outlines = Array.from({ length: 50 }, () => newOutlineId(Math.random));
  for (const outline of outlines) {
    tails.keep(outline, { epoch: "one", head: 1, updates: [mebibyte], receipts: [] }, false);
  }
  expect(new Set(tails.outlines)).toEqual(new Set(outlines.slice(-31)));
});

test("[P106] what is read under the name of a history that is over ends nothing that is kept", async () => {
  const shop = workshop();
  await written(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  // The standby, of which nobody has begun the history yet.
  const { epoch } = await shop.store.log.extent(shop.id);
  failOver(shop, 2);
  shop.store.startEpoch(epoch);
  await written(shop, []);
  shop.documents.evictAll(TAKEN_OVER, false);
  shop.store.startEpoch("of the standby");
  await shop.documents.bringBack(async () => undefined);
  expect(await durableNames(shop)).toEqual(["a", "b", "c"]);
});

test("[P106] what the log has when a process comes back is kept, since its history may end then", async () => {
  const shop = workshop();
  await written(shop, ["a", "b", "c"]);
  shop.documents.evictAll(TAKEN_OVER, false);
  await shop.documents.bringBack(async () => expect.fail("nothing is lacking"));
  failOver(shop, 2);
  await shop.documents.bringBack(async () => undefined);
  expect(await durableNames(shop)).toEqual(["a", "b", "c"]);
});

const updates = (...texts: readonly string[]): Uint8Array[] =>
  texts.map((text) => new TextEncoder().encode(text));

test.each([
  {
    what: "goes on where the first ended",
    other: { head: 4, updates: updates("4") },
    all: "1 2 3 4",
  },
  { what: "has some of the same", other: { head: 4, updates: updates("3", "4") }, all: "1 2 3 4" },
  { what: "has nothing", other: { head: 3, updates: [] }, all: "1 2 3" },
  { what: "is older", other: { head: 2, updates: updates("1", "2") }, all: "1 2 3" },
  {
    what: "begins before",
    other: { head: 4, updates: updates("0", "1", "2", "3", "4") },
    all: "0 1 2 3 4",
  },
  {
    what: "begins behind what another process wrote",
    other: { head: 7, updates: updates("7") },
    all: "1 2 3 7",
  },
])(
  "[P106] of two replicas of a history all is kept, where the other one $what",
  ({ other, all }) => {
    const tail = { epoch: "one", head: 3, updates: updates("1", "2", "3"), receipts: [] };
    for (const joined of [
      joinedTail(tail, { epoch: "one", receipts: [], ...other }),
      joinedTail({ epoch: "one", receipts: [], ...other }, tail),
    ]) {
      expect(joined.updates.map((each) => new TextDecoder().decode(each)).join(" ")).toBe(all);
      expect(joined.head).toBe(Math.max(3, other.head));
    }
  },
);

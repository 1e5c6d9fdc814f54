import { expect, test } from "vitest";
import { newOutlineId } from "../../src/core/node-key.ts";
import { joinedTail } from "../../src/documents/kept-tail.ts";
import { KeptTails } from "../../src/documents/kept-tails.ts";
import type { StoredReads } from "../../src/documents/stored-reads.ts";
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
    tails.keep(outline, { epoch: "one", head: 1, updates: [mebibyte] }, false);
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
    const tail = { epoch: "one", head: 3, updates: updates("1", "2", "3") };
    for (const joined of [
      joinedTail(tail, { epoch: "one", ...other }),
      joinedTail({ epoch: "one", ...other }, tail),
    ]) {
      expect(joined.updates.map((each) => new TextDecoder().decode(each)).join(" ")).toBe(all);
      expect(joined.head).toBe(Math.max(3, other.head));
    }
  },
);

import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { payingOutline } from "../../src/charges/payer.ts";
import { type LongTurn, Watchdog } from "../../src/charges/watchdog.ts";
import { newOutlineId, ROOT } from "../../src/core/node-key.ts";
import { marksOf } from "../../src/core/schema.ts";
import { Documents } from "../../src/documents/documents.ts";
import { Turns } from "../../src/documents/turns/turns.ts";
import { MemoryStore } from "../support/memory-store/memory-store.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { catchUp } from "./support/catch-up.ts";
import { ManualClock } from "./support/manual-clock.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { addNode, codeOf, Follower, namesIn, turns } from "./support/workshop.ts";

/** Documents whose clock a write can move on by seconds, as if it had taken so long. */
function watched() {
  const random = seededRandom(1);
  const store = new MemoryStore();
  let time = 0;
  const elapsed = (): number => time;
  const long: LongTurn[] = [];
  const watchdog = new Watchdog({
    elapsed,
    busy: elapsed,
    collecting: () => 0,
    settle: () => yieldNow(),
    onLong: (turn) => long.push(turn),
    onPause: () => undefined,
  });
  const timers = new ManualClock();
  const common = { log: store.log, now: timers.now, random, timers };
  return {
    documents: new Documents({ ...common, turns: new Turns(timers, elapsed, watchdog) }),
    again: () => new Documents(common),
    long,
    id: newOutlineId(random),
    other: newOutlineId(random),
    pass: (ms: number) => (time += ms),
  };
}

const ANN = { keyId: "ann", session: {} };

function edit(client: number): Uint8Array {
  const doc = outlineDoc(client);
  marksOf(doc).push([1_700_000_000]);
  return fullUpdate(doc);
}

test("[Q41] a write that takes long is refused its like for a minute, of that outline alone", async () => {
  const { documents, id, other, long, pass } = watched();
  const { document } = await documents.open(id);
  const slow = document.write((outline) => {
    outline.create({ parent: ROOT, name: "slow" });
    pass(1_500);
  });
  await slow;
  await turns();
  expect(long).toMatchObject([{ payer: payingOutline(id), kind: "write", tookMs: 1_500 }]);
  await expect(addNode(document, "again")).rejects.toMatchObject({
    code: "unavailable",
    retryAfterMs: 60_000,
  });
  expect(await document.read(namesIn)).toEqual(["slow"]);
  await documents.use(other, (document) => addNode(document, "of somebody else"));
  const receipt = await document.receive(edit(900), ANN);
  expect(receipt.kind).toBe("applied");
  pass(60_000);
  await addNode(document, "later");
  expect(await document.read(namesIn)).toEqual(["later", "slow"]);
});

test("[Q41] an update that is refused is not acknowledged, nothing is lost, and followers are told", async () => {
  const shop = watched();
  const { documents, id, long, pass } = shop;
  const { document } = await documents.open(id);
  const follower = new Follower();
  document.subscribe(follower);
  await addNode(document, "before");
  // What keeps the thread is seen by who follows the document, within the transaction.
  const stop = document.outline.onChange(() => pass(2_000));
  const device = outlineDoc(901);
  catchUp(device, document);
  const before = Y.encodeStateVector(device);
  device.getMap<Y.Text>("nodes").forEach((text) => text.insert(0, "x"));
  const update = Y.encodeStateAsUpdate(device, before);
  const first = await document.receive(update, ANN);
  if (first.kind !== "applied") throw new Error(first.kind);
  await first.durable;
  stop();
  await turns();
  expect(long).toMatchObject([{ kind: "update", size: update.byteLength }]);
  const second = await document.receive(edit(902), ANN);
  if (second.kind !== "applied") throw new Error(second.kind);
  expect(codeOf(await second.durable.catch((error: unknown) => error))).toBe("unavailable");
  expect(follower.losses).toEqual(["busy"]);
  const stored = shop.again();
  expect(await stored.use(id, (found) => found.read(namesIn))).toEqual(["xbefore"]);
  pass(60_000);
  const third = await document.receive(edit(902), ANN);
  if (third.kind !== "applied") throw new Error(third.kind);
  expect(await third.durable).toBe(document.head);
});

test("[Q41] an outline that takes long to open is not opened again for a minute", async () => {
  const { documents, again, id, pass, long } = watched();
  await again().use(id, (document) => addNode(document, "a"));
  // Asked whether anybody still waits, between the steps of the load.
  await documents.open(id, () => {
    pass(3_000);
    return true;
  });
  await turns();
  expect(long).toMatchObject([{ kind: "load" }]);
  documents.evictAll("restored");
  await turns();
  await expect(documents.open(id)).rejects.toMatchObject({ code: "unavailable" });
  pass(60_000);
  expect(await documents.use(id, (document) => document.read(namesIn))).toEqual(["a"]);
});

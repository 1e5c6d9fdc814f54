import { expect, test } from "vitest";
import * as Y from "yjs";
import { ROOT, type NodeKey } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { nodesOf } from "../../src/core/schema.ts";
import { DEFAULT_DOCUMENT_LIMITS } from "../../src/documents/document-limits.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import { catchUp } from "./support/catch-up.ts";
import { fullUpdate, outlineDoc, shownBy } from "./support/random-edits.ts";
import { addNode, Follower, namesIn, turns, type Workshop, workshop } from "./support/workshop.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** Looks every ten minutes, unloads nothing. */
const LIMITS = { sweepMs: 10 * 60_000, idleMs: 1_000 * DAY, graceMs: 3 * DAY };
const ANN = { keyId: "ann", session: {} };

function keyNamed(outline: Outline, name: string): NodeKey {
  const found = outline.children(ROOT).find((node) => node.name === name);
  if (found === undefined) throw new Error(`no node is named ${name}`);
  return found.key;
}

function remove(document: OutlineDocument, name: string): Promise<unknown> {
  return document.write((outline) => outline.remove(keyNamed(outline, name)));
}

/** How many nodes the document holds, hidden ones too. */
function held({ outline }: OutlineDocument): number {
  return nodesOf(outline.doc).size;
}

/** Moves the clock in long steps, as whoever waits for days does. */
async function pass({ clock }: Workshop, ms: number): Promise<void> {
  await clock.leap(ms, LIMITS.sweepMs);
}

/** A device that has everything and has written once. */
function device(document: OutlineDocument): Y.Doc {
  const doc = outlineDoc(3_000);
  Y.applyUpdate(doc, fullUpdate(document.outline.doc));
  return doc;
}

test("[P76] what was deleted for good goes soon when no device may know of it, but not in a hurry", async () => {
  const shop = workshop(LIMITS);
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b", "c"]) await addNode(document, name);
  await document.write((outline) => {
    outline.create({ parent: keyNamed(outline, "a"), name: "below" });
    outline.remove(keyNamed(outline, "a"));
    outline.trash(keyNamed(outline, "b"), 0);
  });
  expect(held(document)).toBe(4);
  await shop.clock.advance(1_000);
  expect(held(document)).toBe(4);
  await pass(shop, HOUR);
  expect(held(document)).toBe(2);
  expect(await document.read(namesIn)).toEqual(["c"]);
  expect(shop.happened).toContain("purge 2");
  const restarted = await shop.again().open(shop.id);
  expect(held(restarted.document)).toBe(2);
});

test("[P76] while somebody edits, and soon after it has been done, nothing is purged", async () => {
  const shop = workshop({ ...LIMITS, sweepMs: 1_000, purgeQuietMs: 5_000, purgeEveryMs: HOUR });
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b"]) await addNode(document, name);
  await remove(document, "a");
  for (let second = 0; second < 10; second++) {
    await addNode(document, `edit ${second}`);
    await shop.clock.advance(1_000);
  }
  expect(held(document)).toBe(12);
  await shop.clock.advance(6_000);
  expect(held(document)).toBe(11);
  await remove(document, "b");
  await shop.clock.advance(60_000);
  expect(held(document)).toBe(11);
  await shop.clock.leap(HOUR, 60_000);
  expect(held(document)).toBe(10);
});

test("[P76] what a device may still edit, and the trash, stay for the time of grace", async () => {
  const shop = workshop(LIMITS);
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b", "c"]) await addNode(document, name);
  const phone = device(document);
  phone.getMap("meta").set("weekStart", 0);
  await document.receive(fullUpdate(phone), ANN);
  await remove(document, "a");
  await document.write((outline) => outline.trash(keyNamed(outline, "b"), 0));
  await pass(shop, 2 * DAY);
  expect(held(document)).toBe(3);
  await document.write((outline) => outline.remove(keyNamed(outline, "c")));
  await pass(shop, 1.5 * DAY);
  expect(held(document)).toBe(1);
  await pass(shop, 3 * DAY);
  expect(held(document)).toBe(0);
});

test("[P76] who follows the outline, and the first device that came, count as a device", async () => {
  for (const kind of ["follower", "device"]) {
    const shop = workshop(LIMITS);
    const { document } = await shop.documents.open(shop.id);
    await addNode(document, "a");
    const stop = kind === "follower" ? document.subscribe(new Follower()) : () => undefined;
    if (kind === "device") document.expectDevice(ANN);
    await remove(document, "a");
    await pass(shop, DAY);
    expect(held(document), kind).toBe(1);
    stop();
    await pass(shop, 2 * HOUR);
    expect(held(document), kind).toBe(kind === "follower" ? 0 : 1);
  }
});

test("[P76] with a time of grace of 0 the trash and what devices may know of stay", async () => {
  const shop = workshop({ ...LIMITS, graceMs: 0 });
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b"]) await addNode(document, name);
  await document.write((outline) => outline.trash(keyNamed(outline, "a"), 0));
  await remove(document, "b");
  await pass(shop, 100 * DAY);
  expect(held(document)).toBe(1);
});

test("[P77, D38] the time of grace goes on over restarts, from logs and from snapshots", async () => {
  for (const minCompactionBytes of [1e9, 100]) {
    const shop = workshop({ ...LIMITS, minCompactionBytes });
    const first = await shop.documents.open(shop.id);
    for (const name of ["a", "b", "c"]) await addNode(first.document, name);
    first.document.expectDevice(ANN);
    await remove(first.document, "a");
    await pass(shop, 1.5 * DAY);
    await remove(first.document, "b");
    await turns();
    await shop.documents.close();

    const documents = shop.again();
    const { document } = await documents.open(shop.id);
    expect(held(document)).toBe(3);
    await pass(shop, 2 * DAY);
    expect(held(document)).toBe(2);
    await pass(shop, 3 * DAY);
    expect(held(document)).toBe(1);
    expect(await document.read(namesIn)).toEqual(["c"]);
  }
});

test("[P77] it goes in appends of a chunk each; writes come between, what they restore stays", async () => {
  const shop = workshop(LIMITS);
  const { document } = await shop.documents.open(shop.id);
  await addNode(document, "a");
  const key = keyNamed(document.outline, "a");
  await document.bulk(function* (outline) {
    for (let index = 0; index < 1_000; index++) {
      outline.createPlain({ parent: key, position: "bottom", name: [{ insert: `n${index}` }] });
      yield;
    }
  });
  await document.write((outline) => outline.remove(key));
  shop.log.appends.length = 0;
  const replica = new Y.Doc();
  Y.applyUpdate(replica, fullUpdate(document.outline.doc));
  const follow = (): void => {
    for (const { append } of shop.log.appends.splice(0)) {
      // A write that comes between may share the append of a chunk.
      expect(append.updates.length).toBeLessThanOrEqual(2);
      for (const update of append.updates) Y.applyUpdate(replica, update);
    }
  };
  shop.log.hold();
  await pass(shop, LIMITS.sweepMs);
  await turns(30);
  // The first chunk waits for the disk: nothing more is done until it is there.
  expect(shop.log.appends).toHaveLength(1);
  expect(held(document)).toBe(801);
  shop.log.release();
  await turns(3);
  await addNode(document, "between");
  await turns(100);
  expect(shop.log.appends.length).toBeGreaterThanOrEqual(6);
  expect(held(document)).toBe(1);
  follow();
  expect(shownBy(replica)).toEqual(shownBy(document.outline.doc));
});

test("[P77] a store that fails stops it, and it goes on when the outline is loaded again", async () => {
  const shop = workshop(LIMITS);
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b"]) await addNode(document, name);
  await remove(document, "a");
  shop.log.fault = "fail";
  await pass(shop, HOUR);
  expect(shop.happened.filter((what) => what.startsWith("purge"))).toEqual([]);
  shop.log.recover();
  await pass(shop, HOUR);
  const again = await shop.documents.open(shop.id);
  expect(held(again.document)).toBe(2);
  await pass(shop, HOUR);
  expect(held(again.document)).toBe(1);
  expect(shop.happened.filter((what) => what.startsWith("defect"))).toEqual([]);
});

test("[P77] a device with unsent edits of what is gone is acknowledged, and ends like the others", async () => {
  const shop = workshop(LIMITS);
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b"]) await addNode(document, name);
  const a = keyNamed(document.outline, "a");
  await document.write((outline) => outline.create({ parent: a, name: "below" }));
  const phone = device(document);
  // It has never been heard of, so nobody waits for it.
  await remove(document, "a");
  await pass(shop, HOUR);
  expect(held(document)).toBe(1);

  const text = nodesOf(phone).get(a);
  text?.insert(1, " is edited");
  text?.format(0, 1, { b: true });
  text?.setAttribute("l", "todo");
  nodesOf(phone).get(keyNamed(document.outline, "b"))?.insert(1, " is edited");
  const lacking = Y.encodeStateAsUpdate(phone, document.stateVector());
  const receipt = await document.receive(lacking, ANN);
  expect(receipt.kind).toBe("applied");
  if (receipt.kind === "applied") await receipt.durable;
  catchUp(phone, document);
  expect(shownBy(phone)).toEqual(shownBy(document.outline.doc));
  expect(await document.read(namesIn)).toEqual(["b is edited"]);
  const restarted = await shop.again().open(shop.id);
  expect(shownBy(restarted.document.outline.doc)).toEqual(shownBy(phone));
});

test.each(["small", "large"])(
  "[D91] text for a line that has been removed is kept in the trash: a %s update",
  async (size) => {
    const shop = workshop({ ...LIMITS, ...(size === "large" ? { maxStructsAtOnce: 1 } : {}) });
    const { document } = await shop.documents.open(shop.id);
    for (const name of ["a", "b"]) await addNode(document, name);
    const late = device(document);
    const text = nodesOf(late).get(keyNamed(document.outline, "a"));
    await remove(document, "a");
    await pass(shop, HOUR);
    expect(held(document)).toBe(1);
    late.transact(() => {
      text?.insert(1, " one");
      text?.insert(5, " wrong");
      text?.delete(5, 6);
      text?.insert(0, "Before ");
      const note = new Y.Text();
      text?.setAttribute("o1", note);
      note.insert(0, "a note");
    });
    const receipt = await document.receive(fullUpdate(late), ANN);
    if (receipt.kind !== "applied") throw new Error(receipt.kind);
    await receipt.durable;
    const kept = (): readonly unknown[] =>
      document.outline.trashedKeys().map((key) => nodesOf(document.outline.doc).get(key)?.toJSON());
    expect(kept()).toEqual([" one … Before  … a note"]);
    text?.insert(0, "Well, ");
    const again = await document.receive(fullUpdate(late), ANN);
    if (again.kind !== "applied") throw new Error(again.kind);
    await again.durable;
    expect(kept()).toEqual([" one … Before  … a note … Well, "]);
    // It was said once, and is durable with the update.
    await document.receive(fullUpdate(late), ANN);
    const restarted = await shop.again().open(shop.id);
    expect(restarted.document.outline.trashedKeys()).toHaveLength(1);
    expect(await restarted.document.read(namesIn)).toEqual(["b"]);
  },
);

test("[D91, Q46] text for lines that are gone is not kept where there is no room for it", async () => {
  const shop = workshop({
    ...LIMITS,
    outline: { ...DEFAULT_DOCUMENT_LIMITS.outline, maxNodes: 2 },
  });
  const { document } = await shop.documents.open(shop.id);
  for (const name of ["a", "b"]) await addNode(document, name);
  const late = device(document);
  nodesOf(late).get(keyNamed(document.outline, "a"))?.insert(1, " one");
  await remove(document, "a");
  await document.receive(fullUpdate(late), ANN);
  expect(document.outline.trashedKeys()).toEqual([]);
});

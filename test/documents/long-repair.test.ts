import { setImmediate as yieldNow } from "node:timers/promises";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { newOutlineId, ROOT, type NodeKey } from "../../src/core/node-key.ts";
import { encodePlacement, type Place } from "../../src/core/tree/placement.ts";
import { marksOf, nodesOf } from "../../src/core/schema.ts";
import type { OutlineDocument } from "../../src/documents/replica/outline-document.ts";
import type { Receipt } from "../../src/documents/replica/received-updates.ts";
import { fullUpdate, outlineDoc } from "./support/random-edits.ts";
import { slowClock } from "../support/slow-clock.ts";
import { addNode, namesIn, stateOf, workshop } from "./support/workshop.ts";

const AT = Date.UTC(2026, 10, 20);
const ANN = { keyId: "ann", session: {} };
const BEN = { keyId: "ben", session: {} };
const PAIRS = 500;

function keyNumber(number: number): NodeKey {
  return `a${number.toString(16).padStart(11, "0")}` as NodeKey;
}

function place(doc: Y.Doc, number: number, to: Place, from?: Place): void {
  const nodes = nodesOf(doc);
  const text = nodes.get(keyNumber(number)) ?? new Y.Text();
  if (!nodes.has(keyNumber(number))) nodes.set(keyNumber(number), text);
  const move = from === undefined ? {} : { move: { at: AT + number, from } };
  text.setAttribute("p", encodePlacement({ ...to, createdAt: AT, ...move }));
}

/** Nodes at the top level, and then each pair of them moved below each other. */
function ringUpdates(): readonly [nodes: Uint8Array, moves: Uint8Array] {
  const device = outlineDoc(900);
  const home = { parent: ROOT, order: "V" };
  device.transact(() => {
    for (let number = 0; number < 2 * PAIRS; number++) place(device, number, home);
  });
  const nodes = fullUpdate(device);
  const before = Y.encodeStateVector(device);
  device.transact(() => {
    for (let number = 0; number < 2 * PAIRS; number++) {
      place(device, number, { parent: keyNumber(number ^ 1), order: "V" }, home);
    }
  });
  return [nodes, Y.encodeStateAsUpdate(device, before)];
}

function mark(client: number): Uint8Array {
  const device = outlineDoc(client);
  marksOf(device).push([1_700_000_000]);
  return fullUpdate(device);
}

async function durable(receipt: Promise<Receipt>): Promise<number> {
  const taken = await receipt;
  if (taken.kind !== "applied") throw new Error(taken.kind);
  return taken.durable;
}

function fallenIn(document: OutlineDocument): number {
  return document.outline.tree.fallenRows().size;
}

test("[P47, D25, Q40] a ring of moves is repaired in turns, while others have theirs and nobody sees a part", async () => {
  const { documents, id, log } = workshop({}, 1, slowClock(4));
  const [nodes, moves] = ringUpdates();
  const { document } = await documents.open(id);
  const { document: other } = await documents.open(newOutlineId(Math.random));
  await durable(document.receive(nodes, ANN));
  log.appends.length = 0;
  const sending = { isDone: false };
  const sent = durable(document.receive(moves, ANN)).finally(() => (sending.isDone = true));
  while (fallenIn(document) === 0) await yieldNow();
  const read = document.read(namesIn);
  let othersTurns = 0;
  for (let client = 1_000; !sending.isDone; client++) {
    await durable(other.receive(mark(client), BEN));
    othersTurns++;
  }
  await sent;
  expect(othersTurns).toBeGreaterThan(10);
  // Of each pair one is shown where it was.
  expect((await read).length).toBe(PAIRS);
  expect(fallenIn(document)).toBe(0);
  const own = log.appends.filter(({ outline }) => outline === id);
  expect(own).toHaveLength(1);
  expect(own[0]?.append.updates.length).toBeGreaterThan(5);
});

test("[P47, D47] what is not durable of a long repair is gone with its update, and both come again", async () => {
  const shop = workshop({}, 1, slowClock(4));
  const { documents, id, log, again } = shop;
  const [nodes, moves] = ringUpdates();
  const { document } = await documents.open(id);
  await durable(document.receive(nodes, ANN));
  log.hold();
  const sent = durable(document.receive(moves, ANN));
  expect(await stateOf(sent)).toBe("pending");
  const afterCrash = again();
  const { document: found } = await afterCrash.open(id);
  expect((await found.read(namesIn)).length).toBe(2 * PAIRS);
  await durable(found.receive(moves, ANN));
  expect((await found.read(namesIn)).length).toBe(PAIRS);
  expect(fallenIn(found)).toBe(0);
  log.release();
  await sent.catch(() => undefined);
});

test("[D47, Q40] what an earlier program left unrepaired is repaired in turns when it is opened", async () => {
  const { documents, id, log, store } = workshop({}, 1, slowClock(4));
  const updates = ringUpdates();
  await store.log.append(id, { updates, bindings: [] });
  const { document: other } = await documents.open(newOutlineId(Math.random));
  const opening = { isDone: false };
  const opened = documents
    .use(id, (document) =>
      document.read((outline) => [namesIn(outline).length, fallenIn(document)]),
    )
    .finally(() => (opening.isDone = true));
  let othersTurns = 0;
  for (let client = 1_000; !opening.isDone; client++) {
    await durable(other.receive(mark(client), BEN));
    othersTurns++;
  }
  expect(await opened).toEqual([PAIRS, 0]);
  expect(othersTurns).toBeGreaterThan(10);
  expect(log.appends.filter(({ outline }) => outline === id)).toHaveLength(1);
});

test("[P47, Q40] an update of some bytes that deletes thousands of nodes is applied in turns", async () => {
  const { documents, id, log } = workshop({}, 1, slowClock(4));
  const { document } = await documents.open(id);
  const device = outlineDoc(900);
  const count = 2_000;
  device.transact(() => {
    for (let number = 0; number < count; number++)
      place(device, number, { parent: ROOT, order: "V" });
  });
  await durable(document.receive(fullUpdate(device), ANN));
  log.appends.length = 0;
  const before = Y.encodeStateVector(device);
  device.transact(() => {
    for (const key of nodesOf(device).keys()) nodesOf(device).delete(key);
  });
  const update = Y.encodeStateAsUpdate(device, before);
  expect(update.byteLength).toBeLessThan(20);
  await durable(document.receive(update, ANN));
  expect(await document.read(namesIn)).toEqual([]);
  expect(log.appends).toHaveLength(1);
  expect(log.appends[0]?.append.updates.length).toBeGreaterThan(8);
});

test("[P40, Q40] writes that take long end their transaction with the turn, and reads wait for theirs", async () => {
  const clock = { now: 0 };
  const { documents, id, log } = workshop({}, 1, () => clock.now);
  const { document } = await documents.open(id);
  log.appends.length = 0;
  let inTurn = 0;
  const perTurn: number[] = [];
  const writes = Array.from({ length: 6 }, (_, index) =>
    document.write((outline) => {
      outline.create({ parent: ROOT, name: `${index}` });
      clock.now += 2.5;
      inTurn++;
    }),
  );
  const reading = { isDone: false };
  const read = document.read(namesIn).finally(() => (reading.isDone = true));
  while (!reading.isDone) {
    await yieldNow();
    if (inTurn > 0) perTurn.push(inTurn);
    inTurn = 0;
  }
  await Promise.all(writes);
  // A turn has 4 ms.
  expect(Math.max(...perTurn)).toBe(2);
  expect((await read).length).toBe(6);
  await addNode(document, "later");
});

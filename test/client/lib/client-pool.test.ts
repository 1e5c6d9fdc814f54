import { expect, test } from "vitest";
import * as Y from "yjs";
import { ClientPool } from "../../../client/lib/client-pool.ts";
import type { TabGroup } from "../../../client/lib/tab-group.ts";
import { MemoryTabs } from "../../support/memory-tabs.ts";

function poolOf(doc: Y.Doc, clients: readonly number[], tabs: TabGroup, canRead = true) {
  const taken: number[] = [];
  const pool = new ClientPool(doc, clients, tabs, Math.random, {
    onTaken: () => Promise.resolve(canRead),
    onNew: (client) => taken.push(client),
  });
  return { pool, taken };
}

/** A document that client 5 wrote to, and its three updates. */
function threeUpdates(): readonly Uint8Array[] {
  const doc = new Y.Doc();
  doc.clientID = 5;
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  for (const letter of ["a", "b", "c"]) doc.getText("t").insert(0, letter);
  return updates;
}

test("[L19] nothing is written under an id of which later structs wait for earlier ones", async () => {
  const [first, second, third] = threeUpdates();
  if (first === undefined || second === undefined || third === undefined) throw new Error("three");
  const doc = new Y.Doc();
  Y.applyUpdate(doc, first);
  Y.applyUpdate(doc, third);
  const { pool, taken } = poolOf(doc, [5], new MemoryTabs().open());
  await pool.renew();
  expect(doc.clientID).toBeGreaterThanOrEqual(2 ** 28);
  expect(taken).toEqual([doc.clientID]);
  Y.applyUpdate(doc, second);
  await pool.change([{ client: doc.clientID, isKept: false }]);
  expect(doc.clientID).toBe(5);
  expect(taken).toHaveLength(1);
});

test("[L19, L100] an id that somebody else writes under is left for another one", async () => {
  const doc = new Y.Doc();
  const { pool } = poolOf(doc, [5], new MemoryTabs().open());
  await pool.renew();
  expect(doc.clientID).toBe(5);
  await pool.change([
    { client: 5, isKept: false },
    { client: 6, isKept: true },
  ]);
  expect(doc.clientID).toBe(6);
  expect(pool.clients).toEqual([6]);
});

test("[L19] a tab that can't know what another has left writes under a new id", async () => {
  const doc = new Y.Doc();
  const { pool, taken } = poolOf(doc, [5], new MemoryTabs().open(), false);
  await pool.renew();
  expect(taken).toEqual([doc.clientID]);
  expect(pool.clients).toEqual([5, doc.clientID]);
});

test("[L42] where nobody can hold an id, each tab writes under one of its own that is not kept", async () => {
  const doc = new Y.Doc();
  const alone: TabGroup = { ...new MemoryTabs().open(), hold: () => Promise.resolve(false) };
  const { pool, taken } = poolOf(doc, [5], alone);
  const before = doc.clientID;
  await pool.renew();
  expect([doc.clientID, pool.clients, taken]).toEqual([before, [5], []]);
  expect(before).toBeGreaterThanOrEqual(2 ** 28);
});

test("[L100] it is known under which ids somebody else has written, also of those that no tab has", async () => {
  const doc = new Y.Doc();
  const { pool } = poolOf(doc, [5, 6, 7], new MemoryTabs().open());
  await pool.renew();
  expect(doc.clientID).toBe(5);
  doc.getText("t").insert(0, "own");
  const clocks = pool.clocks();
  const other = new Y.Doc();
  other.clientID = 6;
  other.getText("t").insert(0, "of a copy");
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(other));
  expect(pool.grownSince(clocks)).toEqual([6]);
  expect(pool.grownSince(pool.clocks())).toEqual([]);
});

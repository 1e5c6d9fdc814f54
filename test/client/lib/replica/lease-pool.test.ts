import { expect, test } from "vitest";
import * as Y from "yjs";
import { LeasePool } from "../../../../client/lib/lease-pool.ts";
import { MemoryTabs } from "../../../support/memory-tabs.ts";

const LEASES = [{ client: 5, secret: new Uint8Array([1]) }];

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
  let wanted = 0;
  const pool = new LeasePool(doc, LEASES, new MemoryTabs().open(), Math.random, {
    onClaimed: () => Promise.resolve(true),
    onWanted: () => (wanted += 1),
  });
  await pool.renew();
  expect(doc.clientID).not.toBe(5);
  expect(wanted).toBe(1);
  Y.applyUpdate(doc, second);
  await pool.renew();
  expect(doc.clientID).toBe(5);
  expect(wanted).toBe(1);
});

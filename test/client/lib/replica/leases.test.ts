import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../../client/lib/store/memory-disk.ts";
import { MemoryReplicaStore } from "../../../../client/lib/store/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, ReplicaLab } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L19] a store keeps its client id, and takes a new one when it is used up", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(first.outline.doc.clientID).toBeGreaterThanOrEqual(2 ** 28);
  await until(() => first.outline.doc.clientID < 2 ** 28, "a lease");
  const leased = first.outline.doc.clientID;
  const key = add(first, "a");
  await first.saved();
  await first.close();

  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(again.outline.doc.clientID).toBe(leased);
  again.edits.type(key, "name", { at: 1, remove: 0, insert: "b".repeat(64_000) });
  await until(() => again.outline.doc.clientID !== leased, "another lease");
  expect(again.outline.doc.clientID).toBeLessThan(2 ** 28);
  again.edits.type(key, "name", { at: 1, remove: 64_000, insert: "" });
  add(again, "under the new id");
  await again.saved();
  expect(names(again)).toEqual(["a", "under the new id"]);
  expect([...(await lab.serverNames())].sort()).toEqual(["a", "under the new id"]);
  await again.close();
  const { leases } = await new MemoryReplicaStore(disk).read();
  expect(leases).toHaveLength(2);
});

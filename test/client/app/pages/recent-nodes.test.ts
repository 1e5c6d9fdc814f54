import { expect, test } from "vitest";
import { RecentNodes } from "../../../../client/app/page/recent-nodes.ts";
import { Cell } from "../../../../client/app/state/source.ts";
import { LocalDeviceRecords } from "../../../../client/lib/local-device-records.ts";
import { type NodeKey, ROOT } from "../../../../src/core/node-key.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";

const A = "aaaaaaaaaaaa" as NodeKey;
const B = "bbbbbbbbbbbb" as NodeKey;

test("[W314] where one was lately is known to the next page of the device", async () => {
  const store = new MemoryReplicaStore();
  const records = new LocalDeviceRecords(store);
  const zoom = new Cell<NodeKey>(ROOT);
  await new RecentNodes(records).follow(zoom);
  zoom.set(A);
  zoom.set(B);
  zoom.set(A);
  await records.settled();

  const later = new RecentNodes(new LocalDeviceRecords(store));
  await later.follow(new Cell<NodeKey>(ROOT));
  expect(later.keys.get()).toEqual([ROOT, A, B]);
});

test("[W314] what is kept and names no line is left out", async () => {
  const store = new MemoryReplicaStore();
  await store.writeRecord("recent-nodes", [A, 5, "x"]);
  const recent = new RecentNodes(new LocalDeviceRecords(store));
  await recent.follow(new Cell<NodeKey>(ROOT));
  expect(recent.keys.get()).toEqual([ROOT, A]);
});

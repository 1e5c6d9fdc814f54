import { afterEach, expect, test } from "vitest";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { add, copyOfDisk, names, ReplicaLab, untilNames } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L19] a store keeps its client id, and takes a new one when it is used up", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  const own = first.outline.doc.clientID;
  expect(own).toBeGreaterThanOrEqual(2 ** 28);
  const key = add(first, "a");
  await first.saved();
  await first.close();

  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(again.outline.doc.clientID).toBe(own);
  again.edits.type(key, "name", { at: 1, remove: 0, insert: "b".repeat(64_000) });
  await until(() => again.outline.doc.clientID !== own, "another id");
  again.edits.type(key, "name", { at: 1, remove: 64_000, insert: "" });
  add(again, "under the new id");
  await again.saved();
  expect(names(again)).toEqual(["a", "under the new id"]);
  expect([...(await lab.serverNames())].sort()).toEqual(["a", "under the new id"]);
  await again.close();
  const { clients } = await new MemoryReplicaStore(disk).read();
  expect(clients).toEqual([own, again.outline.doc.clientID]);
});

test("[L100] a copy of a store gives up the id under which it is sent what it has not written", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  add(first, "a");
  await first.saved();
  await first.close();
  const copied = await copyOfDisk(disk);
  const original = await lab.open({ store: new MemoryReplicaStore(disk) });
  const copy = await lab.open({ store: new MemoryReplicaStore(copied) });
  await copy.caughtUp();
  const id = original.outline.doc.clientID;
  expect(copy.outline.doc.clientID).toBe(id);
  add(original, "b");
  await untilNames(copy, ["a", "b"]);
  await until(() => copy.outline.doc.clientID !== id, "another id");
  add(copy, "c");
  add(original, "d");
  await Promise.all([original.saved(), copy.saved()]);
  for (const replica of [original, copy]) await untilNames(replica, ["a", "b", "c", "d"]);
  const { clientID } = copy.outline.doc;
  await original.close();
  await copy.close();
  expect((await new MemoryReplicaStore(disk).read()).clients).toEqual([id]);
  expect((await new MemoryReplicaStore(copied).read()).clients).toEqual([clientID]);
});

import { afterEach, expect, test } from "vitest";
import type { Platform } from "../../../../client/lib/platform.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, ReplicaLab, untilStatus } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L11] when the store fails the status says so, and edits are sent all the same", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk) });
  await replica.caughtUp();
  disk.fill();
  add(replica, "typed on a full disk");
  await expect(replica.stored()).rejects.toMatchObject({ code: "full" });
  await replica.saved();
  expect(replica.status).toEqual({
    kind: "unsaved",
    unsent: 0,
    lines: 0,
    failure: "full",
    isConnected: true,
  });
  expect(await lab.serverNames()).toEqual(["typed on a full disk"]);
});

test("[L12] what could not be stored is stored when the store works again, and settled only once", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk) });
  await replica.caughtUp();
  disk.fill();
  add(replica, "a");
  await replica.saved();
  disk.recover();
  await replica.stored();
  expect(replica.status).toEqual({ kind: "saved" });
  add(replica, "b");
  await replica.saved();
  await replica.close();
  const stored = await new MemoryReplicaStore(disk).read();
  expect(stored.outbox).toEqual([]);
  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(names(again)).toEqual(["a", "b"]);
});

test("[L11] a store that was deleted while it is open keeps nobody from writing", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk) });
  await replica.caughtUp();
  disk.lose();
  await untilStatus(replica, "unsaved");
  add(replica, "after the loss");
  await replica.saved();
  expect(replica.status).toMatchObject({ kind: "unsaved", failure: "lost", unsent: 0 });
  expect(await lab.serverNames()).toEqual(["after the loss"]);
});

test("[L11] a store that hangs counts as failed after three seconds", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const replica = await lab.open({
    store: new MemoryReplicaStore(disk),
    platform: quick,
  });
  await untilStatus(replica, "saved");
  const release = disk.hang();
  add(replica, "typed meanwhile");
  await untilStatus(replica, "unsaved");
  await until(async () => (await lab.serverNames()).length === 1, "the server to have it");
  release();
  await untilStatus(replica, "saved");
});

test("[L11] a replica whose store hangs can be closed, and says what it could not store", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const replica = await lab.open({ store: new MemoryReplicaStore(disk), platform: quick });
  await untilStatus(replica, "saved");
  const release = disk.hang();
  add(replica, "typed meanwhile");
  replica.records.write("folds", "some");
  await expect(replica.close()).rejects.toMatchObject({ code: "failed" });
  release();
});

/** The three seconds pass at once. */
const quick: Partial<Platform> = {
  setTimer(callback, ms) {
    const timer = setTimeout(callback, ms === 3_000 ? 30 : ms);
    return () => clearTimeout(timer);
  },
};

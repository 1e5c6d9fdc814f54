import { afterEach, expect, test } from "vitest";
import type { Replica } from "../../../../client/lib/replica.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { MemoryTabs } from "../../../support/memory-tabs.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, NOWHERE, ReplicaLab, untilNames, untilStatus } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

const clientOf = ({ outline }: Replica): number => outline.doc.clientID;

/** A replica that knows the outline, without a server. */
async function openAway(disk: MemoryDisk): Promise<Replica> {
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  await first.caughtUp();
  await first.close();
  const store = new MemoryReplicaStore(disk);
  return lab.open({ store, url: NOWHERE, mayStoreAnew: () => true });
}

test("[L129] a store that was deleted online is begun anew with all that is here, under another client id", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const store = new MemoryReplicaStore(disk);
  const replica = await lab.open({ store, mayStoreAnew: () => true });
  add(replica, "before");
  replica.records.write("folds", ["some"]);
  await replica.saved();
  const lost = clientOf(replica);
  const { outline } = await new MemoryReplicaStore(disk).read();
  disk.lose();
  await untilStatus(replica, "unsaved");
  add(replica, "while there is none");
  await untilStatus(replica, "saved");
  add(replica, "after it");
  await replica.saved();
  await replica.stored();
  const all = ["before", "while there is none", "after it"];
  expect(names(replica)).toEqual(all);
  const read = await new MemoryReplicaStore(disk).read();
  expect(read).toMatchObject({ outline, outbox: [], clients: [clientOf(replica)] });
  expect(clientOf(replica)).not.toBe(lost);
  expect(replica.history.undo()).not.toBe(undefined);
  await untilNames(replica, ["before", "while there is none"]);
  await replica.saved();
  await replica.close();
  const again = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  expect(names(again)).toEqual(["before", "while there is none"]);
  expect(await again.records.read("folds")).toEqual(["some"]);
  expect(await lab.serverNames()).toEqual(["before", "while there is none"]);
});

test("[L129] what is unsent when the store is deleted is in the new one, is counted, and is sent", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const away = await openAway(disk);
  add(away, "one");
  add(away, "two");
  await away.stored();
  await untilStatus(away, "local");
  disk.lose();
  await untilStatus(away, "unsaved");
  add(away, "three");
  await untilStatus(away, "local");
  expect(away.status).toMatchObject({ lines: 3 });
  add(away, "four");
  await away.stored();
  // It may be lost again.
  disk.lose();
  await untilStatus(away, "unsaved");
  await untilStatus(away, "local");
  expect(away.status).toMatchObject({ lines: 4 });
  await away.close();
  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  expect(names(again)).toEqual(["one", "two", "three", "four"]);
  await again.saved();
  expect(await lab.serverNames()).toEqual(["one", "two", "three", "four"]);
});

test("[L129] who waits until an edit is saved waits on when the store is begun anew with that edit", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const away = await openAway(disk);
  add(away, "one");
  await away.stored();
  let isSaved = false;
  away.saved().then(
    () => (isSaved = true),
    () => undefined,
  );
  disk.lose();
  await untilStatus(away, "unsaved");
  await untilStatus(away, "local");
  expect(isSaved).toBe(false);
});

test("[L129] all tabs go on with the new store, and nobody writes under an id of the lost one", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const tabs = new MemoryTabs();
  const openTab = (): Promise<Replica> =>
    lab.open({
      store: new MemoryReplicaStore(disk),
      tabs: tabs.open(),
      mayStoreAnew: () => true,
    });
  const leader = await openTab();
  const other = await openTab();
  add(leader, "of the leader");
  add(other, "of the other");
  await Promise.all([leader.saved(), other.saved()]);
  await untilNames(leader, ["of the leader", "of the other"]);
  await untilNames(other, ["of the leader", "of the other"]);
  const lost = [leader, other].map(clientOf);
  disk.lose();
  for (const tab of [leader, other]) await untilStatus(tab, "unsaved");
  add(other, "of the other while there is none");
  for (const tab of [leader, other]) await untilStatus(tab, "saved");
  add(leader, "of the leader after it");
  add(other, "of the other after it");
  await Promise.all([leader.saved(), other.saved()]);
  const all = [
    "of the leader",
    "of the other",
    "of the other while there is none",
    "of the leader after it",
    "of the other after it",
  ];
  for (const tab of [leader, other]) {
    await untilNames(tab, all);
    await until(() => !lost.includes(clientOf(tab)), "another id");
  }
  expect(clientOf(leader)).not.toBe(clientOf(other));
  await Promise.all([leader.stored(), other.stored()]);
  expect((await new MemoryReplicaStore(disk).read()).clients).not.toEqual(
    expect.arrayContaining([lost[0]]),
  );
  // The other one takes over what is stored, too.
  await leader.close();
  add(other, "alone");
  await other.saved();
  await other.close();
  const again = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  await untilNames(again, [...all, "alone"]);
  expect([...(await lab.serverNames())].sort()).toEqual([...all, "alone"].sort());
});

test("[L129] nothing is stored where that is not allowed, as after a sign-out", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  let asked = 0;
  const replica = await lab.open({
    store: new MemoryReplicaStore(disk),
    mayStoreAnew: () => {
      asked += 1;
      return false;
    },
  });
  add(replica, "secret");
  await replica.saved();
  disk.lose();
  await until(() => asked > 0, "the program to be asked");
  add(replica, "secret too");
  await replica.saved();
  expect(replica.status).toMatchObject({ kind: "unsaved", failure: "lost", unsent: 0 });
  const left: Uint8Array[] = [];
  for await (const update of (await new MemoryReplicaStore(disk).read()).updates) left.push(update);
  expect(left).toEqual([]);
});

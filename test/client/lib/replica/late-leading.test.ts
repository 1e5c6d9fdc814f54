import { afterEach, expect, test } from "vitest";
import { leading, type Leading } from "../../../../client/lib/leading.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import { StoreError } from "../../../../client/lib/store/replica-store.ts";
import { Deferred } from "../../../../src/documents/turns/deferred.ts";
import { MemoryTabs } from "../../../support/memory-tabs.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, ReplicaLab, untilNames, untilStatus } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

/** A handle that can read nothing after the first time, so that it has to be told what there is. */
class ReadOnce extends MemoryReplicaStore {
  override readNew(): Promise<never> {
    return Promise.reject(new StoreError("failed", "it can't be read"));
  }
}

test("[L126] a replica is edited, stored, and shared among tabs, before it can connect", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const tabs = new MemoryTabs();
  const gate = new Deferred<Leading>();
  const open = (store = new MemoryReplicaStore(disk)) =>
    lab.open({ store, tabs: tabs.open(), loadLeading: () => gate.promise });
  const first = await open();
  add(first, "before the other tab");
  await first.stored();
  expect(first.status).toMatchObject({ kind: "local", unsent: 1 });

  const second = await open();
  const third = await open(new ReadOnce(disk));
  add(second, "from the other tab");
  await untilNames(first, ["before the other tab", "from the other tab"]);
  add(first, "and back");
  await until(() => names(second).length === 3, "the second tab hears the first one");
  expect(await lab.serverNames()).toEqual([]);

  gate.resolve(leading);
  await Promise.all([first.saved(), second.saved(), third.saved()]);
  const all = ["before the other tab", "from the other tab", "and back"];
  expect([...(await lab.serverNames())].sort()).toEqual([...all].sort());
  await untilNames(third, all);
});

test("[L126] what can't be fetched is said once and asked for again", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const timers: (() => void)[] = [];
  let asked = 0;
  let missing = 0;
  const replica = await lab.open({
    store: new MemoryReplicaStore(disk),
    platform: {
      setTimer(callback) {
        timers.push(callback);
        return () => timers.splice(timers.indexOf(callback), 1);
      },
    },
    loadLeading: () => (++asked > 2 ? Promise.resolve(leading) : Promise.reject(new Error("404"))),
    onPartMissing: () => (missing += 1),
  });
  add(replica, "kept");
  await untilStatus(replica, "local");
  await until(() => missing > 0, "it is said");
  expect(replica.status).toMatchObject({ cause: "unreachable", unsent: 1 });
  const untilAsked = (times: number) =>
    until(() => {
      if (asked < times) for (const callback of timers.splice(0)) callback();
      return asked === times;
    }, "it is asked for again");
  await untilAsked(2);
  expect(missing).toBe(1);
  await untilAsked(3);
  await replica.saved();
  expect(missing).toBe(1);
  expect(await lab.serverNames()).toEqual(["kept"]);
});

test("[L126] a replica that is closed asks for nothing any more", async () => {
  lab = await ReplicaLab.start();
  let asked = 0;
  const gate = new Deferred<Leading>();
  const sockets: number[] = [];
  const replica = await lab.open({
    platform: lab.counting(sockets),
    loadLeading() {
      asked += 1;
      return gate.promise;
    },
  });
  add(replica, "stays here");
  await replica.close();
  gate.resolve(leading);
  await gate.promise;
  expect([asked, sockets]).toEqual([1, []]);
});

import { afterEach, expect, test } from "vitest";
import type { Replica } from "../../../../client/lib/replica.ts";
import { MemoryDisk } from "../../../support/memory-replica/memory-disk.ts";
import { MemoryReplicaStore } from "../../../support/memory-replica/memory-replica-store.ts";
import type { ReplicaBatch } from "../../../../client/lib/store/replica-store.ts";
import { ROOT } from "../../../../src/core/node-key.ts";
import { Deferred } from "../../../../src/documents/turns/deferred.ts";
import { until } from "../../../support/socket-until.ts";
import { add, names, NOWHERE, ReplicaLab, untilNames, untilStatus } from "./lab.ts";

let lab: ReplicaLab;

afterEach(() => lab.close());

test("[L7] edits made without a server are counted, survive a restart and are sent when it is there", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  await first.caughtUp();
  await first.close();

  const now = (): number => 1_000_000;
  const away = await lab.open({
    store: new MemoryReplicaStore(disk),
    url: NOWHERE,
    platform: { now },
  });
  add(away, "one");
  add(away, "two");
  await away.stored();
  await untilStatus(away, "local");
  expect(away.status).toEqual({
    kind: "local",
    unsent: 2,
    lines: 2,
    since: 1_000_000,
    cause: "unreachable",
  });
  await away.close();

  const later = await lab.open({
    store: new MemoryReplicaStore(disk),
    url: NOWHERE,
    platform: { now: () => 9_000_000 },
  });
  expect(names(later)).toEqual(["one", "two"]);
  await untilStatus(later, "local");
  expect(later.status).toMatchObject({ unsent: 2, since: 1_000_000 });
  await later.close();

  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  await again.saved();
  expect(await lab.serverNames()).toEqual(["one", "two"]);
});

test("[L128] lines that are not sent are counted once each, after a restart and in what was deleted too", async () => {
  lab = await ReplicaLab.start();
  const disk = new MemoryDisk();
  const first = await lab.open({ store: new MemoryReplicaStore(disk) });
  const line = add(first, "line");
  const gone = add(first, "gone");
  await first.saved();
  await first.close();

  const away = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  for (const letter of "many letters") {
    away.edits.type(line, "name", { at: 0, remove: 0, insert: letter });
    await away.stored();
  }
  away.edits.text(line, "note", true);
  away.edits.type(line, "note", { at: 0, remove: 0, insert: "a note" });
  away.edits.type(line, "name", { at: 0, remove: 3, insert: "" });
  away.edits.trash([gone]);
  add(away, "new");
  away.edits.setShortcut("star", line);
  await away.stored();
  await untilStatus(away, "local");
  expect(away.status).toMatchObject({ lines: 3 });
  const { unsent } = away.status as { unsent: number };
  expect(unsent).toBeGreaterThan(12);
  await away.close();

  const later = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  await untilStatus(later, "local");
  expect(later.status).toMatchObject({ unsent, lines: 3 });
  await later.close();

  const again = await lab.open({ store: new MemoryReplicaStore(disk) });
  await again.saved();
  await again.close();
  const starred = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  starred.edits.setShortcut("another", line);
  await starred.stored();
  await until(
    () => starred.status.kind === "local" && starred.status.unsent === 1,
    "the star to be unsent",
  );
  expect(starred.status).toMatchObject({ lines: 0 });
});

test("[L8] three devices that wrote offline show the same when they have all been online", async () => {
  lab = await ReplicaLab.start();
  const disks = [new MemoryDisk(), new MemoryDisk(), new MemoryDisk()];
  for (const disk of disks) {
    const replica = await lab.open({ store: new MemoryReplicaStore(disk) });
    await replica.caughtUp();
    await replica.close();
  }
  for (const [index, disk] of disks.entries()) {
    const replica = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
    for (let count = 0; count < 20; count += 1) add(replica, `${index}.${count}`);
    await replica.close();
  }
  const replicas = await Promise.all(
    disks.map((disk) => lab.open({ store: new MemoryReplicaStore(disk) })),
  );
  await Promise.all(replicas.map((replica) => replica.saved()));
  const all = disks.flatMap((_disk, index) =>
    Array.from({ length: 20 }, (_, count) => `${index}.${count}`),
  );
  for (const replica of replicas) await untilNames(replica, all);
  const [first, ...others] = replicas.map((replica) => names(replica));
  for (const other of others) expect(other).toEqual(first);
});

test("[L9] two thousand edits of each of three devices go out in few messages and lose nothing", async () => {
  lab = await ReplicaLab.start();
  const disks = [new MemoryDisk(), new MemoryDisk(), new MemoryDisk()];
  for (const [index, disk] of disks.entries()) {
    const replica = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
    for (let count = 0; count < 2_000; count += 1) add(replica, `${index}.${count}`);
    await replica.close();
  }
  const messages: number[] = [];
  const replicas: Replica[] = [];
  for (const index of [2, 0, 1]) {
    const disk = disks[index];
    if (disk === undefined) throw new Error("there are three");
    const store = new MemoryReplicaStore(disk);
    expect((await store.read()).outbox).toHaveLength(2_000);
    const replica = await lab.open({ store, platform: lab.counting(messages) });
    await replica.saved();
    replicas.push(replica);
  }
  // 256 edits in each, hello and claims among them.
  expect(Math.max(...messages)).toBeLessThan(20);
  for (const replica of replicas) await until(() => replica.outline.size === 6_000, "6,000 nodes");
  const [first, ...others] = replicas.map((replica) => names(replica));
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(first).size).toBe(6_000);
});

test("[L10] a clock that is hours off makes no edit lose and nothing wait", async () => {
  lab = await ReplicaLab.start();
  const hours = 3_600_000;
  const behind = await lab.open({ platform: { now: () => Date.now() - 30 * hours } });
  const ahead = await lab.open({ platform: { now: () => Date.now() + 30 * hours } });
  const a = add(behind, "a");
  const b = add(behind, "b");
  await behind.saved();
  await untilNames(ahead, ["a", "b"]);
  expect(ahead.edits.move([b], { parent: a })).toEqual({ kind: "ok" });
  await ahead.saved();
  await until(() => names(behind, a).length === 1, "the move");
  expect(behind.edits.move([b], { parent: behind.outline.node(a)?.parent ?? a })).toEqual({
    kind: "ok",
  });
  await behind.saved();
  await until(() => names(ahead).length === 2, "the move back");
  expect(names(ahead)).toEqual(names(behind));
});

test("[L72] a pause in typing is one also when the clock is set back meanwhile", async () => {
  lab = await ReplicaLab.start();
  let [now, elapsed] = [Date.now(), 0];
  const platform = { now: () => now, elapsed: () => elapsed };
  const replica = await lab.open({ url: NOWHERE, platform });
  const key = add(replica, "");
  const { edits, history } = replica;
  edits.type(key, "name", { at: 0, remove: 0, insert: "before" });
  now -= 3_600_000;
  elapsed += 60_000;
  edits.type(key, "name", { at: 6, remove: 0, insert: " after" });
  history.undo();
  expect(names(replica)).toEqual(["before"]);
});

test("[L94] a replica that was closed takes no edits, and says so", async () => {
  lab = await ReplicaLab.start();
  const replica = await lab.open();
  await replica.caughtUp();
  const key = add(replica, "before");
  const { edits, history } = replica;
  const closing = replica.close();
  // Its store is still open.
  expect(() => add(replica, "while it closes")).toThrow();
  await closing;
  for (const edit of [
    () => replica.edits.create({ parent: ROOT, name: "after" }),
    () => edits.type(key, "name", { at: 0, remove: 1, insert: "" }),
    () => edits.text(key, "note", true),
    () => edits.trash([key]),
    () => history.undo(),
    () => replica.history.redo(),
  ]) {
    expect(edit).toThrow();
  }
  expect(edits.text(key, "name")?.length).toBe("before".length);
  expect(names(replica)).toEqual(["before"]);
  expect(replica.status).toMatchObject({ kind: "local", cause: "closed" });
  for (const wait of [replica.stored(), replica.saved(), replica.caughtUp()]) {
    await expect(wait).rejects.toMatchObject({ code: "closed" });
  }
});

test("[L94] whoever closes a replica a second time waits for the same end", async () => {
  lab = await ReplicaLab.start();
  const gate = new Deferred<void>();
  const begun = new Deferred<void>();
  const disk = new MemoryDisk();
  class SlowStore extends MemoryReplicaStore {
    override async write(batch: ReplicaBatch): Promise<readonly number[]> {
      begun.resolve();
      await gate.promise;
      return super.write(batch);
    }
  }
  const replica = await lab.open({ store: new SlowStore(disk), url: NOWHERE });
  add(replica, "kept");
  const ended: string[] = [];
  const first = replica.close().then(() => ended.push("first"));
  const second = replica.close().then(() => ended.push("second"));
  await begun.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(ended).toEqual([]);
  gate.resolve();
  await Promise.all([first, second]);
  const again = await lab.open({ store: new MemoryReplicaStore(disk), url: NOWHERE });
  expect(names(again)).toEqual(["kept"]);
});

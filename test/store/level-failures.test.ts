import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";

import type { OutlineId } from "../../src/core/node-key.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { OutlineLog, Snapshot } from "../../src/documents/log/outline-log.ts";
import { putHead } from "../../src/store/level/heads.ts";
import { StoreKeys } from "../../src/store/store-keys.ts";
import type { WriteFault } from "./support/faulty-disk.ts";
import { FaultyDisk, gate } from "./support/faulty-disk.ts";
import { levelFolders, writeRecords } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const anOutline = () => newOutlineId(Math.random);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const EMPTY_SNAPSHOT: Omit<Snapshot, "seq"> = {
  chunks: [bytes("one"), bytes("two")],
  stateVector: bytes("vector"),
  annex: bytes("annex"),
};
const UNAVAILABLE = { name: "StoreError", code: "store_unavailable" };

async function faultyStore(now: () => number = Date.now) {
  const disk = new FaultyDisk();
  const folder = await newFolder();
  const events: string[] = [];
  const store = await open(folder, {
    now,
    openDatabase: disk.open,
    tail: { updates: 2, bytes: 1000 },
    events: {
      onFailure: ({ code }) => events.push(code),
      onRecovery: () => events.push("recovered"),
    },
  });
  return { disk, folder, store, events };
}

async function texts(log: OutlineLog, outline: OutlineId): Promise<readonly string[]> {
  const { updates } = await log.load(outline);
  return updates.map(({ update }) => new TextDecoder().decode(update));
}

const append = (log: OutlineLog, outline: OutlineId, ...updates: readonly string[]) =>
  log.append(outline, { updates: updates.map(bytes) });

for (const fault of ["lost", "written"] as const satisfies readonly WriteFault[]) {
  test(`[P14] a failed write (${fault}) acknowledges nothing, and the store goes on without a restart`, async () => {
    const { disk, store, events } = await faultyStore();
    const { log } = store;
    const outline = anOutline();
    await append(log, outline, "a", "b");
    disk.break(fault);
    await expect(append(log, outline, "c")).rejects.toMatchObject(UNAVAILABLE);
    disk.heal();
    // Whether it is there is what the files say, and numbers go on from there.
    const found = await texts(log, outline);
    expect(found).toEqual(fault === "lost" ? ["a", "b"] : ["a", "b", "c"]);
    expect(await append(log, outline, "d")).toBe(found.length + 1);
    expect(await texts(log, outline)).toEqual([...found, "d"]);
    expect(await log.extent(outline)).toMatchObject({ head: found.length + 1 });
    expect(events).toEqual(["store_unavailable", "recovered"]);
    expect(disk.opens).toBe(2);
  });
}

test("[P14] everything that waits for a commit that fails is rejected, and nothing of it is written", async () => {
  const { disk, store } = await faultyStore();
  const { passed, open: release } = gate();
  disk.beforeWrite = () => passed;
  disk.break();
  const [one, two] = [anOutline(), anOutline()];
  const before = disk.batches.length;
  const first = append(store.log, one, "a");
  while (disk.batches.length === before) await new Promise(setImmediate);
  const waiting = [append(store.log, one, "b"), append(store.log, two, "c"), store.log.probe()];
  release();
  const results = await Promise.allSettled([first, ...waiting]);
  expect(results).toMatchObject(results.map(() => ({ status: "rejected", reason: UNAVAILABLE })));
  expect(disk.batches.length).toBe(before + 1);
  disk.heal();
  expect(await texts(store.log, one)).toEqual([]);
  expect(await append(store.log, two, "c")).toBe(1);
});

test("[P14] a store that can't be opened again refuses at once, and tries again after a while", async () => {
  let now = 1_000_000;
  const { disk, store } = await faultyStore(() => now);
  const outline = anOutline();
  await append(store.log, outline, "a");
  disk.break();
  disk.canOpen = false;
  await expect(append(store.log, outline, "b")).rejects.toMatchObject(UNAVAILABLE);
  await expect(append(store.log, outline, "b")).rejects.toMatchObject(UNAVAILABLE);
  expect(disk.opens).toBe(2);
  for (const call of [
    store.log.load(outline),
    store.log.probe(),
    store.log.saveSnapshot(outline, { ...EMPTY_SNAPSHOT, seq: 1 }),
    store.log.takeToken("k", 1),
    store.accounts.users(),
  ]) {
    await expect(call).rejects.toMatchObject(UNAVAILABLE);
  }
  expect(disk.opens).toBe(2);
  // The wait doubles: 100 ms, then 200 ms.
  now += 100;
  await expect(store.log.probe()).rejects.toMatchObject(UNAVAILABLE);
  now += 199;
  await expect(store.log.probe()).rejects.toMatchObject(UNAVAILABLE);
  expect(disk.opens).toBe(3);
  now += 1;
  disk.heal();
  expect(await append(store.log, outline, "b")).toBe(2);
  expect(disk.opens).toBe(4);
});

test("[P14] those who ask while it is opened again share one attempt", async () => {
  const { disk, store } = await faultyStore();
  const outline = anOutline();
  await append(store.log, outline, "a");
  disk.break();
  await expect(append(store.log, outline, "b")).rejects.toMatchObject(UNAVAILABLE);
  disk.heal();
  const calls = await Promise.all([
    append(store.log, outline, "b"),
    append(store.log, outline, "c"),
    store.log.load(outline),
    store.log.probe(),
    append(store.log, outline, "d"),
  ]);
  expect(calls).toMatchObject([2, 3, { head: expect.any(Number) }, undefined, 4]);
  expect(disk.opens).toBe(2);
  expect(await texts(store.log, outline)).toEqual(["a", "b", "c", "d"]);
});

test("[P14] a store that has failed can be closed", async () => {
  const { disk, store, folder } = await faultyStore();
  disk.break();
  await expect(append(store.log, anOutline(), "a")).rejects.toMatchObject(UNAVAILABLE);
  await store.close();
  await expect(store.log.probe()).rejects.toMatchObject({ code: "store_closed" });
  expect(await (await open(folder)).verifyAll()).toEqual([]);
});

test("[P12, P14] a store can be closed while it is opened again", async () => {
  const { disk, store, folder } = await faultyStore();
  disk.break();
  await expect(append(store.log, anOutline(), "a")).rejects.toMatchObject(UNAVAILABLE);
  disk.heal();
  const { passed, open: release } = gate();
  disk.beforeOpen = () => passed;
  const probe = store.log.probe();
  while (disk.opens < 2) await new Promise(setImmediate);
  const closing = store.close();
  release();
  await probe;
  await closing;
  // Nobody has it open any more.
  expect(await (await open(folder)).verifyAll()).toEqual([]);
});

test("[P14] a read that fails is refused, and the store goes on", async () => {
  const { disk, store, events } = await faultyStore();
  const outline = anOutline();
  await append(store.log, outline, "a");
  disk.readFault = "LEVEL_IO_ERROR";
  await expect(store.log.load(outline)).rejects.toMatchObject(UNAVAILABLE);
  expect(await append(store.log, outline, "b")).toBe(2);
  disk.readFault = undefined;
  expect(await texts(store.log, outline)).toEqual(["a", "b"]);
  expect(events).toEqual([]);
});

test("[P13] what the database itself finds damaged is refused by the name of the outline", async () => {
  const { disk, store } = await faultyStore();
  const outline = anOutline();
  await append(store.log, outline, "a");
  disk.readFault = "LEVEL_CORRUPTION";
  await expect(store.log.load(outline)).rejects.toMatchObject({
    name: "StoreError",
    code: "outline_corrupt",
    outline,
  });
  await expect(store.accounts.users()).rejects.toMatchObject({ code: "store_corrupt" });
  const findings = await store.verifyAll();
  expect(findings.filter((finding) => finding.outline === outline)).toEqual([
    { kind: "damaged", outline, record: "a table of the database" },
    { kind: "missing", outline, record: "update 1" },
  ]);
  disk.readFault = undefined;
  expect(await texts(store.log, outline)).toEqual(["a"]);
});

test("[P15] a disk that has lost what it had confirmed begins a new history", async () => {
  const { disk, store } = await faultyStore();
  const [outline, other] = [anOutline(), anOutline()];
  await append(store.log, outline, "a", "b");
  await append(store.log, other, "a");
  const before = await store.log.load(outline);
  disk.break();
  await expect(append(store.log, other, "b")).rejects.toMatchObject(UNAVAILABLE);
  disk.heal();
  disk.beforeOpen = (folder) => loseUpdate(folder, outline, 2);
  const after = await store.log.load(outline);
  expect(after.head).toBe(1);
  expect(after.epochOrdinal).toBe(before.epochOrdinal + 1);
  expect(after.epoch).not.toBe(before.epoch);
  // A replica that holds what was lost can't write behind it.
  const stale = { updates: [bytes("c")], epoch: before.epoch };
  await expect(store.log.append(outline, stale)).rejects.toMatchObject(UNAVAILABLE);
  expect(await store.log.append(outline, { ...stale, epoch: after.epoch })).toBe(2);
});

test("[P15] a disk that has lost nothing keeps its history", async () => {
  const { disk, store } = await faultyStore();
  const outline = anOutline();
  await append(store.log, outline, "a");
  const { epoch, epochOrdinal } = await store.log.load(outline);
  disk.break("written");
  await expect(append(store.log, outline, "b")).rejects.toMatchObject(UNAVAILABLE);
  disk.heal();
  expect(await store.log.load(outline)).toMatchObject({ epoch, epochOrdinal, head: 2 });
});

/** Each of its chunks is a write of its own, compressed. */
const LARGE_SNAPSHOT = {
  ...EMPTY_SNAPSHOT,
  chunks: [1, 2, 3, 4, 5].map(() => new Uint8Array(randomBytes(70_000))),
};

/** Compared in a moment, unlike so many bytes one by one. */
const hashed = (snapshot: Snapshot | undefined) => ({
  ...snapshot,
  chunks: snapshot?.chunks.map((chunk) => createHash("sha256").update(chunk).digest("hex")),
});

for (const fault of ["lost", "written"] as const satisfies readonly WriteFault[]) {
  test(`[P5, P14] a snapshot that fails at any of its writes (${fault}) leaves the old one or the new one`, async () => {
    const outcomes: string[] = [];
    for (let failing = 1; ; failing += 1) {
      const { disk, store } = await faultyStore();
      const { log } = store;
      const outline = anOutline();
      await append(log, outline, "a", "b", "c", "d", "e");
      await log.saveSnapshot(outline, { ...LARGE_SNAPSHOT, seq: 3 });
      const begin = disk.batches.length;
      disk.faultOf = (write) => (write === begin + failing ? fault : undefined);
      const saved = await log
        .saveSnapshot(outline, { ...LARGE_SNAPSHOT, seq: 5 })
        .catch(({ code }) => code);
      disk.heal();
      const { snapshot, updates, head } = await log.load(outline);
      outcomes.push(`${saved} ${snapshot?.seq}`);
      const seq = snapshot?.seq ?? 0;
      expect([hashed(snapshot), head]).toEqual([hashed({ ...LARGE_SNAPSHOT, seq }), 5]);
      expect(updates.map((update) => update.seq)).toEqual(seq === 3 ? [4, 5] : []);
      expect(await store.verifyAll()).toEqual([]);
      expect(await log.saveSnapshot(outline, { ...LARGE_SNAPSHOT, seq: 5 })).toBe(seq === 3);
      expect((await log.load(outline)).snapshot?.seq).toBe(5);
      expect(await store.verifyAll()).toEqual([]);
      await store.close();
      if (disk.batches.length < begin + failing) break;
      if (saved === true && failing > 12) break;
    }
    expect(outcomes.filter((outcome) => outcome === "store_unavailable 3").length).toBeGreaterThan(
      4,
    );
    expect(outcomes.at(-1)).toBe("true 5");
  });
}

test("[P5, P14] a store that was opened again meanwhile takes nothing of a snapshot that was begun before", async () => {
  const { disk, store } = await faultyStore();
  const { log } = store;
  const [outline, other] = [anOutline(), anOutline()];
  await append(log, outline, "a", "b");
  // When all parts are written, the write of another outline fails; what was written ahead is
  // removed as the store is opened again, all before the last write of the snapshot.
  disk.afterKeys = async ({ from }) => {
    if (!from.includes(`${outline}/u/`)) return;
    disk.afterKeys = async () => undefined;
    disk.break();
    await expect(append(log, other, "x")).rejects.toMatchObject(UNAVAILABLE);
    disk.heal();
    await log.load(other);
  };
  const saved = log.saveSnapshot(outline, { ...EMPTY_SNAPSHOT, seq: 2 });
  await expect(saved).rejects.toMatchObject(UNAVAILABLE);
  expect(disk.opens).toBe(2);
  expect((await log.load(outline)).snapshot).toBeUndefined();
  expect(await texts(log, outline)).toEqual(["a", "b"]);
  expect(await store.verifyAll()).toEqual([]);
  expect(await log.saveSnapshot(outline, { ...EMPTY_SNAPSHOT, seq: 2 })).toBe(true);
});

for (const fault of ["lost", "written"] as const satisfies readonly WriteFault[]) {
  test(`[P9, P14] a removal that fails at any of its writes (${fault}) is undone or finished`, async () => {
    const outcomes = new Set<string>();
    for (let failing = 1; failing <= 4; failing += 1) {
      const { disk, folder, store } = await faultyStore();
      const outline = anOutline();
      await append(store.log, outline, "a", "b");
      const begin = disk.batches.length;
      disk.faultOf = (write) => (write === begin + failing ? fault : undefined);
      const dropped = await store.log.drop(outline).then(
        () => "dropped",
        ({ code }) => code,
      );
      // As after a crash: nobody asks for anything before the next start.
      await store.close();
      const again = await open(folder);
      const left = await texts(again.log, outline);
      outcomes.add(`${dropped}, ${left.length} left`);
      expect(await again.verifyAll()).toEqual([]);
      expect(await append(again.log, outline, "new")).toBe(left.length + 1);
      await again.close();
    }
    expect([...outcomes]).toEqual(
      fault === "lost"
        ? ["store_unavailable, 2 left", "store_unavailable, 0 left", "dropped, 0 left"]
        : ["store_unavailable, 0 left", "dropped, 0 left"],
    );
  });
}

test("[P9, Q67] while an outline is being removed it is empty, and takes nothing new", async () => {
  const { disk, store } = await faultyStore();
  const { log } = store;
  const outline = anOutline();
  await append(log, outline, "a", "b");
  const { passed, open: release } = gate();
  const begin = disk.batches.length;
  disk.beforeWrite = async () => (disk.batches.length > begin + 1 ? passed : undefined);
  const dropping = Promise.all([log.drop(outline), log.drop(outline)]);
  while (disk.batches.length < begin + 2) await new Promise(setImmediate);
  expect(await log.load(outline)).toMatchObject({ head: 0, updates: [] });
  expect(await log.extent(outline)).toMatchObject({ head: 0 });
  await expect(append(log, outline, "c")).rejects.toMatchObject(UNAVAILABLE);
  release();
  await dropping;
  expect(await append(log, outline, "c")).toBe(1);
});

/** Takes an acknowledged update, and the head that it made, from the disk. */
async function loseUpdate(folder: string, outline: OutlineId, seq: number): Promise<void> {
  const keys = new StoreKeys(0);
  await writeRecords(folder, [{ key: keys.update(outline, seq) }, putHead(keys, outline, seq - 1)]);
}

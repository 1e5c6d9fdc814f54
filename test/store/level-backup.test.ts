import { createHash, randomBytes } from "node:crypto";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

import { Accounts } from "../../src/accounts/accounts.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { Snapshot } from "../../src/documents/log/outline-log.ts";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import type { LackingUpdates } from "../../src/store/level/lacking-updates.ts";
import type { StoreProgress } from "../../src/store/store-progress.ts";
import type { WriteFault } from "./support/faulty-disk.ts";
import { diskError, FaultyDisk, gate } from "./support/faulty-disk.ts";
import { levelFolders, recordsOf, writeRecords } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const anOutline = () => newOutlineId(Math.random);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function snapshotAt(seq: number): Snapshot {
  const chunks = [bytes("one"), new Uint8Array(20_000).fill(seq)];
  return { seq, chunks, stateVector: bytes("vector"), annex: bytes("annex") };
}

function accountsOf(store: LevelStore): Accounts {
  return new Accounts({ store: store.accounts, now: Date.now, randomBytes, random: Math.random });
}

/** A store with one user and some outlines. */
async function filledStore(options: Parameters<typeof open>[1] = {}) {
  const folder = await newFolder();
  const store = await open(folder, options);
  const added = await accountsOf(store).addUser("me");
  if (added.kind !== "added") throw new Error(added.kind);
  const outlines = Array.from({ length: 5 }, anOutline);
  for (const outline of outlines) await fill(store, outline, "old");
  return { folder, store, outlines, key: added.key };
}

async function fill(store: LevelStore, outline: OutlineId, mark: string): Promise<void> {
  for (let seq = 1; seq <= 6; seq += 1) {
    const bindings = [{ client: seq, holder: { kind: "server" } }] as const;
    await store.log.append(outline, { updates: [bytes(`${mark} ${seq}`)], bindings });
  }
  await store.log.saveSnapshot(outline, snapshotAt(4));
}

/** All that outlines hold, without the name of their history; digests of what is large. */
async function contentOf(store: LevelStore): Promise<readonly (readonly [string, unknown])[]> {
  const content: (readonly [string, unknown])[] = [];
  for await (const outline of store.log.outlines()) {
    const { head, snapshot, updates, bindings } = await store.log.load(outline);
    const chunks = snapshot?.chunks.map((chunk) => createHash("sha1").update(chunk).digest("hex"));
    content.push([outline, { head, snapshot: { ...snapshot, chunks }, updates, bindings }]);
  }
  return content;
}

async function filesIn(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const name of (await readdir(folder)).toSorted()) {
    files[name] = await readFile(join(folder, name), "latin1");
  }
  return files;
}

test("[P17] a backup holds the store as it was when it began, whatever is written meanwhile", async () => {
  const disk = new FaultyDisk();
  const { store, outlines, key } = await filledStore({ openDatabase: disk.open });
  const before = await contentOf(store);
  const target = join(await newFolder(), "backup");
  const { passed, open: release } = gate();
  const begun = gate();
  disk.beforeWrite = async (folder) => {
    if (folder !== target) return undefined;
    begun.open();
    return passed;
  };
  const progress: StoreProgress[] = [];
  const backup = store.backup(target, (step) => progress.push(step));
  await begun.passed;
  const [first = anOutline(), second = anOutline(), third = anOutline()] = outlines;
  const seq = await store.log.append(first, { updates: [bytes("meanwhile")] });
  await store.log.saveSnapshot(first, snapshotAt(seq));
  await store.log.drop(second);
  await accountsOf(store).addUser("meanwhile");
  release();
  await store.log.append(third, { updates: [bytes("meanwhile")] });
  expect(await backup).toEqual({ kind: "backed_up" });
  expect(progress.at(-1)).toEqual({ outlines: 5, of: 5 });
  const copy = await open(target);
  expect(await contentOf(copy)).toEqual(before);
  expect(await copy.verifyAll()).toEqual([]);
  expect(await accountsOf(copy).authenticate(key)).toMatchObject({ user: "me" });
  expect((await accountsOf(copy).listUsers()).map(({ id }) => id)).toEqual(["me"]);
});

test("[P17] a folder with files in it is refused and left alone", async () => {
  const { store } = await filledStore();
  const target = await newFolder();
  await writeFile(join(target, "precious"), "text");
  expect(await store.backup(target)).toEqual({ kind: "not_empty" });
  expect(await readdir(target)).toEqual(["precious"]);
  const empty = await newFolder();
  expect(await store.backup(empty)).toEqual({ kind: "backed_up" });
  expect(await store.backup(empty)).toEqual({ kind: "not_empty" });
});

test("[P17] of two that begin at once in one folder one is refused, and the other one is a backup", async () => {
  const { store } = await filledStore();
  const before = await contentOf(store);
  const target = join(await newFolder(), "backup");
  const results = await Promise.allSettled([store.backup(target), store.backup(target)]);
  expect(results.filter(({ status }) => status === "fulfilled")).toEqual([
    { status: "fulfilled", value: { kind: "backed_up" } },
  ]);
  expect(await contentOf(await open(target))).toEqual(before);
});

test("[P17] what can't be copied as it was written is named, and no half backup stays", async () => {
  const { folder, store, outlines } = await filledStore();
  await store.close();
  const [damaged] = outlines;
  const record = (await recordsOf(folder)).find(({ key }) => key.includes(`/o/${damaged}/u/`));
  if (record === undefined) throw new Error("no update");
  await writeRecords(folder, [{ ...record, value: record.value.subarray(1) }]);
  await rm(join(folder, "CLOSED"));
  const target = await newFolder();
  const again = await open(folder);
  await expect(again.backup(target)).rejects.toMatchObject({
    name: "StoreError",
    code: "outline_corrupt",
    outline: damaged,
  });
  expect(await readdir(target)).toEqual([]);
});

test("[P17] a folder that can't be written ends the backup, and the store goes on", async () => {
  const disk = new FaultyDisk();
  const { folder, store, outlines } = await filledStore({ openDatabase: disk.open });
  const target = await newFolder();
  // The store itself writes nothing during a backup.
  disk.break();
  await expect(store.backup(target)).rejects.toMatchObject({
    code: "store_unavailable",
    message: expect.stringContaining(target),
  });
  const around = await newFolder();
  await expect(store.backup(join(around, "of", "today"))).rejects.toMatchObject({
    code: "store_unavailable",
  });
  disk.heal();
  expect(await readdir(target)).toEqual([]);
  // Nor the folders that it has made.
  expect(await readdir(around)).toEqual([]);
  expect(await store.log.append(outlines[0] ?? anOutline(), { updates: [bytes("x")] })).toBe(7);
  const below = join(folder, "CURRENT", "x");
  await expect(store.backup(below)).rejects.toMatchObject({ code: "store_unavailable" });
});

test("[P17] what was dropped or trimmed is not in a backup, though it may still be on the disk", async () => {
  const disk = new FaultyDisk();
  const { store, outlines } = await filledStore({ openDatabase: disk.open });
  const [dropped = anOutline()] = outlines;
  const { passed, open: release } = gate();
  const begin = disk.batches.length;
  disk.beforeWrite = async () => (disk.batches.length === begin + 2 ? passed : undefined);
  const dropping = store.log.drop(dropped);
  while (disk.batches.length < begin + 2) await new Promise(setImmediate);
  const target = await newFolder();
  await store.backup(target);
  release();
  await dropping;
  expect((await recordsOf(target)).filter(({ key }) => key.includes(dropped))).toEqual([]);
});

test("[P18] a backup that is opened is a history of its own, once; and so is every copy of it", async () => {
  const { store, outlines } = await filledStore();
  const [outline = anOutline()] = outlines;
  const { epoch, epochOrdinal } = await store.log.load(outline);
  const target = await newFolder();
  await store.backup(target);
  const copy = await newFolder();
  await cp(target, copy, { recursive: true });
  const epochs = new Set([epoch]);
  for (const folder of [target, copy]) {
    const opened = await open(folder);
    const first = await opened.log.load(outline);
    expect(first.epochOrdinal).toBe(epochOrdinal + 1);
    epochs.add(first.epoch);
    await opened.close();
    const second = await (await open(folder)).log.load(outline);
    expect([second.epoch, second.epochOrdinal]).toEqual([first.epoch, first.epochOrdinal]);
  }
  expect(epochs.size).toBe(3);
});

test("[P19] a restored backup replaces everything, and begins a new history", async () => {
  const { folder, store, outlines, key } = await filledStore();
  const before = await contentOf(store);
  const target = await newFolder();
  await store.backup(target);

  const [changed = anOutline(), removed = anOutline()] = outlines;
  await store.log.append(changed, { updates: [bytes("later")] });
  await store.log.drop(removed);
  const made = anOutline();
  await fill(store, made, "new");
  const newHead = (await store.log.extent(made)).head;
  const accounts = accountsOf(store);
  const later = await accounts.addUser("later");
  await accounts.revokeKey("me" as never, (await accounts.authenticate(key))?.keyId ?? "");
  const old = await store.log.load(changed);

  const progress: StoreProgress[] = [];
  const lacking: LackingUpdates[] = [];
  const restoring = store.restore(
    target,
    (step) => progress.push(step),
    (found) => lacking.push(found),
  );
  expect(await restoring).toEqual({ kind: "restored" });
  expect(progress.at(-1)).toEqual({ outlines: 5, of: 5 });
  // One was written to, and one is new; nobody misses anything of the one that was removed.
  expect(lacking).toEqual([{ updates: 1 + newHead, outlines: 2, clocks: 0, clients: 0 }]);
  expect(await contentOf(store)).toEqual(before);
  accounts.storeReplaced();
  expect(await accounts.authenticate(key)).toMatchObject({ user: "me" });
  expect(await accounts.authenticate(later.kind === "added" ? later.key : "")).toBeUndefined();

  const restored = await store.log.load(changed);
  expect(restored.epochOrdinal).toBe(old.epochOrdinal + 1);
  expect(restored.epoch).not.toBe(old.epoch);
  // A replica from before can't write into what was restored.
  const stale = { updates: [bytes("stale")], epoch: old.epoch };
  await expect(store.log.append(changed, stale)).rejects.toMatchObject({
    code: "store_unavailable",
  });
  await expect(
    store.log.saveSnapshot(changed, snapshotAt(6), { epoch: old.epoch }),
  ).rejects.toMatchObject({
    code: "store_unavailable",
  });
  expect(await store.log.append(changed, { updates: [bytes("on")] })).toBe(7);

  expect(await store.verifyAll()).toEqual([]);
  await store.close();
  const again = await open(folder);
  expect(await again.log.load(changed)).toMatchObject({
    head: 7,
    epoch: restored.epoch,
    epochOrdinal: restored.epochOrdinal,
  });
  // Nothing of the replaced history is left.
  await again.close();
  expect((await recordsOf(folder)).every(({ key: each }) => !each.startsWith("0000/"))).toBe(true);
});

test("[P19] a backup stays byte for byte as it was when it is restored", async () => {
  const { folder, store } = await filledStore();
  const target = await newFolder();
  await store.backup(target);
  const before = await filesIn(target);
  expect(await store.restore(target)).toEqual({ kind: "restored" });
  expect(await filesIn(target)).toEqual(before);
  expect(await readdir(dirname(folder))).not.toContain(`${basename(folder)}.restoring`);
});

test("[P16, P19] a store that is in use is not restored from", async () => {
  const { folder, store } = await filledStore();
  const before = await contentOf(store);
  await expect(store.restore(folder)).rejects.toMatchObject({ code: "store_locked" });
  const other = await filledStore();
  await expect(store.restore(other.folder)).rejects.toMatchObject({ code: "store_locked" });
  expect(await contentOf(store)).toEqual(before);
});

test("[P19] it counts before what it replaces has been removed, which takes longer the more it is", async () => {
  const disk = new FaultyDisk();
  const { store, outlines, key } = await filledStore({ openDatabase: disk.open });
  const before = await contentOf(store);
  const target = await newFolder();
  await store.backup(target);
  const [changed = anOutline()] = outlines;
  await store.log.append(changed, {
    updates: Array.from({ length: 5000 }, (_, index) => bytes(`later ${index}`)),
  });
  let replacedAt = 0;
  let content: Promise<unknown> | undefined;
  await store.restore(target, undefined, () => {
    replacedAt = disk.batches.length;
    content = contentOf(store);
  });
  expect(await content).toEqual(before);
  expect(disk.batches.length).toBeGreaterThan(replacedAt + 1);
  expect(await accountsOf(store).authenticate(key)).toMatchObject({ user: "me" });
});

test("[P19] the ordinal is one more than the store's and the backup's", async () => {
  const { store, outlines } = await filledStore();
  const [outline = anOutline()] = outlines;
  const target = await newFolder();
  await store.backup(target);
  for (const ordinal of [1, 2, 3]) {
    await store.restore(target);
    expect((await store.log.load(outline)).epochOrdinal).toBe(ordinal);
  }
  const newest = await newFolder();
  await store.backup(newest);
  const other = await open(await newFolder());
  expect(await other.restore(newest)).toEqual({ kind: "restored" });
  expect((await other.log.load(outline)).epochOrdinal).toBe(4);
});

test("[P19] what is no backup, or a damaged one, changes nothing", async () => {
  const { store, outlines } = await filledStore();
  const before = await contentOf(store);
  const target = await newFolder();
  await store.backup(target);

  const empty = await newFolder();
  expect(await store.restore(empty)).toEqual({ kind: "no_backup" });
  expect(await store.restore(join(empty, "missing"))).toEqual({ kind: "no_backup" });
  expect(await readdir(empty)).toEqual([]);

  const records = await recordsOf(target);
  for (const record of records.filter(({ key }) => key.startsWith("0000/"))) {
    const value = Uint8Array.from(record.value);
    value[0] = (value[0] ?? 0) ^ 1;
    if (!record.key.endsWith("1")) continue;
    await writeRecords(target, [{ ...record, value }]);
    const result = await store.restore(target);
    expect(result.kind).toBe("damaged");
    await writeRecords(target, [record]);
  }
  await writeRecords(target, [{ key: "meta" }]);
  await expect(store.restore(target)).rejects.toMatchObject({ code: "store_corrupt" });
  expect(await contentOf(store)).toEqual(before);
  expect((await store.log.load(outlines[0] ?? anOutline())).epochOrdinal).toBe(0);
});

for (const fault of ["lost", "written"] as const satisfies readonly WriteFault[]) {
  test(`[P19] a restore that fails at any of its writes (${fault}) leaves the old content or the new`, async () => {
    const source = await filledStore();
    const target = await newFolder();
    await source.store.backup(target);
    const restoredContent = await contentOf(source.store);
    const outcomes = new Set<string>();
    for (let failing = 1; failing < 40; failing += 1) {
      const disk = new FaultyDisk();
      const { folder, store } = await filledStore({ openDatabase: disk.open });
      const ownContent = await contentOf(store);
      const begin = disk.batches.length;
      disk.faultOf = (write) => (write === begin + failing ? fault : undefined);
      const result = await store.restore(target).then(
        ({ kind }) => kind,
        ({ code }) => code,
      );
      const isOver = disk.batches.length < begin + failing;
      // As after a crash: the next start finds what there is.
      await store.close();
      const again = await open(folder);
      const content = await contentOf(again);
      const isNew = content.some(([outline]) => outline === source.outlines[0]);
      expect(content).toEqual(isNew ? restoredContent : ownContent);
      expect(await again.verifyAll()).toEqual([]);
      const { epochOrdinal } = await again.log.load(source.outlines[0] ?? anOutline());
      expect(epochOrdinal).toBe(isNew ? 1 : 0);
      outcomes.add(`${result}, ${isNew ? "new" : "old"}`);
      await again.close();
      const left = new Set((await recordsOf(folder)).map(({ key }) => key.split("/")[0]));
      expect(left).toEqual(new Set([isNew ? "0001" : "0000", "closed", "meta"]));
      if (isOver) break;
    }
    expect(outcomes).toContain("store_unavailable, old");
    expect(outcomes).toContain("restored, new");
    if (fault === "written") expect(outcomes).toContain("store_unavailable, new");
  });
}

/** A backup of more records than a page holds, and what it holds. */
async function largeBackup() {
  const source = await filledStore();
  const [outline = anOutline()] = source.outlines;
  await source.store.log.append(outline, {
    updates: Array.from({ length: 2000 }, (_, index) => bytes(`large ${index}`)),
  });
  const target = await newFolder();
  await source.store.backup(target);
  return { target, content: await contentOf(source.store) };
}

/** Calls back before a later page of the backup is copied: the first reading only verifies it. */
function whileCopying(disk: FaultyDisk, target: string, task: () => Promise<void>): void {
  let firstWrite: number | undefined;
  disk.beforePage = async (folder) => {
    firstWrite ??= disk.batches.length;
    // Two marks and a sweep come before the first page.
    if (folder !== target || disk.batches.length < firstWrite + 5) return;
    disk.beforePage = async () => undefined;
    await task();
  };
}

test("[P19] a store that was opened again while a backup is copied in keeps what it had", async () => {
  const disk = new FaultyDisk();
  const { store, outlines } = await filledStore({ openDatabase: disk.open });
  const [outline = anOutline()] = outlines;
  const before = await contentOf(store);
  const { target, content } = await largeBackup();
  let failures = 0;
  whileCopying(disk, target, async () => {
    failures += 1;
    disk.break();
    await expect(store.log.append(outline, { updates: [bytes("x")] })).rejects.toMatchObject({
      code: "store_unavailable",
    });
    disk.heal();
    await store.log.load(outline);
  });
  await expect(store.restore(target)).rejects.toMatchObject({ code: "store_unavailable" });
  expect(failures).toBe(1);
  expect(await contentOf(store)).toEqual(before);
  expect(await store.verifyAll()).toEqual([]);
  expect(await store.restore(target)).toEqual({ kind: "restored" });
  expect(await contentOf(store)).toEqual(content);
});

test("[P19] nothing of a backup that could not be read to its end gets into the next one", async () => {
  const disk = new FaultyDisk();
  const { store } = await filledStore({ openDatabase: disk.open });
  const before = await contentOf(store);
  const large = await largeBackup();
  whileCopying(disk, large.target, () => Promise.reject(diskError()));
  await expect(store.restore(large.target)).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await contentOf(store)).toEqual(before);
  const small = await filledStore();
  const target = await newFolder();
  await small.store.backup(target);
  expect(await store.restore(target)).toEqual({ kind: "restored" });
  expect(await contentOf(store)).toEqual(await contentOf(small.store));
  expect(await store.verifyAll()).toEqual([]);
});

test("[P12] closing ends a backup and a restore that are under way", async () => {
  for (const task of ["backup", "restore"] as const) {
    const disk = new FaultyDisk();
    const { store, folder } = await filledStore({ openDatabase: disk.open });
    const target = await newFolder();
    if (task === "restore") await store.backup(target);
    const { passed, open: release } = gate();
    const begin = disk.batches.length;
    disk.beforeWrite = async () => (disk.batches.length > begin ? passed : undefined);
    const running = store[task](target).catch(({ code }) => code);
    while (disk.batches.length === begin) await new Promise(setImmediate);
    const closing = store.close();
    release();
    expect(await running).toBe("store_closed");
    await closing;
    expect(await (await open(folder)).verifyAll()).toEqual([]);
  }
});

test.each(["verifyAll", "restore"] as const)(
  "[P12] closing ends %s before another outline is read",
  async (task) => {
    for (let at = 1; ; at += 1) {
      const disk = new FaultyDisk();
      const { store } = await filledStore({ openDatabase: disk.open });
      const target = await newFolder();
      await store.backup(target);
      let scans = 0;
      let closing: Promise<void> | undefined;
      disk.afterKeys = async () => {
        scans += 1;
        if (scans === at) closing = store.close();
      };
      // What counts is restored, whether or not what it replaces is removed at once.
      const onReplaced = (): void => void (disk.afterKeys = async () => undefined);
      const running =
        task === "verifyAll" ? store.verifyAll() : store.restore(target, undefined, onReplaced);
      const outcome = await running.catch(({ code }) => code);
      if (closing === undefined) break;
      await closing;
      expect({ at, scans, outcome }).toEqual({ at, scans: at, outcome: "store_closed" });
    }
  },
);

import { randomBytes } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import * as Y from "yjs";

import { Accounts } from "../../src/accounts/accounts.ts";
import type { UserId } from "../../src/accounts/account-store.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import { putHead } from "../../src/store/level/heads.ts";
import { openLevelDatabase } from "../../src/store/level/level-database.ts";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import { seal } from "../../src/store/record.ts";
import { type RepairOptions, repairStore } from "../../src/store/level/repair-store.ts";
import { StoreKeys } from "../../src/store/store-keys.ts";
import { putMeta } from "../../src/store/level/store-meta.ts";
import { levelFolders, recordsOf, writeRecords } from "./support/level-folder.ts";
import { runStoreProcess } from "./support/run-store-process.ts";

const { newFolder, open } = levelFolders();
const KEYS = new StoreKeys(0);
const ANN = "ann" as UserId;

function repair(folder: string, options: Partial<RepairOptions> = {}) {
  return repairStore(folder, {
    newEpoch: () => randomBytes(10).toString("hex"),
    now: Date.now,
    keepKeys: false,
    onProgress: () => undefined,
    ...options,
  });
}

function accountsOf(store: LevelStore): Accounts {
  return new Accounts({ store: store.accounts, now: Date.now, randomBytes, random: Math.random });
}

/** Two users; each outline has lines of two clients, a snapshot of the first six, and the last four behind it. */
async function filledStore() {
  const folder = join(await newFolder(), "store");
  const store = await open(folder, { tail: { updates: 2, bytes: 10_000 } });
  const outlines: OutlineId[] = [];
  const keys: string[] = [];
  for (const user of ["ann", "bob"]) {
    const added = await accountsOf(store).addUser(user);
    if (added.kind !== "added") throw new Error("not added");
    outlines.push(added.user.outline);
    keys.push(added.key);
    const doc = new Y.Doc();
    const updates: Uint8Array[] = [];
    doc.on("update", (update) => updates.push(update));
    for (let line = 1; line <= 10; line++) {
      doc.clientID = line % 2 === 0 ? 20 : 10;
      doc.getArray("lines").push([line]);
      if (line === 6) {
        await store.log.append(added.user.outline, { updates: updates.splice(0) });
        await store.log.saveSnapshot(added.user.outline, {
          seq: 6,
          chunks: [Y.encodeStateAsUpdate(doc)],
          stateVector: Y.encodeStateVector(doc),
          annex: Buffer.from("annex"),
        });
      }
    }
    const bindings = [{ client: 10, holder: { kind: "server" } as const }];
    await store.log.append(added.user.outline, { updates, bindings });
  }
  await store.close();
  const [first, second] = outlines;
  if (first === undefined || second === undefined) throw new Error("two users");
  return { folder, keys, first, second };
}

async function linesIn(store: LevelStore, outline: OutlineId): Promise<readonly unknown[]> {
  const { snapshot, updates } = await store.log.load(outline);
  const doc = new Y.Doc();
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  for (const { update } of updates) Y.applyUpdate(doc, update);
  expect(doc.store.pendingStructs).toBe(null);
  return doc.getArray("lines").toArray();
}

/** Makes records be what was never written. */
async function damage(folder: string, ...keys: readonly string[]): Promise<void> {
  for (const { key, value } of await recordsOf(folder)) {
    if (!keys.includes(key)) continue;
    const damaged = Uint8Array.from(value);
    damaged[0] = (damaged[0] ?? 0) ^ 1;
    await writeRecords(folder, [{ key, value: damaged }]);
  }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of (await readdir(folder)).toSorted()) {
    if (!/^LO(G|CK)/.test(name)) files.set(name, await readFile(join(folder, name)));
  }
  return files;
}

const ALL_LINES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

test("[P24] where nothing is damaged a repair changes nothing", async () => {
  const { folder, first } = await filledStore();
  const before = await filesIn(folder);
  expect(await repair(folder)).toBe(undefined);
  expect(await filesIn(folder)).toEqual(before);
  expect(await readdir(dirname(folder))).toEqual(["store"]);
  const store = await open(folder);
  expect(await store.log.load(first)).toMatchObject({ epochOrdinal: 0 });
});

test("[P24] an outline with a damaged record is served again with what fits together, and says what is missing", async () => {
  const { folder, keys, first, second } = await filledStore();
  // Line 7 is client 10's, on which its line 9 builds; every line builds on the one before it.
  await damage(folder, KEYS.update(first, 9));
  const before = await open(folder);
  await expect(before.log.load(first)).rejects.toMatchObject({ code: "outline_corrupt" });
  expect(await linesIn(before, second)).toEqual(ALL_LINES);
  await before.close();
  const damaged = await filesIn(folder);

  const repaired = await repair(folder);
  // Lines 9 and 10 are lost; of line 10 it is known that it was there.
  expect(repaired).toMatchObject({
    outlines: [{ outline: first, records: 1, missing: { clocks: 1, clients: 1 } }],
    otherRecords: 0,
    isInDoubt: false,
    endedKeys: 0,
  });
  expect(await filesIn(repaired?.aside ?? "")).toEqual(damaged);
  expect((await readdir(dirname(folder))).toSorted()).toEqual([
    "store",
    basename(repaired?.aside ?? ""),
  ]);

  const store = await open(folder);
  expect(await linesIn(store, first)).toEqual(ALL_LINES.slice(0, 8));
  expect(await linesIn(store, second)).toEqual(ALL_LINES);
  expect(await store.log.load(first)).toMatchObject({
    epochOrdinal: 1,
    head: 8,
    lost: new Map([[20, 5]]),
    bindings: new Map([[10, { kind: "server" }]]),
  });
  expect(await store.verifyAll()).toEqual([]);
  expect(await accountsOf(store).authenticate(keys[0] ?? "")).toMatchObject({ user: "ann" });
  expect(await store.log.append(first, { updates: [] })).toBe(8);
});

test("[P24] of an update that deletes what is lost as well, all else that it deletes stays deleted", async () => {
  const { folder, first } = await filledStore();
  const store = await open(folder);
  const doc = new Y.Doc();
  const { snapshot, updates } = await store.log.load(first);
  for (const chunk of snapshot?.chunks ?? []) Y.applyUpdate(doc, chunk);
  for (const { update } of updates) Y.applyUpdate(doc, update);
  const later: Uint8Array[] = [];
  doc.on("update", (update) => later.push(update));
  doc.clientID = 20;
  doc.getArray("lines").push([11]);
  doc.getArray("lines").delete(3, 8);
  await store.log.append(first, { updates: later });
  await store.close();
  await damage(folder, KEYS.update(first, 11));
  expect(await repair(folder)).toMatchObject({ outlines: [{ outline: first, records: 1 }] });
  expect(await linesIn(await open(folder), first)).toEqual([1, 2, 3]);
});

test("[P24] whatever record of an outline is damaged or gone, the repair makes it one that is served", async () => {
  const { folder, first } = await filledStore();
  const records = (await recordsOf(folder)).filter(({ key }) => key.includes(first));
  const kept: number[] = [];
  for (const { key } of records.filter((record) => !record.key.includes("/a/"))) {
    for (const isGone of [false, true]) {
      const copy = join(await newFolder(), "store");
      await cp(folder, copy, { recursive: true });
      if (isGone) await writeRecords(copy, [{ key }]);
      else await damage(copy, key);
      await repair(copy);
      const store = await open(copy);
      const lines = await linesIn(store, first);
      expect(lines).toEqual(ALL_LINES.slice(0, lines.length));
      kept.push(lines.length);
      expect(await store.verifyAll()).toEqual([]);
      await store.close();
    }
  }
  // Without the snapshot nothing fits; without the last update only that is missing.
  expect(new Set(kept)).toEqual(new Set([0, 6, 7, 8, 9, 10]));
});

test("[P24] an outline that an older version's salvage has marked is served again", async () => {
  const { folder, first, second } = await filledStore();
  const key = KEYS.head(first);
  await writeRecords(folder, [{ key, value: seal(key, Buffer.from("lost")) }]);
  const before = await open(folder);
  await expect(before.log.load(first)).rejects.toMatchObject({ code: "outline_corrupt" });
  expect(await linesIn(before, second)).toEqual(ALL_LINES);
  await before.close();
  expect(await repair(folder)).toMatchObject({ outlines: [{ outline: first }], isInDoubt: false });
  const store = await open(folder);
  expect(await linesIn(store, first)).toEqual(ALL_LINES);
});

test("[P24] a database that LevelDB can't open is put together from its files", async () => {
  const { folder, keys, first, second } = await filledStore();
  const cases: readonly ((copy: string) => Promise<void>)[] = [
    (copy) => rm(join(copy, "CURRENT")),
    (copy) => writeFile(join(copy, "CURRENT"), "nonsense"),
    async (copy) => {
      for (const name of await readdir(copy)) {
        if (name.startsWith("MANIFEST")) await truncate(join(copy, name), 20);
      }
    },
  ];
  for (const breakIt of cases) {
    const copy = join(await newFolder(), "store");
    await cp(folder, copy, { recursive: true });
    await breakIt(copy);
    await expect(open(copy)).rejects.toMatchObject({
      code: "store_corrupt",
      message: expect.stringContaining('run "outline repair"'),
    });
    expect(await repair(copy, { keepKeys: true })).toMatchObject({ isInDoubt: true, endedKeys: 0 });
    const store = await open(copy);
    expect(await linesIn(store, first)).toEqual(ALL_LINES);
    expect(await linesIn(store, second)).toEqual(ALL_LINES);
    expect(await store.verifyAll()).toEqual([]);
    expect(await accountsOf(store).authenticate(keys[0] ?? "")).toMatchObject({ user: "ann" });
    expect((await store.log.load(first)).epochOrdinal).toBe(1);
    await store.close();
  }
});

test("[P24] where a revoked key could be valid again all keys and sessions end, unless they are to be kept", async () => {
  const { folder } = await filledStore();
  const first = await open(folder);
  const added = await accountsOf(first).createKey(ANN, { name: "lost laptop" });
  if (added.kind !== "created") throw new Error("not created");
  await first.close();
  // A table with the key; its removal is in the log behind it, of which the end is lost.
  const second = await open(folder);
  const log = join(folder, (await readdir(folder)).findLast((name) => name.endsWith(".log")) ?? "");
  const { byteLength } = await readFile(log);
  await accountsOf(second).revokeKey(ANN, added.id);
  await second.close();
  await truncate(log, byteLength);
  for (const keepKeys of [true, false]) {
    const copy = join(await newFolder(), "store");
    await cp(folder, copy, { recursive: true });
    const repaired = await repair(copy, { keepKeys });
    expect(repaired).toMatchObject({ isInDoubt: true, endedKeys: keepKeys ? 0 : 3 });
    const store = await open(copy);
    const user = (await accountsOf(store).authenticate(added.key))?.user;
    expect(user).toBe(keepKeys ? "ann" : undefined);
    expect((await store.accounts.users()).map(({ id }) => id)).toEqual(["ann", "bob"]);
    expect(await store.verifyAll()).toEqual([]);
    await store.close();
  }
});

test("[P24] a damaged record of a key costs that key, and no other one", async () => {
  const { folder, keys } = await filledStore();
  await damage(folder, KEYS.apiKey(ANN, 0));
  expect(await repair(folder)).toMatchObject({ outlines: [], otherRecords: 1, endedKeys: 0 });
  const store = await open(folder);
  const users = await Promise.all(
    keys.map(async (key) => (await accountsOf(store).authenticate(key))?.user),
  );
  expect(users).toEqual([undefined, "bob"]);
  expect(await store.verifyAll()).toEqual([]);
});

test("[P24] what was trimmed or dropped and comes back does no harm", async () => {
  const { folder, first, second } = await filledStore();
  const trimmed = KEYS.update(first, 1);
  const before = await recordsOf(folder);
  const [someUpdate] = before.filter(({ key }) => key === KEYS.update(second, 9));
  const store = await open(folder);
  await store.log.drop(second);
  await store.close();
  // As LevelDB brings them back: an update below the snapshot, and one of an outline that is gone.
  await writeRecords(folder, [
    { key: trimmed, value: seal(trimmed, new Uint8Array([0, 0])) },
    { key: someUpdate?.key ?? "", value: someUpdate?.value ?? new Uint8Array() },
    // Of a generation that a backup has replaced.
    putHead(new StoreKeys(7), first, 3),
  ]);
  expect(await repair(folder)).toMatchObject({ isInDoubt: false });
  const again = await open(folder);
  expect(await linesIn(again, first)).toEqual(ALL_LINES);
  expect(await linesIn(again, second)).toEqual([]);
  expect(await again.verifyAll()).toEqual([]);
  await again.close();
  expect((await recordsOf(folder)).filter(({ key }) => key.startsWith("0007/"))).toEqual([]);
});

test("[P24] an older record of the store does not bring back an older epoch", async () => {
  const { folder, first } = await filledStore();
  const client = 5 * 65_536 + 3;
  const store = await open(folder);
  const holder = { kind: "server" } as const;
  await store.log.append(first, { updates: [], bindings: [{ client, holder }] });
  await store.close();
  await damage(folder, KEYS.update(first, 10));
  await repair(folder);
  const again = await open(folder);
  expect((await again.log.load(first)).epochOrdinal).toBe(6);
  await again.close();

  await writeRecords(folder, [{ key: "meta" }]);
  await expect(open(folder)).rejects.toMatchObject({ code: "store_corrupt" });
  expect(await repair(folder)).toMatchObject({ otherRecords: 1, isInDoubt: false });
  expect((await (await open(folder)).log.load(first)).epochOrdinal).toBeGreaterThan(5);
});

test("[P24] what another process has open, another program's and another format are left as they are", async () => {
  const { folder } = await filledStore();
  const holder = runStoreProcess(["hold", folder]);
  await holder.until((said) => said.includes("open"));
  await expect(repair(folder)).rejects.toMatchObject({ code: "store_locked" });
  expect(await readdir(dirname(folder))).toEqual(["store"]);
  const running = join(`${folder}.repairing`, "copy");
  await mkdir(running, { recursive: true });
  await expect(repair(folder)).rejects.toMatchObject({ code: "store_locked" });
  expect(await readdir(dirname(running))).toContain("copy");
  await holder.kill();

  const foreign = join(await newFolder(), "store");
  await mkdir(foreign);
  await writeFile(join(foreign, "diary.txt"), "dear diary");
  await expect(repair(foreign)).rejects.toMatchObject({
    message: expect.stringContaining("nothing of a store"),
  });
  const database = await openLevelDatabase(join(foreign, "..", "other"), { create: true });
  await database.write([{ key: "something", value: Buffer.from("else") }]);
  await database.close();
  await expect(repair(join(foreign, "..", "other"))).rejects.toMatchObject({
    message: expect.stringContaining("no complete store"),
  });

  await writeRecords(folder, [putMeta({ format: 9, epoch: "x", epochOrdinal: 0, generation: 0 })]);
  const before = (await recordsOf(folder)).length;
  await expect(repair(folder)).rejects.toMatchObject({
    message: expect.stringContaining("of another version"),
  });
  expect((await recordsOf(folder)).length).toBe(before);
  for (const path of [folder, foreign]) {
    const beside = await readdir(dirname(path));
    expect(beside.filter((name) => /salvaged|damaged|repairing/.test(name))).toEqual([]);
  }
});

test("[P24] a repair that was killed before its end is begun anew", async () => {
  const { folder, first } = await filledStore();
  await damage(folder, KEYS.update(first, 10));
  for (const left of [`${folder}.salvaged`, join(`${folder}.repairing`, "copy")]) {
    await cp(folder, left, { recursive: true });
  }
  expect(await repair(folder)).toMatchObject({ outlines: [{ outline: first }] });
  expect((await readdir(dirname(folder))).filter((name) => !name.includes("damaged-"))).toEqual([
    "store",
  ]);
});

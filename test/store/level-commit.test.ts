import { expect, test } from "vitest";

import type { KeyRecord, User, UserId } from "../../src/accounts/account-store.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import type { CommitStatistics } from "../../src/store/store-events.ts";
import { FaultyDisk, gate } from "./support/faulty-disk.ts";
import { levelFolders } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const anOutline = () => newOutlineId(Math.random);
const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(7);

/** A store whose first commit is under way, and is held until the gate opens. */
async function storeWithHeldCommit(options: { readonly maxBatchBytes?: number } = {}) {
  const disk = new FaultyDisk();
  const commits: CommitStatistics[] = [];
  const events = { onCommit: (statistics: CommitStatistics) => commits.push(statistics) };
  const store = await open(await newFolder(), { openDatabase: disk.open, events, ...options });
  const { passed, open: release } = gate();
  disk.beforeWrite = () => passed;
  const before = disk.batches.length;
  const first = store.log.append(anOutline(), { updates: [bytes(10)] });
  while (disk.batches.length === before) await new Promise(setImmediate);
  return { disk, store, first, release, commits, before };
}

test("[P3] what arrives during a commit shares the next one, whatever it is about", async () => {
  const { disk, store, first, release, commits, before } = await storeWithHeldCommit();
  const user: User = { id: "me" as UserId, outline: anOutline(), createdAt: 1 };
  const key: KeyRecord = {
    id: "key_1",
    user: user.id,
    hash: "ab".repeat(32),
    name: "first",
    scope: "write",
    root: undefined,
    maker: undefined,
    createdAt: 1,
    lastUsedAt: undefined,
    expiresAt: undefined,
  };
  const outlines = [anOutline(), anOutline(), anOutline()];
  const { reads } = disk;
  const waiting = [
    ...Array.from({ length: 300 }, (_, index) =>
      store.log.append(outlines[index % 3] ?? anOutline(), { updates: [bytes(20)] }),
    ),
    store.accounts.addUser(user, key),
    store.log.takeToken("export", 1000),
    store.log.probe(),
    store.log.probe(),
  ];
  // What is known of the user and of the token is read first, without waiting for the commit.
  while (disk.reads < reads + 2) await new Promise(setImmediate);
  await new Promise(setImmediate);
  expect(disk.batches.length).toBe(before + 1);
  release();
  await Promise.all([first, ...waiting]);
  expect(disk.batches.length).toBe(before + 2);
  // 300 updates and 3 heads, a user, a key and its hash, a token, one probe for both.
  expect(disk.batches.at(-1)?.length).toBe(300 + 3 + 3 + 1 + 1);
  expect(commits.at(-1)).toMatchObject({ writes: 303, operations: 308 });
});

test("[P3, Q66] a commit takes no more than its limit, and a larger write goes alone", async () => {
  const { disk, store, first, release, before } = await storeWithHeldCommit({
    maxBatchBytes: 10_000,
  });
  const outline = anOutline();
  const sizes = [...Array.from({ length: 30 }, () => 1000), 50_000, 10, 10];
  const appends = sizes.map((size) => store.log.append(outline, { updates: [bytes(size)] }));
  release();
  await first;
  expect(await Promise.all(appends)).toEqual(sizes.map((_, index) => index + 1));
  const batches = disk.batches.slice(before + 1);
  // Each with one head, which is not counted here.
  expect(batches.map((operations) => operations.length - 1)).toEqual([9, 9, 9, 3, 1, 2]);
});

test("[P3] answers come in the order of the calls, after their commit", async () => {
  const { store, first, release } = await storeWithHeldCommit();
  const answered: string[] = [];
  const outline = anOutline();
  const appends = ["a", "b", "c"].map(async (label) => {
    await store.log.append(outline, { updates: [bytes(1)] });
    answered.push(label);
  });
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
  expect(answered).toEqual([]);
  expect((await store.log.load(outline)).head).toBe(0);
  release();
  await Promise.all([first, ...appends]);
  expect(answered).toEqual(["a", "b", "c"]);
});

test("[P3] an append that is refused adds nothing to the commit that others share", async () => {
  const { store, first, release } = await storeWithHeldCommit();
  const outline = anOutline();
  const results = Promise.allSettled([
    store.log.append(outline, { updates: [bytes(1)] }),
    store.log.append(outline, { updates: [bytes(1)], epoch: "another" }),
    store.log.append(outline, { updates: [bytes(1)] }),
  ]);
  release();
  await first;
  expect(await results).toMatchObject([
    { status: "fulfilled", value: 1 },
    { status: "rejected", reason: { code: "store_unavailable" } },
    { status: "fulfilled", value: 2 },
  ]);
});

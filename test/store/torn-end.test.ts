import { randomBytes } from "node:crypto";
import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import { Accounts } from "../../src/accounts/accounts.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { maskedCrc32c } from "../../src/store/crc32c.ts";
import type { TornEnd } from "../../src/store/file-damage.ts";
import type { LevelStore } from "../../src/store/level-store.ts";
import type { Salvage } from "../../src/store/salvage.ts";
import { levelFolders } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const OUTLINE = newOutlineId(Math.random);
const UPDATES = [Buffer.from("first".repeat(50)), Buffer.from("second".repeat(50))];

async function fileIn(folder: string, kind: RegExp): Promise<string> {
  const name = (await readdir(folder)).toSorted().findLast((file) => kind.test(file));
  if (name === undefined) throw new Error(`no ${String(kind)} in ${folder}`);
  return name;
}

/** A copy of a store that is open, as a crash would leave it. */
async function crashedCopy(folder: string): Promise<string> {
  const copy = join(await newFolder(), "store");
  await cp(folder, copy, { recursive: true });
  return copy;
}

async function addUser(store: LevelStore, user: string): Promise<void> {
  const { accounts } = store;
  await new Accounts({
    store: accounts,
    now: Date.now,
    randomBytes,
    random: Math.random,
  }).addUser(user);
}

test("[P23] a write that a crash has cut off is left out and told of, with its outline", async () => {
  const folder = await newFolder();
  const store = await open(folder);
  for (const update of UPDATES) await store.log.append(OUTLINE, { updates: [update] });
  const copy = await crashedCopy(folder);
  const ends: TornEnd[] = [];
  const events = { onTornEnd: (end: TornEnd) => void ends.push(end) };
  const file = await fileIn(copy, /\.log$/);
  const { byteLength } = await readFile(join(copy, file));
  await truncate(join(copy, file), byteLength - 9);

  const reopened = await open(copy, { events });
  expect((await reopened.log.load(OUTLINE)).head).toBe(1);
  expect(ends).toEqual([{ file, bytes: expect.any(Number), outlines: [OUTLINE] }]);
  expect(ends[0]?.bytes).toBeGreaterThan(300);
  await reopened.close();
  // What is whole is nothing to tell of.
  await (await open(copy, { events })).close();
  await (await open(await crashedCopy(folder), { events })).close();
  expect(ends).toHaveLength(1);
});

test("[P23] a manifest whose last entry can't be read is damaged, unless a crash has cut it off", async () => {
  const folder = await newFolder();
  await (await open(folder)).close();
  const store = await open(folder);
  for (const update of UPDATES) await store.log.append(OUTLINE, { updates: [update] });
  await store.close();
  // Opening it moves what was in the log into a table, which only the last entry names.
  const again = await open(folder);
  const copy = await crashedCopy(folder);
  await again.close();
  const manifest = await fileIn(copy, /^MANIFEST/);
  const bytes = await readFile(join(copy, manifest));
  bytes[bytes.byteLength - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(join(copy, manifest), bytes);

  await expect(open(copy)).rejects.toMatchObject({ code: "store_corrupt" });
  let salvage: Salvage | undefined;
  const salvaging = { onBegin: () => undefined, onEnd: (each: Salvage) => (salvage = each) };
  const reopened = await open(copy, { salvaging });
  expect(salvage).toMatchObject({ refused: [] });
  expect((await reopened.log.load(OUTLINE)).head).toBe(2);
});

test("[P23] a log that is still needed and gone is damage after a crash too", async () => {
  const folder = await newFolder();
  const store = await open(folder);
  await store.log.append(OUTLINE, { updates: UPDATES });
  const copy = await crashedCopy(folder);
  await rm(join(copy, await fileIn(copy, /\.log$/)));
  await expect(open(copy)).rejects.toMatchObject({
    code: "store_corrupt",
    message: expect.stringContaining("needs a log that is gone"),
  });
});

test("[P23] a store whose making a crash has interrupted is made", async () => {
  const folder = await newFolder();
  // As LevelDB writes it before there is a log: with the numbers 0, 2 and 0.
  const comparator = Buffer.from("leveldb.BytewiseComparator");
  const entry = Buffer.from([1, comparator.byteLength, ...comparator, 2, 0, 3, 2, 4, 0]);
  const header = Buffer.alloc(7);
  header.writeUInt16LE(entry.byteLength, 4);
  header.writeUInt8(1, 6);
  header.writeUInt32LE(maskedCrc32c(Buffer.concat([Buffer.of(1), entry])), 0);
  await writeFile(join(folder, "MANIFEST-000001"), Buffer.concat([header, entry]));
  await writeFile(join(folder, "CURRENT"), "MANIFEST-000001\n");
  const store = await open(folder);
  expect(await store.log.append(OUTLINE, { updates: UPDATES })).toBe(2);
});

test("[P24] when the end of a log is lost, users and keys are said to be in doubt", async () => {
  const folder = await newFolder();
  const store = await open(folder);
  await addUser(store, "ann");
  const file = await fileIn(folder, /\.log$/);
  const { byteLength } = await readFile(join(folder, file));
  await addUser(store, "bob");
  await store.close();
  await truncate(join(folder, file), byteLength);
  let salvage: Salvage | undefined;
  const salvaging = { onBegin: () => undefined, onEnd: (each: Salvage) => (salvage = each) };
  const reopened = await open(folder, { salvaging });
  expect((await reopened.accounts.users()).map(({ id }) => id)).toEqual(["ann"]);
  expect(salvage).toMatchObject({ refused: [], mayLackAccounts: true });
});

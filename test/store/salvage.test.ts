import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

import { Accounts } from "../../src/accounts/accounts.ts";
import type { OutlineId } from "../../src/core/node-key.ts";
import type { LoadedOutline } from "../../src/documents/outline-log.ts";
import { StoreError } from "../../src/documents/outline-log.ts";
import type { LevelStore } from "../../src/store/level-store.ts";
import type { Salvage } from "../../src/store/salvage.ts";
import { integerBelow, seededRandom } from "../support/seeded-random.ts";
import { levelFolders, writeRecords } from "./support/level-folder.ts";
import { runStoreProcess } from "./support/run-store-process.ts";

const { newFolder, open } = levelFolders();

const USERS = ["ann", "bob", "cleo"] as const;

const UNHEARD = { onBegin: () => undefined, onEnd: () => undefined };

interface Filled {
  readonly folder: string;
  readonly outlines: readonly OutlineId[];
  readonly expected: readonly unknown[];
}

function accountsOf(store: LevelStore): Accounts {
  return new Accounts({ store: store.accounts, now: Date.now, randomBytes, random: Math.random });
}

/** Three users, each with snapshot, tail and bindings, in tables and in a log. */
async function filledStore(random: () => number): Promise<Filled> {
  const folder = join(await newFolder(), "store");
  const outlines: OutlineId[] = [];
  for (const part of ["first", "second"]) {
    const store = await open(folder);
    if (part === "first") {
      for (const user of USERS) {
        const added = await accountsOf(store).addUser(user);
        if (added.kind === "added") outlines.push(added.user.outline);
      }
    }
    for (let round = 0; round < 12; round++) {
      for (const [index, outline] of outlines.entries()) {
        const size = 20 + integerBelow(random, 900);
        const update = Buffer.from(`${outline} ${part} ${round} ${"y".repeat(size)}`);
        const binding = { client: 65_536 + index, holder: { kind: "server" } } as const;
        await store.log.append(outline, { updates: [update], bindings: [binding] });
      }
    }
    for (const outline of outlines) {
      const { head } = await store.log.load(outline);
      const chunks = [Buffer.from(`${outline} up to ${head}`), randomBytes(6_000)];
      const [stateVector, annex] = [Buffer.from("vector"), Buffer.from("annex")];
      await store.log.saveSnapshot(outline, { seq: head - 5, chunks, stateVector, annex });
    }
    await store.close();
  }
  const store = await open(folder);
  // Opening has moved everything into tables: the log is to hold something too.
  for (const outline of outlines) {
    for (let round = 0; round < 4; round++) {
      await store.log.append(outline, { updates: [Buffer.from(`${outline} last ${round}`)] });
    }
  }
  const expected = await Promise.all(outlines.map((outline) => contentOf(store, outline)));
  await store.close();
  return { folder, outlines, expected };
}

/** An outline as it is stored, whatever the epoch. */
async function contentOf(store: LevelStore, outline: OutlineId): Promise<unknown> {
  const { epoch: _, epochOrdinal: __, ...content } = await store.log.load(outline);
  return content satisfies Partial<LoadedOutline>;
}

async function copyOf(folder: string): Promise<string> {
  const copy = join(await newFolder(), "store");
  await cp(folder, copy, { recursive: true });
  return copy;
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder)) {
    if (!/^LO(G|CK)/.test(name)) files.set(name, await readFile(join(folder, name)));
  }
  return files;
}

/** Starts on a damaged copy, and compares: each outline is as it was, or refused by its name. */
async function startOn(
  folder: string,
  { outlines, expected }: Filled,
): Promise<{ readonly refused: readonly number[]; readonly salvage: Salvage | undefined }> {
  const before = await filesIn(folder);
  let salvage: Salvage | undefined;
  let begun = "";
  const store = await open(folder, {
    salvaging: {
      onBegin: (damage) => (begun = damage),
      onEnd: (each) => (salvage = each),
    },
  });
  expect(begun).toBe(salvage?.damage ?? "");
  const refused: number[] = [];
  for (const [index, outline] of outlines.entries()) {
    try {
      expect(await contentOf(store, outline)).toEqual(expected[index]);
      expect(salvage?.refused ?? []).not.toContain(outline);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      expect(error).toMatchObject({ code: "outline_corrupt", outline });
      expect(error.message).toContain(outline);
      expect(salvage?.refused).toContain(outline);
      refused.push(index);
      await store.log.drop(outline);
      expect(await store.log.append(outline, { updates: [Buffer.from("x")] })).toBe(1);
    }
  }
  await store.close();
  if (salvage !== undefined) {
    // The damaged store is kept as it was, and nothing else lies about.
    const after = await filesIn(salvage.aside);
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [name, content] of after)
      expect(content.equals(before.get(name) ?? Buffer.of())).toBe(true);
    expect((await readdir(dirname(folder))).toSorted()).toEqual(["store", basename(salvage.aside)]);
  }
  const again = await open(folder);
  // A gap may be left in what a snapshot makes up for; all that is there is as it was written.
  expect((await again.verifyAll()).filter(({ kind }) => kind === "damaged")).toEqual([]);
  await again.close();
  return { refused, salvage };
}

test("[P24] with bits flipped anywhere a start serves what is whole and names what is not", async () => {
  const random = seededRandom(24);
  const filled = await filledStore(random);
  const files = await filesIn(filled.folder);
  const outcomes = new Map<string, number>();
  let wholeTimes = 0;
  for (const [name, content] of files) {
    for (let run = 0; run < 10; run++) {
      const copy = await copyOf(filled.folder);
      const damaged = Buffer.from(content);
      const at = integerBelow(random, damaged.length);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << integerBelow(random, 8));
      await writeFile(join(copy, name), damaged);
      // As after a crash: then only the end of a file may rightly be torn.
      if (run % 2 === 0 && at < damaged.length / 2) await rm(join(copy, "CLOSED"), { force: true });
      const { refused, salvage } = await startOn(copy, filled);
      if (salvage !== undefined) {
        const kind = name.replaceAll(/\d+/g, "");
        outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
        if (refused.length < 3) wholeTimes++;
      }
      await rm(dirname(copy), { recursive: true });
    }
  }
  // Damage was met in files of each kind, and most of the time others were served.
  expect([...outcomes.keys()].toSorted()).toEqual([".ldb", ".log", "CURRENT", "MANIFEST-"]);
  expect(wholeTimes).toBeGreaterThan(30);
});

test("[P24] with files cut short, emptied or gone a start does the same", async () => {
  const random = seededRandom(25);
  const filled = await filledStore(random);
  for (const [name, content] of await filesIn(filled.folder)) {
    if (name === "CLOSED") continue;
    const lengths = [
      0,
      1,
      content.length - 1,
      ...Array.from({ length: 5 }, () => integerBelow(random, content.length)),
    ];
    for (const length of lengths) {
      const copy = await copyOf(filled.folder);
      await truncate(join(copy, name), length);
      const { salvage } = await startOn(copy, filled);
      expect(salvage, `${name} cut to ${length}`).toBeDefined();
      await rm(dirname(copy), { recursive: true });
    }
    const copy = await copyOf(filled.folder);
    await rm(join(copy, name));
    expect((await startOn(copy, filled)).salvage, `without ${name}`).toBeDefined();
    await rm(dirname(copy), { recursive: true });
  }
});

test("[P24] sectors of zeros and of noise in tables and logs do no other harm", async () => {
  const random = seededRandom(26);
  const filled = await filledStore(random);
  for (const [name, content] of await filesIn(filled.folder)) {
    if (!/\.(ldb|log)$/.test(name)) continue;
    for (let run = 0; run < 10; run++) {
      const copy = await copyOf(filled.folder);
      const damaged = Buffer.from(content);
      const at = integerBelow(random, damaged.length);
      const sector = damaged.subarray(at, at + 512);
      if (run % 2 === 0) sector.fill(0);
      else sector.set(randomBytes(sector.length));
      await writeFile(join(copy, name), damaged);
      await startOn(copy, filled);
      await rm(dirname(copy), { recursive: true });
    }
  }
});

test("[P24] the outline of a damaged record is refused, the others are not, and a new epoch begins", async () => {
  const filled = await filledStore(seededRandom(27));
  const { folder, outlines } = filled;
  const [name, content] =
    [...(await filesIn(folder))].find(([each]) => each.endsWith(".log")) ?? [];
  if (name === undefined || content === undefined) throw new Error("no log");
  const at = content.indexOf(`${outlines[1]} last 1`);
  content[at] = (content[at] ?? 0) ^ 1;
  await writeFile(join(folder, name), content);
  await expect(open(folder)).rejects.toMatchObject({ code: "store_corrupt" });
  const { refused, salvage } = await startOn(folder, filled);
  expect(refused).toEqual([1]);
  expect(salvage).toMatchObject({ refused: [outlines[1]], mayLackAccounts: false });
  expect(salvage?.damage).toContain(`${name} is damaged at byte`);
  const store = await open(folder);
  const { epochOrdinal } = await store.log.load(outlines[0] ?? ("" as OutlineId));
  expect(epochOrdinal).toBe(1);
  expect((await accountsOf(store).listUsers()).map(({ id }) => id)).toEqual([...USERS]);
});

test("[P24] a crash between the renamings is finished at the next start, one before begins anew", async () => {
  const filled = await filledStore(seededRandom(28));
  const { folder, outlines, expected } = filled;
  const copy = await copyOf(folder);
  // Half a copy that a crash has left counts for nothing.
  await cp(folder, `${copy}.salvaged`, { recursive: true });
  await writeFile(join(copy, "CURRENT"), "nonsense");
  expect((await startOn(copy, filled)).refused).toEqual([]);
  await rename(copy, `${copy}.salvaged`);
  const store = await open(copy);
  expect(await contentOf(store, outlines[0] ?? ("" as OutlineId))).toEqual(expected[0]);
});

test("[P24] what another process has open, another program's and a half backup are left as they are", async () => {
  const filled = await filledStore(seededRandom(29));
  const copy = await copyOf(filled.folder);
  const holder = runStoreProcess(["hold", copy]);
  await holder.until((said) => said.includes("open"));
  await writeFile(join(copy, "CURRENT"), "nonsense");
  await expect(open(copy, { salvaging: UNHEARD })).rejects.toMatchObject({
    code: "store_locked",
  });
  expect(await readdir(dirname(copy))).toEqual(["store"]);
  await holder.kill();

  const noMeta = await copyOf(filled.folder);
  await writeRecords(noMeta, [{ key: "meta" }]);
  await rm(join(noMeta, "CLOSED"));
  await expect(open(noMeta, { salvaging: UNHEARD })).rejects.toMatchObject({
    code: "store_corrupt",
    message: expect.stringContaining("no complete store"),
  });
  expect(await readdir(dirname(noMeta))).toEqual(["store"]);
});

test("[P24] a salvage that fails leaves the damaged store where it is, and says both", async () => {
  const { folder } = await filledStore(seededRandom(30));
  await writeFile(join(folder, "CURRENT"), "nonsense");
  const before = await filesIn(folder);
  // In the way of the folder that is to be set aside.
  await mkdir(join(`${folder}.damaged-1970-01-01T00-00-00-000Z`, "something"), { recursive: true });
  await expect(open(folder, { salvaging: UNHEARD, now: () => 0 })).rejects.toMatchObject({
    code: "store_corrupt",
    message: expect.stringMatching(/CURRENT names no manifest.* could not be salvaged: ENOTEMPTY/),
  });
  expect(await filesIn(folder)).toEqual(before);
  expect(await readdir(dirname(folder))).toHaveLength(2);
});

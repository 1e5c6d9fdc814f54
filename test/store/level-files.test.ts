import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";

import type { OutlineId } from "../../src/core/node-key.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { StoreError } from "../../src/documents/outline-log.ts";
import { openLevelDatabase } from "../../src/store/level-database.ts";
import type { LevelStore } from "../../src/store/level-store.ts";
import { putMeta } from "../../src/store/store-meta.ts";
import { levelFolders, writeRecords } from "./support/level-folder.ts";

const { newFolder, open } = levelFolders();

const UPDATES = 40;

/** A store with a table and a log: what was there at the last start, and what came since. */
async function filledFolder() {
  const folder = await newFolder();
  const outlines = Array.from({ length: 8 }, () => newOutlineId(Math.random));
  for (const part of ["first", "second"]) {
    const store = await open(folder);
    for (const outline of outlines) {
      const updates = Array.from({ length: UPDATES / 2 }, (_, index) =>
        Buffer.from(`${outline} ${part} ${index} ${"padding ".repeat(index)}`),
      );
      for (const update of updates) await store.log.append(outline, { updates: [update] });
    }
    await store.close();
  }
  return { folder, outlines };
}

async function contentOf(store: LevelStore, outlines: readonly OutlineId[]) {
  const content: string[][] = [];
  for (const outline of outlines) {
    const { updates } = await store.log.load(outline);
    content.push(updates.map(({ update }) => Buffer.from(update).toString()));
  }
  return content;
}

async function fileOf(folder: string, kind: RegExp): Promise<string> {
  const name = (await readdir(folder)).findLast((file) => kind.test(file));
  if (name === undefined) throw new Error(`no ${String(kind)} in ${folder}`);
  return join(folder, name);
}

async function refusal(folder: string): Promise<StoreError> {
  try {
    await open(folder);
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
  throw new Error("the store was opened");
}

test("[P23] a flipped bit in any file of the database is refused by name, or changes nothing", async () => {
  const { folder, outlines } = await filledFolder();
  const store = await open(folder);
  const expected = await contentOf(store, outlines);
  // One more start would move everything into a table; the log is to hold something.
  await store.log.append(outlines[0] ?? newOutlineId(Math.random), { updates: [Buffer.from("x")] });
  expected[0]?.push("x");
  await store.close();
  const names = (await readdir(folder)).filter((name) => /\d\.(ldb|log)$|^MANIFEST/.test(name));
  const files = new Map<string, Buffer>();
  for (const name of names) files.set(name, await readFile(join(folder, name)));
  const refused = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.nat({ max: 7 }),
      async (name, place, bit) => {
        const copy = await newFolder();
        await cp(folder, copy, { recursive: true });
        const damaged = Buffer.from(files.get(name) ?? "");
        const at = Math.floor(place * damaged.length);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        await writeFile(join(copy, name), damaged);
        try {
          const opened = await open(copy);
          expect(await contentOf(opened, outlines)).toEqual(expected);
          await opened.close();
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          expect(error.code).toBe("store_corrupt");
          expect(error.message).toContain(copy);
          refused.set(name, (refused.get(name) ?? 0) + 1);
        }
        await rm(copy, { recursive: true });
      },
    ),
    { numRuns: 60 },
  );
  expect([...refused.keys()].toSorted()).toEqual(names.toSorted());
});

test("[P23] a damaged table is named, with the records that are in it", async () => {
  const { folder, outlines } = await filledFolder();
  const table = await fileOf(folder, /\.ldb$/);
  const content = await readFile(table);
  const middle = Math.floor(content.length / 2);
  content[middle] = (content[middle] ?? 0) ^ 1;
  await writeFile(table, content);
  const { code, message } = await refusal(folder);
  expect(code).toBe("store_corrupt");
  expect(message).toMatch(/\d\.ldb is damaged at byte \d+, in the records from .+ to .+\. Restore/);
  expect(outlines.some((outline) => message.includes(outline))).toBe(true);
});

test("[P23] a log that has lost its end since an orderly close is refused", async () => {
  const { folder, outlines } = await filledFolder();
  const log = await fileOf(folder, /\.log$/);
  const { length } = await readFile(log);
  for (const rest of [length - 1, length - 50, Math.floor(length / 2), 1, 0]) {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    await truncate(join(copy, log.slice(folder.length)), rest);
    const { code, message } = await refusal(copy);
    expect(code).toBe("store_corrupt");
    expect(message).toMatch(/lost the end of its log.*delete its file CLOSED/);
    // As the sentence says: what is left can be had.
    await rm(join(copy, "CLOSED"));
    const store = await open(copy);
    for (const updates of await contentOf(store, outlines)) {
      expect(updates.length).toBeGreaterThanOrEqual(UPDATES / 2);
    }
    await store.close();
  }
});

test("[P23] after a crash a torn end of the log is no damage, and leaves no gaps", async () => {
  const { folder, outlines } = await filledFolder();
  await rm(join(folder, "CLOSED"));
  const log = await fileOf(folder, /\.log$/);
  const { length } = await readFile(log);
  let heads = new Set<number>();
  for (let rest = 0; rest < length; rest += Math.ceil(length / 23)) {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    await truncate(join(copy, log.slice(folder.length)), rest);
    const store = await open(copy);
    expect(await store.verifyAll()).toEqual([]);
    for (const [index, updates] of (await contentOf(store, outlines)).entries()) {
      heads = heads.add(updates.length);
      const outline = outlines[index] ?? newOutlineId(Math.random);
      expect(await store.log.append(outline, { updates: [Buffer.from("x")] })).toBe(
        updates.length + 1,
      );
    }
    await store.close();
  }
  expect(heads.size).toBeGreaterThan(5);
});

test("[P16] a store without CURRENT is refused, and nothing is begun over its remains", async () => {
  const { folder, outlines } = await filledFolder();
  await rename(join(folder, "CURRENT"), join(folder, "..", "CURRENT.aside"));
  const before = await readdir(folder);
  expect(await refusal(folder)).toMatchObject({
    code: "store_corrupt",
    message: `The store in "${folder}" has lost its file CURRENT: restore a backup into another folder.`,
  });
  expect(await readdir(folder)).toEqual(before);
  await rename(join(folder, "..", "CURRENT.aside"), join(folder, "CURRENT"));
  const store = await open(folder);
  expect((await contentOf(store, outlines)).every(({ length }) => length === UPDATES)).toBe(true);
});

test("[P16] other damage to the files of the database is refused with one sentence", async () => {
  const { folder } = await filledFolder();
  const cases: readonly ((copy: string) => Promise<void>)[] = [
    async (copy) => rm(await fileOf(copy, /\.ldb$/)),
    async (copy) => writeFile(await fileOf(copy, /\.ldb$/), ""),
    async (copy) => truncate(await fileOf(copy, /\.ldb$/), 5000),
    async (copy) => writeFile(join(copy, "CURRENT"), ""),
    async (copy) => rm(await fileOf(copy, /^MANIFEST/)),
    async (copy) => writeFile(await fileOf(copy, /^MANIFEST/), "nonsense"),
  ];
  for (const damage of cases) {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    await damage(copy);
    const { code, message } = await refusal(copy);
    expect(["store_corrupt", "store_unavailable"]).toContain(code);
    expect(message).toContain(copy);
    expect(message).not.toContain("\n");
  }
});

test("[P16] folders that can't hold a store are refused, and stay as they are", async () => {
  const folder = await newFolder();
  const file = join(folder, "a file");
  await writeFile(file, "text");
  expect(await refusal(file)).toMatchObject({ code: "store_unavailable" });
  expect(await refusal(join(file, "below"))).toMatchObject({ code: "store_unavailable" });
  const { code, message } = await refusal(folder);
  expect(code).toBe("store_corrupt");
  expect(message).toContain(`"${folder}" holds no store but other files (such as "a file")`);
  expect(await readdir(folder)).toEqual(["a file"]);
});

test("[P16] a folder and its parents are made when they are missing", async () => {
  const folder = join(await newFolder(), "a", "b");
  const store = await open(folder);
  expect(await store.log.append(newOutlineId(Math.random), { updates: [Buffer.from("x")] })).toBe(
    1,
  );
});

test("[P16] what an interrupted first start has left is begun anew", async () => {
  const folder = await newFolder();
  for (const name of ["LOCK", "LOG", "MANIFEST-000001", "000001.dbtmp"]) {
    await writeFile(join(folder, name), "");
  }
  const store = await open(folder);
  await store.close();
  const empty = await newFolder();
  await (await openLevelDatabase(empty, { create: true })).close();
  expect((await (await open(empty)).log.load(newOutlineId(Math.random))).epochOrdinal).toBe(0);
});

test("[P16] another program's database and another format are refused, and stay as they are", async () => {
  const foreign = await newFolder();
  const database = await openLevelDatabase(foreign, { create: true });
  await database.write([{ key: "something", value: Buffer.from("else") }]);
  await database.close();
  expect(await refusal(foreign)).toMatchObject({
    code: "store_corrupt",
    message: expect.stringContaining("another program's database"),
  });

  const later = await newFolder();
  await (await open(later)).close();
  const meta = { format: 3, epoch: "x", epochOrdinal: 0, generation: 0 };
  await writeRecords(later, [putMeta(meta)]);
  await rm(join(later, "CLOSED"));
  expect(await refusal(later)).toMatchObject({
    code: "store_corrupt",
    message: `The store in "${later}" has format 3, and this version reads up to 2.`,
  });
});

test("[P16] the same process is refused too, and gets it once it is closed", async () => {
  const folder = await newFolder();
  const first = await open(folder);
  expect(await refusal(folder)).toMatchObject({ code: "store_locked" });
  await first.log.probe();
  await first.close();
  await (await open(folder)).log.probe();
});

// Root may write everywhere.
test.skipIf(process.getuid?.() === 0)("[P16] an unwritable folder is refused", async () => {
  const folder = join(await newFolder(), "locked");
  await mkdir(folder, { mode: 0o500 });
  expect(await refusal(folder)).toMatchObject({ code: "store_unavailable" });
});

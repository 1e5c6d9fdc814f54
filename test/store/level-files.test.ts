import {
  cp,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";

import type { OutlineId } from "../../src/core/node-key.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { StoreError } from "../../src/documents/log/outline-log.ts";
import type { OpenDatabase, View } from "../../src/store/database.ts";
import { openLevelDatabase } from "../../src/store/level/level-database.ts";
import { jsonOf } from "../../src/store/level/json-record.ts";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import { seal } from "../../src/store/record.ts";
import { FORMAT, putMeta } from "../../src/store/level/store-meta.ts";
import { FaultyDisk } from "./support/faulty-disk.ts";
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

/** As a crash leaves it that comes now. */
async function crashedCopy(folder: string): Promise<string> {
  const copy = await newFolder();
  await cp(folder, copy, { recursive: true });
  return copy;
}

test("[P23] a start reads as much of a large store as of a small one", async () => {
  const reads: number[] = [];
  for (const size of [1, 300]) {
    const folder = await newFolder();
    const store = await open(folder);
    for (let count = 0; count < size; count++) {
      const outline = newOutlineId(Math.random);
      await store.log.append(outline, { updates: [Buffer.from("x"), Buffer.from("y")] });
    }
    await store.close();
    let entries = 0;
    const openDatabase: OpenDatabase = async (path, options) => {
      const database = await openLevelDatabase(path, options);
      return {
        ...database,
        view: () => countingView(database.view(), (count) => (entries += count)),
      };
    };
    await (await open(folder, { openDatabase })).close();
    reads.push(entries);
  }
  expect(reads[0]).toBeGreaterThan(0);
  expect(reads[1]).toBe(reads[0]);
});

function countingView(view: View, count: (entries: number) => void): View {
  return {
    get: (key) => {
      count(1);
      return view.get(key);
    },
    getMany: (keys) => {
      count(keys.length);
      return view.getMany(keys);
    },
    async *entries(range, options) {
      for await (const page of view.entries(range, options)) {
        count(page.length);
        yield page;
      }
    },
    async *keys(range, options) {
      for await (const page of view.keys(range, options)) {
        count(page.length);
        yield page;
      }
    },
    close: () => view.close(),
  };
}

test("[P23] pieces of the log that can't be read are told of, once, and a new epoch begins", async () => {
  const folder = await newFolder();
  const outline = newOutlineId(Math.random);
  const store = await open(folder);
  const place = async () => (await stat(await fileOf(folder, /\.log$/))).size;
  await store.log.append(outline, { updates: [Buffer.from("kept")] });
  const from = await place();
  for (let count = 0; count < 20; count++) {
    await store.log.append(outline, { updates: [Buffer.alloc(3_000, count)] });
  }
  const { epoch, epochOrdinal } = await store.log.load(outline);
  const copy = await crashedCopy(folder);
  const log = await fileOf(copy, /\.log$/);
  const content = await readFile(log);
  content[from + 100] = (content[from + 100] ?? 0) ^ 1;
  await writeFile(log, content);
  const told: number[] = [];
  const again = await open(copy, { events: { onLogLoss: (pieces) => told.push(pieces) } });
  expect(told).toEqual([2]);
  // LevelDB leaves out the rest of the block, and of the write that began in it: there is a gap.
  await expect(again.log.load(outline)).rejects.toMatchObject({ code: "outline_corrupt", outline });
  const other = await again.log.load(newOutlineId(Math.random));
  expect(other).toMatchObject({ epochOrdinal: epochOrdinal + 1 });
  expect(other.epoch).not.toBe(epoch);
  await again.close();
  await open(copy, { events: { onLogLoss: (pieces) => told.push(pieces) } });
  expect(told).toEqual([2]);
});

test("[P23] what a store was not closed by is told of, and nothing is lost by it", async () => {
  const { folder, outlines } = await filledFolder();
  const store = await open(folder);
  const expected = await contentOf(store, outlines);
  const copy = await crashedCopy(folder);
  await store.close();
  let unclean = 0;
  const events = { onUncleanEnd: () => void unclean++ };
  const again = await open(copy, { events });
  expect(unclean).toBe(1);
  expect(await contentOf(again, outlines)).toEqual(expected);
  await again.close();
  await open(copy, { events });
  await open(await newFolder(), { events });
  expect(unclean).toBe(1);
});

test("[P23] it is no unclean end when a disk works again, nor when a backup is opened", async () => {
  let unclean = 0;
  const events = { onUncleanEnd: () => void unclean++ };
  const disk = new FaultyDisk();
  const store = await open(await newFolder(), { openDatabase: disk.open, events });
  const outline = newOutlineId(Math.random);
  const append = () => store.log.append(outline, { updates: [Buffer.from("a")] });
  await append();
  disk.break();
  await expect(append()).rejects.toMatchObject({ code: "store_unavailable" });
  disk.heal();
  await append();
  expect(disk.opens).toBe(2);
  const backup = await newFolder();
  await store.backup(backup);
  await open(backup, { events });
  expect(unclean).toBe(0);
});

test("[P23] a log that has lost its end since an orderly close is refused", async () => {
  const { folder } = await filledFolder();
  const log = await fileOf(folder, /\.log$/);
  const { length } = await readFile(log);
  for (const rest of [length - 1, length - 50, Math.floor(length / 2), 1, 0]) {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    await truncate(join(copy, log.slice(folder.length)), rest);
    const { code, message } = await refusal(copy);
    expect(code).toBe("store_corrupt");
    expect(message).toMatch(/the end of its log is lost since it was closed.*outline repair/);
    expect((await stat(join(copy, log.slice(folder.length)))).size).toBe(rest);
  }
});

test("[P23] the mark of a version is understood that noted more at the close", async () => {
  const { folder, outlines } = await filledFolder();
  const mark = join(folder, "CLOSED");
  const { text, files } = jsonOf<{ text: string; files: Record<string, number> }>(
    "CLOSED",
    await readFile(mark),
  );
  const more = { text, heads: [[outlines[0], 99]], files: { ...files, "000001.ldb": 5_000 } };
  await writeFile(mark, seal("CLOSED", Buffer.from(JSON.stringify(more))));
  const store = await open(folder);
  expect((await contentOf(store, outlines)).every(({ length }) => length === UPDATES)).toBe(true);
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
    message: `The store in "${folder}" is damaged: its file CURRENT is gone. Nothing was changed. Stop the server and run "outline repair", or restore a backup.`,
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
    async (copy) => rm(await fileOf(copy, /\.log$/)),
    async (copy) => writeRecords(copy, [{ key: "meta" }]),
  ];
  for (const [index, damage] of [...cases, ...cases].entries()) {
    const copy = await newFolder();
    await cp(folder, copy, { recursive: true });
    await damage(copy);
    // After a crash as well.
    if (index >= cases.length) await rm(join(copy, "CLOSED"));
    const { code, message } = await refusal(copy);
    expect(["store_corrupt", "store_unavailable"]).toContain(code);
    expect(message).toContain(copy);
    expect(message.toLowerCase()).toContain('run "outline repair"');
    expect(message).not.toContain("\n");
  }
});

test("[P16] a store whose making a crash has interrupted is made", async () => {
  const folder = await newFolder();
  await (await openLevelDatabase(folder, { create: true })).close();
  // As LevelDB makes it before there is a log.
  for (const name of await readdir(folder)) {
    if (name.endsWith(".log")) await rm(join(folder, name));
  }
  await rename(await fileOf(folder, /^MANIFEST/), join(folder, "MANIFEST-000001"));
  await writeFile(join(folder, "CURRENT"), "MANIFEST-000001\n");
  const store = await open(folder);
  expect(await store.log.append(newOutlineId(Math.random), { updates: [Buffer.from("x")] })).toBe(
    1,
  );
});

test("[P24] a crash between the renamings of a repair is finished at the next start", async () => {
  const { folder, outlines } = await filledFolder();
  const copy = join(await newFolder(), "store");
  // As a repair, or an older version's salvage, leaves it.
  await cp(folder, `${copy}.salvaged`, { recursive: true });
  const store = await open(copy);
  expect((await contentOf(store, outlines)).every(({ length }) => length === UPDATES)).toBe(true);
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
  const format = FORMAT + 1;
  const meta = { format, epoch: "x", epochOrdinal: 0, generation: 0 };
  await writeRecords(later, [putMeta(meta)]);
  await rm(join(later, "CLOSED"));
  expect(await refusal(later)).toMatchObject({
    code: "store_corrupt",
    message: `The store in "${later}" has format ${format}, and this version reads up to ${FORMAT}.`,
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

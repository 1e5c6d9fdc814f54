import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

import type { OpenDatabase } from "../../../../client/lib/node/level-database.ts";
import { openLevelDatabase } from "../../../../client/lib/node/level-database.ts";
import { LevelReplicaStore } from "../../../../client/lib/node/level-replica-store.ts";
import { codeOf, shownIn, updatesOf, wasteful } from "../../../contract/replica-reading.ts";

const update = Uint8Array.of(1, 2, 3);
let parent = "";
let folder = "";
const stores: LevelReplicaStore[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "outline-replica-"));
  folder = join(parent, "below", "replica");
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  await rm(parent, { recursive: true });
});

async function open(opening?: OpenDatabase): Promise<LevelReplicaStore> {
  const store = await LevelReplicaStore.open(folder, opening);
  stores.push(store);
  return store;
}

test("[L36] a folder that is open already makes the store busy, and takes nothing from it", async () => {
  const store = await open();
  await store.write({ received: [update] });
  expect(await codeOf(open())).toBe("busy");
  await store.write({ received: [update] });
  expect(await updatesOf(store)).toEqual([update, update]);
  await store.close();
  expect(await updatesOf(await open())).toEqual([update, update]);
});

test("[L36] a place that can hold no folder refuses the store", async () => {
  await writeFile(join(parent, "below"), "a file");
  expect(await codeOf(open())).toBe("refused");
  await rm(join(parent, "below"));
  await mkdir(join(parent, "below"));
  await writeFile(folder, "a file");
  expect(await codeOf(open())).toBe("refused");
});

test("[L36] what a newer version wrote is not touched", async () => {
  await (await open()).close();
  const database = await openLevelDatabase(folder, { create: false });
  const meta = { key: "meta", value: new TextEncoder().encode(`{"layout":2,"things":[]}`) };
  await database.write([meta]);
  await database.close();
  expect(await codeOf(open())).toBe("newer");
  const again = await openLevelDatabase(folder, { create: false });
  expect(await again.get("meta")).toEqual(meta.value);
  await again.close();
});

/** Opens a database whose next write ends in an error, after it was done or without. */
function breaking() {
  let breaks: { readonly error: Error; readonly isDone: boolean } | undefined;
  let openings = 0;
  const opening: OpenDatabase = async (path, options) => {
    const database = await openLevelDatabase(path, options);
    openings += 1;
    return {
      ...database,
      write: async (operations) => {
        const broken = breaks;
        breaks = undefined;
        if (broken === undefined || broken.isDone) await database.write(operations);
        if (broken !== undefined) throw broken.error;
      },
    };
  };
  return {
    opening,
    openings: () => openings,
    breakNext: (message: string, isDone = false) => {
      breaks = { error: new Error(message), isDone };
    },
  };
}

test.for([
  ["IO error: /x/000005.log: No space left on device", "full"],
  ["IO error: /x/000005.log: Permission denied", "refused"],
  ["IO error: /x/000005.log: Input/output error", "failed"],
] as const)(
  "[L36] [L37] a write that ends with '%s' is '%s', and the folder is opened again",
  async ([message, code]) => {
    const disk = breaking();
    const store = await open(disk.opening);
    await store.write({ received: [update] });
    disk.breakNext(message);
    expect(await codeOf(store.write({ received: [update] }))).toBe(code);
    await store.write({ own: [update] });
    expect(disk.openings()).toBe(2);
    expect(await updatesOf(store)).toEqual([update, update]);
  },
);

test("[L31] numbers stay unique when a write has failed and is on the disk all the same", async () => {
  const disk = breaking();
  const store = await open(disk.opening);
  disk.breakNext("IO error: Input/output error", true);
  expect(await codeOf(store.write({ own: [update] }))).toBe("failed");
  const [second] = await store.write({ own: [update] });
  const { outbox } = await store.read();
  expect(outbox.map(({ number }) => number)).toEqual([1, second]);
  expect(second).toBe(2);
});

test("[L38] a folder that is gone when it is opened again is lost, and not made anew", async () => {
  const disk = breaking();
  const store = await open(disk.opening);
  await store.write({ received: [update] });
  await rm(folder, { recursive: true });
  disk.breakNext("IO error: Input/output error");
  await codeOf(store.write({ received: [update] }));
  expect(await codeOf(store.write({ received: [update] }))).toBe("lost");
});

test("[L34] a store that is closed while it compacts does not wait for that, and loses nothing", async () => {
  const { updates, shown } = wasteful(7);
  const store = await open();
  await store.write({ received: updates });
  const compacting = codeOf(store.compact());
  await store.close();
  expect(await compacting).toBe("failed");
  expect(await shownIn(await open())).toBe(shown);
});

test("[L37] what is asked while a failed database is closed waits for the next one", async () => {
  const disk = breaking();
  const store = await open(disk.opening);
  await store.writeRecord("zoom", "a");
  disk.breakNext("IO error: Input/output error");
  expect(await codeOf(store.write({ received: [update] }))).toBe("failed");
  expect(await Promise.all([store.readRecord("zoom"), updatesOf(store)])).toEqual(["a", []]);
  expect(disk.openings()).toBe(2);
});

test("[L39] destroying leaves what is not the store's", async () => {
  const store = await open();
  await store.write({ received: [update] });
  await writeFile(join(folder, "notes.txt"), "somebody's");
  await store.destroy();
  expect(await readdir(folder)).toEqual(["notes.txt"]);
  await rm(join(folder, "notes.txt"));
  await (await open()).destroy();
  expect(await readdir(join(parent, "below"))).toEqual([]);
});

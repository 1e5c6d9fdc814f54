import { join } from "node:path";
import { expect, test } from "vitest";
import type { LevelStore } from "../../src/store/level/level-store.ts";
import { moveStore } from "../../src/store/move-store.ts";
import { FaultyDisk } from "./support/faulty-disk.ts";
import { levelFolders } from "./support/level-folder.ts";
import { contentsOf, fill } from "./support/move-source.ts";

const { newFolder, open } = levelFolders();

test("[C28] a move into a folder that is killed at any write goes on to the same end, and is not served before", async () => {
  const full = join(await newFolder(), "store");
  const filled = await open(full);
  await fill(filled, 2);
  await filled.close();
  const source = await open(full, { purpose: { kind: "use" } });
  const before = await contentsOf(source);
  /** Writes so often, and then the disk is gone. */
  const attempt = async (folder: string, writes = Infinity): Promise<boolean> => {
    const disk = new FaultyDisk();
    const fault = writes % 2 === 0 ? "lost" : "written";
    disk.faultOf = (write) => (write > writes ? fault : undefined);
    let store: LevelStore | undefined;
    try {
      store = await open(folder, {
        purpose: { kind: "arrive", name: source.name },
        openDatabase: disk.open,
      });
      await moveStore(source, store.intake(), () => undefined);
      return true;
    } catch {
      return false;
    } finally {
      await store?.close();
    }
  };
  const isServed = async (folder: string): Promise<boolean> => {
    const store = await open(folder).catch(() => undefined);
    if (store !== undefined) expect(await contentsOf(store)).toEqual(before);
    await store?.close();
    return store !== undefined;
  };
  let writes = 1;
  for (; ; writes += 1) {
    const folder = join(await newFolder(), "store");
    const isComplete = await attempt(folder, writes);
    if (!isComplete && !(await isServed(folder))) expect(await attempt(folder)).toBe(true);
    expect(await isServed(folder)).toBe(true);
    if (isComplete) break;
  }
  // Outlines take four of them at least, each.
  expect(writes).toBeGreaterThan(8);
});

import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

import type { OutlineId } from "../../src/core/node-key.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { levelFolders } from "./support/level-folder.ts";
import { runStoreProcess } from "./support/run-store-process.ts";

const { newFolder, open } = levelFolders();

interface Acknowledged {
  readonly seq: number;
  readonly text: string;
}

function acknowledgedIn(said: readonly unknown[]): readonly Acknowledged[] {
  return said.filter(
    (line): line is Acknowledged => typeof line === "object" && line !== null && "seq" in line,
  );
}

/** Reads what a killed process has left: the texts by number, whatever the snapshot holds aside. */
async function readBack(folder: string, outline: OutlineId) {
  const store = await open(folder);
  expect(await store.verifyAll()).toEqual([]);
  const loaded = await store.log.load(outline);
  const after = Math.max(0, loaded.head - 900);
  const range = { epoch: loaded.epoch, after, maxBytes: 2 ** 30 };
  const resumed = (await store.log.tail(outline, range))?.updates ?? [];
  await store.close();
  const texts = new Map(
    resumed.map((update, index) => [after + 1 + index, Buffer.from(update).toString()]),
  );
  return { head: loaded.head, snapshot: loaded.snapshot, texts };
}

test("[P1] nothing acknowledged is missing after the process was killed, again and again", async () => {
  const folder = await newFolder();
  const outline = newOutlineId(Math.random);
  let head = 0;
  let snapshots = 0;
  for (let round = 1; round <= 4; round += 1) {
    const child = runStoreProcess(["append", folder, outline]);
    // Not at the same place of its loop each time.
    await child.until((said) => acknowledgedIn(said).length >= 40 + round * 17);
    await child.kill();
    const acknowledged = acknowledgedIn(child.said);
    const left = await readBack(folder, outline);
    expect(acknowledged[0]?.seq).toBe(head + 1);
    for (const { seq, text } of acknowledged) {
      expect(text).toBe(`update ${seq}`);
      if (seq > left.head - 900) expect(left.texts.get(seq)).toBe(text);
    }
    expect(left.head).toBeGreaterThanOrEqual(acknowledged.at(-1)?.seq ?? 0);
    if (left.snapshot !== undefined) {
      snapshots += 1;
      const { seq, chunks } = left.snapshot;
      expect(Buffer.from(left.snapshot.annex).toString()).toBe(`state at ${seq}`);
      expect(Buffer.compare(chunks[1] ?? Buffer.of(), Buffer.alloc(50_000, seq))).toBe(0);
    }
    head = left.head;
  }
  expect(snapshots).toBeGreaterThan(0);
});

test("[P1] the same test finds what is missing when it is acknowledged too early", async () => {
  for (;;) {
    const folder = await newFolder();
    const outline = newOutlineId(Math.random);
    const child = runStoreProcess(["append hastily", folder, outline]);
    await child.until((said) => acknowledgedIn(said).length >= 40);
    await child.kill();
    const { head } = await readBack(folder, outline);
    // Now and then the process dies between a commit and the next announcement.
    if (head < (acknowledgedIn(child.said).at(-1)?.seq ?? 0)) return;
  }
});

test("[P16] a second process is refused with one sentence, and takes nothing from the first", async () => {
  const folder = await newFolder();
  const outline = newOutlineId(Math.random);
  const first = runStoreProcess(["hold", folder]);
  await first.until((said) => said.includes("open"));
  await expect(open(folder)).rejects.toMatchObject({
    name: "StoreError",
    code: "store_locked",
    message: `Another process has "${folder}" open.`,
  });
  await first.kill();
  const store = await open(folder);
  const second = runStoreProcess(["hold", folder]);
  expect(await second.ended).toBe(0);
  expect(second.said).toMatchObject([{ code: "store_locked" }]);
  expect(await store.log.append(outline, { updates: [Uint8Array.of(1)] })).toBe(1);
});

/** Of util-linux; other systems skip what needs it. */
const PRLIMIT = "prlimit";

const canLimitFiles = (() => {
  try {
    execFileSync(PRLIMIT, ["--version"]);
    return process.platform === "linux";
  } catch {
    return false;
  }
})();

// A limit on the size of files is a full disk that needs no disk of its own.
test.skipIf(!canLimitFiles)(
  "[P14] on a full disk nothing is acknowledged, and all goes on once there is room again",
  async () => {
    const folder = await newFolder();
    const outline = newOutlineId(Math.random);
    const child = runStoreProcess(
      ["fill", folder, outline],
      [PRLIMIT, "--fsize=2000000:unlimited"],
    );
    await child.until((said) => said.some((line) => typeof line === "object"));
    expect(child.said.at(-1)).toMatchObject({ failed: "store_unavailable" });
    execFileSync(PRLIMIT, ["--pid", `${child.pid}`, "--fsize=unlimited:unlimited"]);
    expect(await child.ended).toBe(0);
    const { acknowledged } = child.said.at(-1) as { acknowledged: number[] };
    expect(acknowledged.length).toBeGreaterThan(10);
    const store = await open(folder);
    expect(await store.verifyAll()).toEqual([]);
    const { head, updates } = await store.log.load(outline);
    expect(head).toBe(acknowledged.at(-1));
    expect(updates.length).toBe(head);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
  },
  60_000,
);

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Level } from "level";
import { newOutlineId } from "../../src/core/node-key.ts";
import { putHead } from "../../src/store/level/heads.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { seal } from "../../src/store/record.ts";
import { StoreKeys } from "../../src/store/store-keys.ts";

const run = promisify(execFile);
const PROCESS = fileURLToPath(new URL("start-process.ts", import.meta.url));

/** Of an update; an outline has sixteen of them. */
const UPDATE_BYTES = 64 * 1024;
const UPDATES = 16;
const ROUNDS = 3;

export interface StartFigures {
  readonly gigabytes: number;
  readonly readKilobytes: readonly number[];
  readonly cpuMs: readonly number[];
}

/** What it takes to open stores of these sizes that were closed in order. */
export async function benchStart(sizes: readonly number[]): Promise<readonly StartFigures[]> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-start-"));
  try {
    const figures: StartFigures[] = [];
    let bytes = 0;
    for (const gigabytes of sizes) {
      await openAndClose(folder);
      await grow(folder, gigabytes * 1e9 - bytes);
      bytes = gigabytes * 1e9;
      // What was written last is still in LevelDB's log: opening it makes it a table.
      for (let round = 0; round < 2; round++) await openAndClose(folder);
      const rounds: { readBytes: number; cpuMs: number }[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const { stdout } = await run(process.execPath, ["--import", "tsx", PROCESS, folder]);
        rounds.push(JSON.parse(stdout));
      }
      figures.push({
        gigabytes,
        readKilobytes: rounds.map(({ readBytes }) => readBytes / 1000),
        cpuMs: rounds.map(({ cpuMs }) => cpuMs),
      });
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function openAndClose(folder: string): Promise<void> {
  const store = await LevelStore.open(folder, { now: Date.now, randomBytes });
  await store.close();
}

/** Outlines of updates that can't be compressed, behind the driver's back and without `fsync`. */
async function grow(folder: string, bytes: number): Promise<void> {
  const keys = new StoreKeys(0);
  const level = new Level<string, Uint8Array>(folder, {
    valueEncoding: "view",
    compression: false,
    writeBufferSize: 16 * 1024 * 1024,
  });
  await level.open();
  for (let written = 0; written < bytes; written += UPDATES * UPDATE_BYTES) {
    const outline = newOutlineId(Math.random);
    const batch = level.batch();
    for (let seq = 1; seq <= UPDATES; seq++) {
      const key = keys.update(outline, seq);
      batch.put(key, seal(key, randomBytes(UPDATE_BYTES)));
    }
    const { key, value = new Uint8Array() } = putHead(keys, outline, UPDATES);
    batch.put(key, value);
    await batch.write();
  }
  await level.close();
}

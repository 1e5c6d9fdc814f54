/**
 * Opens the store in a folder, once, and prints what that took: bytes read from files by calls, and
 * processor milliseconds of all threads. Reads `/proc`, so it needs Linux.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { LevelStore } from "../../src/store/level/level-store.ts";

async function readBytes(): Promise<number> {
  const io = await readFile("/proc/self/io", "utf8");
  return Number(/^rchar: (\d+)$/m.exec(io)?.[1] ?? Number.NaN);
}

const [folder = ""] = process.argv.slice(2);
const cpuBefore = process.cpuUsage();
const before = await readBytes();
const store = await LevelStore.open(folder, { now: Date.now, randomBytes });
await store.accounts.users();
const { user, system } = process.cpuUsage(cpuBefore);
const read = (await readBytes()) - before;
process.stdout.write(`${JSON.stringify({ readBytes: read, cpuMs: (user + system) / 1000 })}\n`);
await store.close();

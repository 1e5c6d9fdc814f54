import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { argv, cpuUsage } from "node:process";
import { pathToFileURL } from "node:url";

import { newOutlineId } from "../../src/core/node-key.ts";
import type { Snapshot } from "../../src/documents/log/outline-log.ts";
import type { Operation } from "../../src/store/database.ts";
import { openLevelDatabase } from "../../src/store/level/level-database.ts";
import { LevelStore } from "../../src/store/level/level-store.ts";
import { seededRandom } from "../support/seeded-random.ts";
import { BareGroupCommit } from "./bare-group-commit.ts";
import { median } from "./median.ts";

export interface AppendFigures {
  /** How many append at once, each waiting for its answer before the next. */
  readonly appenders: number;
  /** Appends a second, in rounds that alternate with those of a bare group commit. */
  readonly perSecond: { readonly store: readonly number[]; readonly floor: readonly number[] };
  /** CPU microseconds for each append: more steady where other work shares disk and processor. */
  readonly cpuUs: { readonly store: readonly number[]; readonly floor: readonly number[] };
}

export interface SnapshotFigures {
  readonly bytes: number;
  readonly storedBytes: number;
  readonly saveMs: number;
  readonly loadMs: number;
  /** The longest stall of the event loop while it was saved and loaded. */
  readonly stallMs: number;
}

const ROUNDS = 5;
const UPDATE = randomBytes(60);

type Append = (appender: number) => Promise<unknown>;

interface Rate {
  readonly perSecond: number;
  readonly cpuUs: number;
}

async function rate(append: Append, appenders: number, each: number): Promise<Rate> {
  const cpu = cpuUsage();
  const start = performance.now();
  await Promise.all(
    Array.from({ length: appenders }, async (_, appender) => {
      for (let index = 0; index < each; index += 1) await append(appender);
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = cpuUsage(cpu);
  const count = appenders * each;
  return { perSecond: count / seconds, cpuUs: (user + system) / count };
}

async function appendFigures(folder: string, appenders: number): Promise<AppendFigures> {
  const each = Math.ceil(20_000 / (appenders + 20));
  const outlines = Array.from({ length: appenders }, () => newOutlineId(Math.random));
  const store = await LevelStore.open(join(folder, `store${appenders}`), {
    now: Date.now,
    randomBytes,
  });
  const floor = await BareGroupCommit.open(join(folder, `floor${appenders}`));
  const fallback = newOutlineId(Math.random);
  const append: Append = (appender) =>
    store.log.append(outlines[appender] ?? fallback, { updates: [UPDATE] });
  const bareAppend: Append = () => floor.append(UPDATE);
  const ours: Rate[] = [];
  const bare: Rate[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const rates = [
      await rate(append, appenders, each),
      await rate(bareAppend, appenders, each),
    ] as const;
    // The first round is for the compiler.
    if (round < 0) continue;
    ours.push(rates[0]);
    bare.push(rates[1]);
  }
  await store.close();
  await floor.close();
  const both = (figure: keyof Rate) => ({
    store: ours.map((each) => each[figure]),
    floor: bare.map((each) => each[figure]),
  });
  return { appenders, perSecond: both("perSecond"), cpuUs: both("cpuUs") };
}

/** Text that compresses about as names and notes do, between bytes that do not. */
function stateOf(bytes: number): Uint8Array {
  const random = seededRandom(1);
  const words = Array.from({ length: 4000 }, () => Math.floor(random() * 1e9).toString(36));
  const state = Buffer.alloc(bytes);
  let at = 0;
  while (at < bytes) {
    at += state.write(`${words[Math.floor(random() ** 2 * words.length)]} `, at);
    if (random() < 0.1 && at < bytes) state[at++] = Math.floor(random() * 256);
  }
  return state;
}

async function snapshotFigures(folder: string, bytes: number): Promise<SnapshotFigures> {
  const state = stateOf(bytes);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes; at += 400_000) chunks.push(state.subarray(at, at + 400_000));
  const snapshot: Snapshot = { seq: 1, chunks, stateVector: UPDATE, annex: UPDATE };
  let storedBytes = 0;
  const store = await LevelStore.open(join(folder, "snapshot"), {
    now: Date.now,
    randomBytes,
    openDatabase: async (path, options) => {
      const database = await openLevelDatabase(path, options);
      const write = (operations: readonly Operation[]) => {
        for (const { value } of operations) storedBytes += value?.byteLength ?? 0;
        return database.write(operations);
      };
      return { ...database, write };
    },
  });
  const outline = newOutlineId(Math.random);
  await store.log.append(outline, { updates: [UPDATE] });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.enable();
  const start = performance.now();
  await store.log.saveSnapshot(outline, snapshot);
  const saved = performance.now();
  await store.log.load(outline);
  const loaded = performance.now();
  delay.disable();
  await store.close();
  const stallMs = delay.max / 1e6;
  return { bytes, storedBytes, saveMs: saved - start, loadMs: loaded - saved, stallMs };
}

/** What the store costs: appends against the least that a group commit can be, and snapshots. */
export async function storeFigures(): Promise<{
  readonly appends: readonly AppendFigures[];
  readonly snapshot: SnapshotFigures;
}> {
  const folder = await mkdtemp(join(tmpdir(), "outline-bench-"));
  try {
    const appends: AppendFigures[] = [];
    for (const appenders of [1, 64, 1000]) appends.push(await appendFigures(folder, appenders));
    return { appends, snapshot: await snapshotFigures(folder, 12_000_000) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
  const { appends, snapshot } = await storeFigures();
  const rounded = (values: readonly number[]): number => Number(median(values).toPrecision(3));
  console.table(
    appends.map(({ appenders, perSecond, cpuUs }) => ({
      appenders,
      "appends/s": rounded(perSecond.store),
      "floor/s": rounded(perSecond.floor),
      "CPU µs": rounded(cpuUs.store),
      "floor CPU µs": rounded(cpuUs.floor),
    })),
  );
  console.table([snapshot]);
}

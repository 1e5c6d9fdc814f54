import { link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import type { OutlineId } from "../core/node-key.ts";
import { isOutlineId } from "../core/node-key.ts";
import { StoreError } from "../documents/outline-log.ts";
import { isAsClosed, readCloseMark, syncFolder } from "./close-mark.ts";
import type { Database, OpenDatabase, Operation, View } from "./database.ts";
import { isIn } from "./garbage.ts";
import { readHeads, sealedLoss } from "./heads.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import { meaningOf } from "./key-meaning.ts";
import { LostRecords } from "./lost-records.ts";
import { readOutline } from "./outline-reads.ts";
import { DamagedRecordError, requireIntact } from "./record.ts";
import type { StoreKeys } from "./store-keys.ts";
import { GARBAGE_MARKS, META_KEY } from "./store-keys.ts";
import type { StoreMeta } from "./store-meta.ts";
import { FORMAT, isReadable, nextEpoch, putMeta, readMeta } from "./store-meta.ts";
import { survivorsIn } from "./survivors.ts";
import { allOutlines } from "./verify-store.ts";

/** What came of a damaged store. */
export interface Salvage {
  /** What was found damaged, in a sentence. */
  readonly damage: string;
  /** Where the damaged store is now, as it was. */
  readonly aside: string;
  /** Outlines that are not served: part of them is lost, or may be. */
  readonly refused: readonly OutlineId[];
  /** Users or keys may be missing, and revoked keys may be valid again. */
  readonly mayLackAccounts: boolean;
}

/** Who wants to know of it: it may take as long as reading and writing the whole store. */
export interface SalvageEvents {
  /** @param damage what was found, in a sentence */
  onBegin(damage: string): void;
  onEnd(salvage: Salvage): void;
}

export interface SalvageOptions {
  readonly salvaging: SalvageEvents;
  readonly openDatabase: OpenDatabase;
  readonly newEpoch: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const LOCK = "LOCK";
const DATA_FILE = /^\d+\.(ldb|sst|log)$/;
const BATCH_BYTES = 1024 * 1024;
const BATCH_ENTRIES = 2_000;
/** Client ids below are given out by stores, 65,536 for each epoch. */
const FIRST_FOREIGN_CLIENT = 2 ** 28;
const CLIENTS_OF_EPOCH = 65_536;

/**
 * Puts a new store in the place of a damaged one, with everything that can still be read of it. The
 * damaged one is set aside and not changed. What nobody can be sure of is not served: an outline that
 * may have lost what can't be seen missing is marked as damaged. A new epoch begins, so devices hand
 * in what the store has lost.
 *
 * Nobody else may have the store open, which is made sure of; a crash at any point leaves the
 * damaged store or the new one in its place.
 * @param damage what was found, in a sentence
 * @returns false when there is nothing of a store in the folder that this version can read
 */
export async function salvage(
  folder: string,
  damage: string,
  options: SalvageOptions,
): Promise<boolean> {
  if (!(await readdir(folder)).some((name) => DATA_FILE.test(name))) return false;
  options.salvaging.onBegin(damage);
  const fresh = freshFolderOf(folder);
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  try {
    await shareLock(folder, fresh);
    const database = await options.openDatabase(fresh, { create: true });
    let found: Omit<Salvage, "damage" | "aside"> | undefined;
    try {
      found = await fill(database, folder, options);
    } finally {
      await database.close();
    }
    if (found === undefined) return false;
    const time = new Date(options.now()).toISOString().replaceAll(/[:.]/g, "-");
    const aside = `${folder}.damaged-${time}`;
    // The damaged store keeps its own.
    await rm(join(fresh, LOCK));
    await rename(folder, aside);
    await rename(fresh, folder).catch(async (error: unknown) => {
      await rename(aside, folder);
      throw error;
    });
    await syncFolder(dirname(folder));
    options.salvaging.onEnd({ damage, aside, ...found });
    return true;
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Finishes what a crash has interrupted between the two renamings. To be called before opening. */
export async function finishSalvage(folder: string): Promise<void> {
  if ((await isThere(folder)) || !(await isThere(freshFolderOf(folder)))) return;
  await rename(freshFolderOf(folder), folder);
  await syncFolder(dirname(folder));
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function freshFolderOf(folder: string): string {
  return `${folder}.salvaged`;
}

/** One file under two names, so whoever opens one of the databases has locked both. */
async function shareLock(folder: string, fresh: string): Promise<void> {
  await writeFile(join(folder, LOCK), "", { flag: "a" });
  await link(join(folder, LOCK), join(fresh, LOCK));
}

async function fill(
  database: Database,
  folder: string,
  { newEpoch }: SalvageOptions,
): Promise<Omit<Salvage, "damage" | "aside"> | undefined> {
  const mark = await readCloseMark(folder);
  const lost = new LostRecords();
  await copySurvivors(database, survivorsIn(folder, mark, lost));
  if (mark !== undefined && !(await isAsClosed(mark, database))) lost.addEndOfLog();
  const view = database.view();
  let history: History;
  let refused: readonly OutlineId[];
  try {
    const meta = await metaIn(view, lost);
    if (meta === undefined) return undefined;
    history = historyOf(nextEpoch(meta, newEpoch));
    const { keys } = history;
    const heads = await readHeads(
      view,
      keys,
      (mark?.heads ?? []).map(([outline]) => outline),
    );
    for (const [outline, head] of mark?.heads ?? []) {
      if (heads.get(outline) !== head) lost.addOutline(outline);
    }
    const outlines = await everyOutline(view, keys);
    for (const outline of heads.keys()) outlines.add(outline);
    refused = [...outlines].filter((outline) => lost.hidesLossOf(outline, keys));
  } finally {
    await view.close();
  }
  const { keys } = history;
  const losses = refused.map((outline): Operation => {
    const key = keys.head(outline);
    return { key, value: sealedLoss(key) };
  });
  // What makes it a store is written last.
  await database.write([...losses, putMeta(history.meta)]);
  return {
    refused: await unreadable(database, history),
    mayLackAccounts: lost.mayIncludeAccounts(keys),
  };
}

async function copySurvivors(
  database: Database,
  survivors: Awaited<ReturnType<typeof survivorsIn>>,
): Promise<void> {
  const newest = new Map<string, number>();
  let batch: Operation[] = [];
  let bytes = 0;
  for await (const { key, sequence, value } of survivors) {
    if ((newest.get(key) ?? -1) >= sequence || isUselessMark(key, value)) continue;
    newest.set(key, sequence);
    batch.push(value === undefined ? { key } : { key, value });
    bytes += value?.byteLength ?? 0;
    if (bytes < BATCH_BYTES && batch.length < BATCH_ENTRIES) continue;
    await database.write(batch);
    batch = [];
    bytes = 0;
  }
  await database.write(batch);
}

/** A store with a mark of garbage that can't be read can't be opened. */
function isUselessMark(key: string, value: Uint8Array | undefined): boolean {
  if (value === undefined || !isIn(key, GARBAGE_MARKS)) return false;
  try {
    requireIntact(key, value);
    return false;
  } catch (error) {
    if (error instanceof DamagedRecordError) return true;
    throw error;
  }
}

/**
 * What the store says of itself; worked out from what it holds when that is lost. Undefined when it
 * is no store, of another format, or was just being replaced by a backup.
 */
async function metaIn(view: View, lost: LostRecords): Promise<StoreMeta | undefined> {
  try {
    const meta = await readMeta(view);
    if (meta !== undefined) return isReadable(meta.format) ? meta : undefined;
    // It never had one: a backup that was interrupted, or another program's.
    if (!lost.mayInclude(META_KEY)) return undefined;
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
  }
  const generations = new Set<string>();
  let lastClient = 0;
  for await (const page of view.keys({ from: "0", to: "g" })) {
    for (const key of page) {
      const meaning = meaningOf(key);
      if (!/^[0-9a-f]{4}\//.test(key) || meaning.kind === "unknown") continue;
      generations.add(key.slice(0, 4));
      if (meaning.kind !== "binding" || meaning.client >= FIRST_FOREIGN_CLIENT) continue;
      lastClient = Math.max(lastClient, meaning.client);
    }
  }
  const [generation, ...others] = generations;
  if (generation === undefined || others.length > 0) return undefined;
  const epochOrdinal = Math.floor(lastClient / CLIENTS_OF_EPOCH) + 1;
  return { format: FORMAT, epoch: "", epochOrdinal, generation: Number.parseInt(generation, 16) };
}

/** Those with records, and those that users have. */
async function everyOutline(view: View, keys: StoreKeys): Promise<Set<OutlineId>> {
  const outlines = new Set(await allOutlines(view, keys));
  for await (const page of view.entries(keys.users)) {
    for (const { value } of page) {
      const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1");
      for (const [id] of text.matchAll(/[0-9a-f]{20}/g)) if (isOutlineId(id)) outlines.add(id);
    }
  }
  return outlines;
}

async function unreadable(database: Database, history: History): Promise<readonly OutlineId[]> {
  const view = database.view();
  const found: OutlineId[] = [];
  try {
    for (const outline of await allOutlines(view, history.keys)) {
      try {
        await readOutline(view, history, outline, () => undefined);
      } catch (error) {
        const isDamage =
          error instanceof DamagedRecordError ||
          (error instanceof StoreError && error.code === "outline_corrupt");
        if (!isDamage) throw error;
        found.push(outline);
      }
    }
  } finally {
    await view.close();
  }
  return found;
}

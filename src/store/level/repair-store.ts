import { copyFile, link, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { firstIdOf } from "../../documents/replica/client-ids.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import { operationBytes } from "../append-bytes.ts";
import { isAsClosed, leaveCloseMark, syncFolder, writeCloseRecord } from "./close-mark.ts";
import { type Database, type KeyRange, type Operation, reading, type View } from "../database.ts";
import { sweepAll } from "./garbage.ts";
import { historyOf } from "./history.ts";
import { inParts } from "../in-parts.ts";
import { meaningOf } from "../key-meaning.ts";
import {
  openLevelDatabase,
  piecesLeftOut,
  readableEntries,
  rebuildLevelDatabase,
} from "./level-database.ts";
import type { MendedOutline } from "./mend-outline.ts";
import { mendOutline } from "./mend-outline.ts";
import { requireSoundFiles } from "./open-history.ts";
import { DamagedRecordError, isIntact, unlessDamaged } from "../record.ts";
import { isUnreadable, openFailure, reasonOf } from "../store-failure.ts";
import { dataFilesIn, finishReplacing, freshFolderOf, replaceFolder } from "./store-folder.ts";
import { ALL_KEYS, CLOSED_KEY, GARBAGE_MARKS, GENERATIONS, type StoreKeys } from "../store-keys.ts";
import type { StoreMeta } from "./store-meta.ts";
import { FORMAT, isReadable, nextEpoch, putMeta, readMeta } from "./store-meta.ts";
import type { StoreProgress } from "../store-progress.ts";
import { allOutlines } from "./verify-store.ts";
import { verifyOutline } from "./verify-outline.ts";

export interface RepairOptions {
  readonly newEpoch: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Keeps keys and sessions also when some that had ended may be among them. */
  readonly keepKeys: boolean;
  readonly onProgress: (progress: StoreProgress) => void;
}

export interface RepairedOutline extends Omit<MendedOutline, "operations"> {
  /** How many of its records were damaged, missing or stray. */
  readonly records: number;
}

/** What came of a damaged store. */
export interface RepairedStore {
  /** Where the damaged store is now, as it was. */
  readonly aside: string;
  readonly outlines: readonly RepairedOutline[];
  /** Damaged records that were of no outline: of users, keys, sessions and the store itself. */
  readonly otherRecords: number;
  /**
   * Whether more may be lost than can be counted: LevelDB has left something out, or has put its files
   * together anew. Then users or keys may be missing, and what had been removed may be there again.
   */
  readonly isInDoubt: boolean;
  /** Keys and sessions that were ended, because nobody can tell which of them had ended before. */
  readonly endedKeys: number;
}

const LOCK = "LOCK";
const BATCH_BYTES = 1024 * 1024;

/**
 * Puts a sound store in the place of a damaged one, with everything that can be read of it. The
 * damaged one is set aside and not changed. A new epoch begins, so that devices hand in what the
 * store has lost; what is known to be lost of an outline is noted with it.
 *
 * Nobody else may have the store open, which is made sure of; a crash at any point leaves the
 * damaged store or the new one in its place.
 * @returns undefined when nothing is damaged; then nothing was changed
 * @throws StoreError
 */
export async function repairStore(
  folder: string,
  options: RepairOptions,
): Promise<RepairedStore | undefined> {
  try {
    await finishReplacing(folder);
    const files = await dataFilesIn(folder);
    if (!files.some((file) => /\d\./.test(file))) throw notRepairable("nothing of a store");
    return await whileLocked(folder, async (workFolder) => {
      const fresh = freshFolderOf(folder);
      try {
        const found = await mendInto(fresh, folder, workFolder, options);
        if (found === undefined) return undefined;
        await syncFolder(fresh);
        const time = new Date(options.now()).toISOString().replaceAll(/[:.]/g, "-");
        const aside = `${folder}.damaged-${time}`;
        await replaceFolder(folder, aside);
        return { aside, ...found };
      } finally {
        await rm(fresh, { recursive: true, force: true });
      }
    });
  } catch (error) {
    throw openFailure(folder, error);
  }
}

/**
 * Holds the lock of the store, which an empty database has under another name: to open the damaged
 * one would change it.
 */
async function whileLocked<T>(
  folder: string,
  task: (workFolder: string) => Promise<T>,
): Promise<T> {
  const workFolder = `${folder}.repairing`;
  const holder = join(workFolder, "lock");
  // One that was there may be that of a repair which is running.
  let isOurs = (await mkdir(holder, { recursive: true, mode: 0o700 })) === workFolder;
  try {
    await rm(join(holder, LOCK), { force: true });
    await writeFile(join(folder, LOCK), "", { flag: "a" });
    await link(join(folder, LOCK), join(holder, LOCK));
    const database = await openLevelDatabase(holder, { create: true });
    isOurs = true;
    try {
      return await task(workFolder);
    } finally {
      await database.close();
    }
  } finally {
    if (isOurs) await rm(workFolder, { recursive: true, force: true });
  }
}

/** @returns undefined when there is nothing to mend */
async function mendInto(
  fresh: string,
  folder: string,
  workFolder: string,
  options: RepairOptions,
): Promise<Omit<RepairedStore, "aside"> | undefined> {
  if (await isSound(folder, fresh, options)) return undefined;
  const copy = join(workFolder, "copy");
  let isCut = (await makeReadable(folder, copy)) === "in part";
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { mode: 0o700 });
  const database = await openLevelDatabase(fresh, { create: true });
  try {
    await writeInParts(
      database,
      readableEntries(copy, () => (isCut = true)),
    );
    const mended = await mend(database, isCut, options);
    const text = options.newEpoch();
    await writeCloseRecord(database, text);
    await database.close();
    await leaveCloseMark(fresh, text);
    return mended;
  } finally {
    await database.close();
  }
}

/** Whether all is as it should be. Tried under other names, so that nothing is changed by it. */
async function isSound(folder: string, trial: string, options: RepairOptions): Promise<boolean> {
  return falseWhenDamaged(() =>
    openLinked(folder, trial, async (database) => {
      if ((await piecesLeftOut(trial)) > 0) return false;
      await reading(database, readBothWays);
      const { outlines, otherRecords } = await mend(database, false, options);
      return outlines.length === 0 && otherRecords === 0;
    }),
  );
}

/** A table says twice where its entries are: for going through it, and for finding a key. */
async function readBothWays(view: View): Promise<void> {
  for await (const page of view.entries(ALL_KEYS)) {
    const values = await view.getMany(page.map(({ key }) => key));
    const lost = page.find((_, index) => values[index] === undefined);
    if (lost !== undefined) throw new DamagedRecordError(lost.key, "it can't be found");
  }
}

/** Makes of the files, under other names, a database that LevelDB can open. */
async function makeReadable(folder: string, copy: string): Promise<"as it was" | "in part"> {
  let pieces = 0;
  const isOpenable = await falseWhenDamaged(() =>
    openLinked(folder, copy, async () => {
      pieces = await piecesLeftOut(copy);
      return true;
    }),
  );
  if (isOpenable) return pieces === 0 ? "as it was" : "in part";
  await linkFiles(folder, copy);
  await rebuildLevelDatabase(copy).catch((cause: unknown) => {
    const message = `LevelDB can't put the store in "${folder}" together: ${reasonOf(cause)}. Nothing was changed. Restore a backup into another folder.`;
    throw new StoreError("store_corrupt", message, { cause });
  });
  return "in part";
}

/** @throws when it is not as it was closed, or can't be opened */
async function openLinked(
  folder: string,
  copy: string,
  task: (database: Database) => Promise<boolean>,
): Promise<boolean> {
  const { mark } = await requireSoundFiles(folder);
  await linkFiles(folder, copy);
  const database = await openLevelDatabase(copy, { create: false });
  try {
    return (mark === undefined || (await isAsClosed(mark, database))) && (await task(database));
  } finally {
    await database.close();
  }
}

async function falseWhenDamaged(task: () => Promise<boolean>): Promise<boolean> {
  try {
    return await task();
  } catch (error) {
    const isDamage =
      isUnreadable(error) ||
      error instanceof DamagedRecordError ||
      (error instanceof StoreError && error.code === "store_corrupt");
    if (isDamage) return false;
    throw error;
  }
}

/** LevelDB never changes such a file but by putting another one in its place: a second name is enough. */
async function linkFiles(folder: string, copy: string): Promise<void> {
  await rm(copy, { recursive: true, force: true });
  await mkdir(copy, { mode: 0o700 });
  for (const name of await dataFilesIn(folder)) {
    const [from, to] = [join(folder, name), join(copy, name)];
    await link(from, to).catch(() => copyFile(from, to));
  }
}

async function mend(
  database: Database,
  isCut: boolean,
  { newEpoch, keepKeys, onProgress }: RepairOptions,
): Promise<Omit<RepairedStore, "aside">> {
  const { meta, isDamaged } = await reading(database, (view) => metaIn(view, isCut));
  const history = historyOf(nextEpoch(meta, newEpoch));
  const { keys } = history;
  let otherRecords = isDamaged ? 1 : 0;
  for (const range of [GARBAGE_MARKS, ...keys.accounts]) {
    otherRecords += await removeFrom(database, range, (key, value) => !isIntact(key, value));
  }
  await sweepAll(database);
  for (const range of keys.others) await removeFrom(database, range, () => true);
  const outlines = await mendOutlines(database, keys, onProgress);
  let endedKeys = 0;
  if (isCut && !keepKeys) {
    for (const range of keys.credentials)
      endedKeys += await removeFrom(database, range, () => true);
    await removeFrom(database, keys.webhooks, () => true);
  }
  await database.write([putMeta(history.meta)]);
  // Each of them is two records: itself, and where it is by its hash.
  return { outlines, otherRecords, isInDoubt: isCut, endedKeys: Math.ceil(endedKeys / 2) };
}

async function mendOutlines(
  database: Database,
  keys: StoreKeys,
  onProgress: (progress: StoreProgress) => void,
): Promise<readonly RepairedOutline[]> {
  return reading(database, async (view) => {
    const mended: RepairedOutline[] = [];
    const outlines = await allOutlines(view, keys);
    let done = 0;
    for (const outline of outlines) {
      const findings = await verifyOutline(view, keys, outline);
      if (findings.length > 0) {
        const { operations, missing } = await mendOutline(view, keys, outline);
        await writeInParts(database, operations);
        mended.push({ outline, records: findings.length, missing });
      }
      done += 1;
      onProgress({ outlines: done, of: outlines.size });
    }
    return mended;
  });
}

/**
 * What the store says of itself, of which the newest may be lost. Client ids are given out by epochs:
 * their numbers tell that there were later ones.
 * @throws StoreError when it is no store, is of another format, or does not say which data counts
 */
async function metaIn(
  view: View,
  mayLackMeta: boolean,
): Promise<{ readonly meta: StoreMeta; readonly isDamaged: boolean }> {
  const meta = await unlessDamaged(
    () => readMeta(view),
    () => "damaged" as const,
  );
  const stored = meta === "damaged" ? undefined : meta;
  const isDamaged = stored === undefined;
  if (stored !== undefined && !isReadable(stored.format)) throw notRepairable("of another version");
  // A backup that was interrupted never was closed.
  const hadMeta = mayLackMeta || (await view.get(CLOSED_KEY)) !== undefined;
  if (meta === undefined && !hadMeta) throw notRepairable("no complete store");
  const generations = new Set<number>();
  let lastClient = 0;
  for await (const page of view.keys(GENERATIONS)) {
    for (const key of page) {
      const meaning = meaningOf(key);
      if (!/^[0-9a-f]{4}\//.test(key) || meaning.kind === "unknown") continue;
      generations.add(parseInt(key.slice(0, 4), 16));
      if (meaning.kind !== "binding" || meaning.client >= FIRST_FOREIGN_CLIENT) continue;
      lastClient = Math.max(lastClient, meaning.client);
    }
  }
  const [generation, ...others] = generations;
  const epochOrdinal = Math.max(stored?.epochOrdinal ?? 0, Math.floor(lastClient / firstIdOf(1)));
  if (stored !== undefined && (generation === undefined || generations.has(stored.generation))) {
    return { meta: { ...stored, epochOrdinal }, isDamaged };
  }
  if (generation === undefined) throw notRepairable("nothing of a store");
  if (others.length > 0) throw notRepairable("a backup and what it was to replace, half each");
  const guessed = { ...stored, format: FORMAT, epoch: "", epochOrdinal, generation };
  return { meta: guessed, isDamaged };
}

/** Client ids below are given out by stores. */
const FIRST_FOREIGN_CLIENT = 2 ** 28;

function notRepairable(what: string): StoreError {
  return new StoreError(
    "store_corrupt",
    `There is ${what} in the files: nothing was changed. Restore a backup into another folder.`,
  );
}

/** @returns how many were removed */
async function removeFrom(
  database: Database,
  range: KeyRange,
  isRemoved: (key: string, value: Uint8Array) => boolean,
): Promise<number> {
  return reading(database, async (view) => {
    let removed = 0;
    for await (const page of view.entries(range)) {
      const operations = page.filter(({ key, value }) => isRemoved(key, value));
      removed += operations.length;
      if (operations.length > 0) await database.write(operations.map(({ key }) => ({ key })));
    }
    return removed;
  });
}

async function writeInParts(
  database: Database,
  operations: Iterable<Operation> | AsyncIterable<Operation>,
): Promise<void> {
  for await (const part of inParts(operations, BATCH_BYTES, operationBytes)) {
    await database.write(part);
  }
}

import { StoreError } from "../documents/outline-log.ts";
import { isAsClosed, removeCloseMark } from "./close-mark.ts";
import type { Database, OpenDatabase } from "./database.ts";
import { damageIn } from "./file-damage.ts";
import { garbageRanges, sweep } from "./garbage.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import { openFailure } from "./store-failure.ts";
import { inspectStoreFolder } from "./store-folder.ts";
import { ALL_KEYS } from "./store-keys.ts";
import type { StoreMeta } from "./store-meta.ts";
import { FORMAT, nextEpoch, putMeta, readMeta } from "./store-meta.ts";

export interface OpenHistoryOptions {
  readonly openDatabase: OpenDatabase;
  /** A fresh random name of a history. */
  readonly newEpoch: () => string;
  /** Whether to read all files first, and to refuse a store with damage in one of them. */
  readonly checkFiles: boolean;
}

export interface OpenedHistory {
  readonly database: Database;
  readonly history: History;
}

/**
 * Opens the store in a folder, or makes one when the folder is empty or missing. A backup that is
 * opened here for the first time becomes a store with a history of its own. Removals that a crash
 * has interrupted are finished.
 * @throws StoreError
 */
export async function openHistory(
  folder: string,
  options: OpenHistoryOptions,
): Promise<OpenedHistory> {
  try {
    const create = (await inspectStoreFolder(folder)) === "empty";
    if (!create && options.checkFiles) await requireIntactFiles(folder);
    const database = await options.openDatabase(folder, { create });
    try {
      await requireAsClosed(folder, database);
      const meta = await makeCurrent(database, folder, options);
      await sweepGarbage(database);
      return { database, history: historyOf(meta) };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (error) {
    throw openFailure(folder, error);
  }
}

/** Like `openHistory` for one that was open before: a store that has vanished is not made anew. */
export async function reopenHistory(
  folder: string,
  options: OpenHistoryOptions,
): Promise<OpenedHistory> {
  return openHistory(folder, {
    ...options,
    checkFiles: false,
    openDatabase: (path) => options.openDatabase(path, { create: false }),
  });
}

async function requireIntactFiles(folder: string): Promise<void> {
  const damage = await damageIn(folder);
  if (damage === undefined) return;
  throw new StoreError(
    "store_corrupt",
    `The store in "${folder}" can't be opened, because its file ${damage}. Restore a backup into another folder.`,
  );
}

async function requireAsClosed(folder: string, database: Database): Promise<void> {
  if (!(await isAsClosed(folder, database))) {
    throw new StoreError(
      "store_corrupt",
      `The store in "${folder}" has lost the end of its log since it was closed. Restore a backup into another folder, or delete its file CLOSED to go on without what is lost.`,
    );
  }
  await removeCloseMark(folder);
}

export async function writeMeta(database: Database, meta: StoreMeta): Promise<void> {
  await database.write([putMeta(meta)]);
}

async function makeCurrent(
  database: Database,
  folder: string,
  { newEpoch }: OpenHistoryOptions,
): Promise<StoreMeta> {
  const stored = await storedMeta(database, folder);
  if (stored !== undefined && stored.backupAt === undefined) return stored;
  const first = { format: FORMAT, epoch: newEpoch(), epochOrdinal: 0, generation: 0 };
  const meta = stored === undefined ? first : nextEpoch(stored, newEpoch);
  await writeMeta(database, meta);
  return meta;
}

/** @returns undefined for a database with nothing in it */
export async function storedMeta(
  database: Database,
  folder: string,
): Promise<StoreMeta | undefined> {
  const view = database.view();
  try {
    const meta = await readMeta(view);
    if (meta === undefined) {
      for await (const _ of view.keys(ALL_KEYS, { limit: 1 })) {
        throw new StoreError(
          "store_corrupt",
          `"${folder}" holds no complete store: another program's database, or a backup that was interrupted.`,
        );
      }
      return undefined;
    }
    if (meta.format !== FORMAT) {
      throw new StoreError(
        "store_corrupt",
        `The store in "${folder}" has format ${meta.format}, and this version reads ${FORMAT}.`,
      );
    }
    return meta;
  } finally {
    await view.close();
  }
}

async function sweepGarbage(database: Database): Promise<void> {
  const view = database.view();
  try {
    for (const range of await garbageRanges(view)) {
      await sweep(range, view, (operations) => database.write(operations));
    }
  } finally {
    await view.close();
  }
}

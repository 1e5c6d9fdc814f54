import { StoreError } from "../documents/outline-log.ts";
import type { CloseMark } from "./close-mark.ts";
import { shortenedFileIn, isAsClosed, readCloseMark, removeCloseMark } from "./close-mark.ts";
import type { Database, OpenDatabase } from "./database.ts";
import type { TornEnd } from "./file-damage.ts";
import { inspectFiles } from "./file-damage.ts";
import { garbageRanges, sweep } from "./garbage.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import type { SalvageEvents } from "./salvage.ts";
import { finishSalvage, salvage } from "./salvage.ts";
import { openFailure, reasonOf } from "./store-failure.ts";
import { inspectStoreFolder } from "./store-folder.ts";
import { ALL_KEYS } from "./store-keys.ts";
import type { StoreMeta } from "./store-meta.ts";
import { FORMAT, isReadable, nextEpoch, putMeta, readMeta } from "./store-meta.ts";

export interface OpenHistoryOptions {
  readonly openDatabase: OpenDatabase;
  /** A fresh random name of a history. */
  readonly newEpoch: () => string;
  /** Whether to read all files first, and to refuse a store with damage in one of them. */
  readonly checkFiles: boolean;
  /** Told of a last write that a crash has cut off, when all files are read. */
  readonly onTornEnd: (end: TornEnd) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** When given, a damaged store is replaced by what can be read of it; otherwise it is refused. */
  readonly salvaging?: SalvageEvents | undefined;
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
  await finishSalvage(folder);
  try {
    return await openAsItIs(folder, options);
  } catch (error) {
    const { salvaging } = options;
    if (salvaging === undefined || !isDamage(error)) throw error;
    const salvaged = await salvage(folder, error.message, { ...options, salvaging }).catch(
      (cause: unknown) => {
        throw salvageFailure(error, openFailure(folder, cause));
      },
    );
    if (!salvaged) {
      const message = `${error.message} The server has tried, and found nothing to serve.`;
      throw new StoreError("store_corrupt", message, { cause: error });
    }
    return openAsItIs(folder, options);
  }
}

function isDamage(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === "store_corrupt";
}

/** The damage is what a person has to know of, unless somebody else has the store. */
function salvageFailure(damage: StoreError, failure: StoreError): StoreError {
  if (failure.code === "store_locked") return failure;
  const message = `${damage.message} It could not be salvaged: ${reasonOf(failure)}.`;
  return new StoreError("store_corrupt", message, { cause: failure });
}

async function openAsItIs(folder: string, options: OpenHistoryOptions): Promise<OpenedHistory> {
  try {
    const create = (await inspectStoreFolder(folder)) === "empty";
    const mark = create ? undefined : await readCloseMark(folder);
    if (!create && options.checkFiles) await requireIntactFiles(folder, mark, options);
    const database = await options.openDatabase(folder, { create });
    try {
      if (mark !== undefined && !(await isAsClosed(mark, database))) throw endIsLost(folder);
      await removeCloseMark(folder);
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
    salvaging: undefined,
    openDatabase: (path) => options.openDatabase(path, { create: false }),
  });
}

async function requireIntactFiles(
  folder: string,
  mark: CloseMark | undefined,
  { onTornEnd }: OpenHistoryOptions,
): Promise<void> {
  const shortened = mark === undefined ? undefined : await shortenedFileIn(folder, mark);
  if (shortened?.endsWith(".log") === true) throw endIsLost(folder);
  const findings = await inspectFiles(folder, mark);
  if (findings.tornEnd !== undefined) onTornEnd(findings.tornEnd);
  const damage =
    findings.damage ??
    (shortened === undefined
      ? undefined
      : `${shortened} has lost something since the store was closed`);
  if (damage === undefined) return;
  throw new StoreError(
    "store_corrupt",
    `The store in "${folder}" can't be opened, because its file ${damage}. Restore a backup into another folder, or start the server, which serves what it can still read.`,
  );
}

function endIsLost(folder: string): StoreError {
  return new StoreError(
    "store_corrupt",
    `The store in "${folder}" has lost the end of its log since it was closed. Restore a backup into another folder, or delete its file CLOSED to go on without what is lost.`,
  );
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
  if (stored === undefined) {
    const name = nameFrom(newEpoch());
    const first = { format: FORMAT, epoch: newEpoch(), epochOrdinal: 0, generation: 0, name };
    await writeMeta(database, first);
    return first;
  }
  const isBackup = stored.backupAt !== undefined;
  if (!isBackup && stored.format === FORMAT && stored.name !== undefined) return stored;
  // An older format lacks kinds of records, of which there are none yet.
  const { name = nameFrom(newEpoch()), ...others } = isBackup
    ? nextEpoch(stored, newEpoch)
    : stored;
  const meta = { ...others, format: FORMAT, name };
  await writeMeta(database, meta);
  return meta;
}

/** Short: it is sent with each request of a browser. */
function nameFrom(random: string): string {
  return random.slice(0, 8);
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
    if (!isReadable(meta.format)) {
      throw new StoreError(
        "store_corrupt",
        `The store in "${folder}" has format ${meta.format}, and this version reads up to ${FORMAT}.`,
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

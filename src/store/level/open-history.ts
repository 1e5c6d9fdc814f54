import { StoreError } from "../../documents/log/outline-log.ts";
import type { CloseMark } from "./close-mark.ts";
import { isAsClosed, readCloseMark, removeCloseMark, shortenedFileIn } from "./close-mark.ts";
import { type Database, type OpenDatabase, reading } from "../database.ts";
import { sweepAll } from "./garbage.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import { piecesLeftOut } from "./level-database.ts";
import { type Purpose, requirePurpose } from "../purpose.ts";
import type { StoreEvents } from "../store-events.ts";
import { damagedStore, openFailure } from "../store-failure.ts";
import { inspectStoreFolder, keepPrivate } from "./store-folder.ts";
import { ALL_KEYS, CLOSED_KEY } from "../store-keys.ts";
import type { StoreMeta } from "./store-meta.ts";
import { FORMAT, isReadable, nextEpoch, putMeta, readMeta } from "./store-meta.ts";

export interface OpenHistoryOptions {
  readonly openDatabase: OpenDatabase;
  /** A fresh random name of a history. */
  readonly newEpoch: () => string;
  readonly purpose: Purpose;
  readonly events: Pick<StoreEvents, "onUncleanEnd" | "onLogLoss">;
}

export interface OpenedHistory {
  readonly database: Database;
  readonly history: History;
}

/**
 * Opens the store in a folder, or makes one when the folder is empty or missing. A backup that is
 * opened here for the first time becomes a store with a history of its own. Removals that a crash
 * has interrupted are finished. Nothing else is read: records are checked when they are needed.
 * @throws StoreError
 */
export async function openHistory(
  folder: string,
  options: OpenHistoryOptions,
): Promise<OpenedHistory> {
  const { purpose } = options;
  const apart = purpose.kind === "read" ? purpose.apart : undefined;
  try {
    const { create, mark } = await requireSoundFiles(folder);
    const database = await options.openDatabase(folder, { create, ...(apart && { apart }) });
    try {
      if (mark !== undefined && !(await isAsClosed(mark, database))) {
        throw damagedStore(folder, END_IS_LOST);
      }
      const pieces = create ? 0 : await piecesLeftOut(apart ?? folder);
      const isLossy = pieces > 0;
      const { meta, wasServed } = await makeCurrent(database, folder, { ...options, isLossy });
      if (apart === undefined) await removeCloseMark(folder);
      if (isLossy) options.events.onLogLoss?.(pieces);
      else if (wasServed && mark === undefined) options.events.onUncleanEnd?.();
      await sweepAll(database);
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
    openDatabase: (path, given) => options.openDatabase(path, { ...given, create: false }),
    // It is this process that has given it up.
    events: { ...options.events, onUncleanEnd: () => undefined },
  });
}

const END_IS_LOST = "the end of its log is lost since it was closed";

/**
 * Looks at the names and the sizes of the files, before LevelDB changes any of them.
 * @returns whether there are none, and how they were when the store was closed
 * @throws StoreError `store_unavailable`, `store_corrupt`
 */
export async function requireSoundFiles(
  folder: string,
): Promise<{ readonly create: boolean; readonly mark: CloseMark | undefined }> {
  const found = await inspectStoreFolder(folder);
  await keepPrivate(folder);
  if (found === "empty") return { create: true, mark: undefined };
  const mark = await readCloseMark(folder);
  const file = mark && (await shortenedFileIn(folder, mark));
  if (file?.endsWith(".log") === true) throw damagedStore(folder, END_IS_LOST);
  if (file !== undefined) {
    throw damagedStore(folder, `its file ${file} has lost something since it was closed`);
  }
  return { create: false, mark };
}

export async function writeMeta(database: Database, meta: StoreMeta): Promise<void> {
  await database.write([putMeta(meta)]);
}

/** @returns what the store is now, and whether a process has served it before */
async function makeCurrent(
  database: Database,
  folder: string,
  { newEpoch, isLossy, purpose }: OpenHistoryOptions & { readonly isLossy: boolean },
): Promise<{ readonly meta: StoreMeta; readonly wasServed: boolean }> {
  const stored = await storedMeta(database, folder);
  if (stored === undefined) {
    const isArriving = purpose.kind === "arrive";
    const name = isArriving ? purpose.name : nameFrom(newEpoch());
    const common = { format: FORMAT, epoch: newEpoch(), epochOrdinal: 0, generation: 0, name };
    const first: StoreMeta = isArriving ? { ...common, arriving: true } : common;
    await writeMeta(database, first);
    return { meta: first, wasServed: false };
  }
  const { name: found, arriving = false } = stored;
  requirePurpose(`"${folder}"`, purpose, { name: found, arriving, isEmpty: false });
  const isBackup = stored.backupAt !== undefined;
  const wasServed = !isBackup;
  const isNewHistory = isBackup || isLossy;
  if (!isNewHistory && stored.format === FORMAT && stored.name !== undefined) {
    return { meta: stored, wasServed };
  }
  // An older format lacks kinds of records, of which there are none yet.
  const { name = nameFrom(newEpoch()), ...others } = isNewHistory
    ? nextEpoch(stored, newEpoch)
    : stored;
  const meta = { ...others, format: FORMAT, name };
  await writeMeta(database, meta);
  return { meta, wasServed };
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
  return reading(database, async (view) => {
    const meta = await readMeta(view);
    if (meta === undefined) {
      if ((await view.get(CLOSED_KEY)) !== undefined) {
        throw damagedStore(folder, "the record of what it is is gone");
      }
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
  });
}

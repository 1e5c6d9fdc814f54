import { join } from "node:path";

import { copyHistory } from "./copy-history.ts";
import {
  type Database,
  type OpenDatabase,
  type Operation,
  reading,
  type View,
} from "../database.ts";
import { piecesLeftOut } from "./level-database.ts";
import { markAsGarbage, unmark } from "./garbage.ts";
import { type LackingUpdates, lackingUpdates } from "./lacking-updates.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import { storedMeta } from "./open-history.ts";
import { putLostClocks } from "./lost-record.ts";
import type { StoreCore } from "./store-core.ts";
import { isLevelCorruption, openFailure, readFailure, reasonOf } from "../store-failure.ts";
import { isThere } from "./store-folder.ts";
import { StoreKeys } from "../store-keys.ts";
import type { StoreProgress } from "../store-progress.ts";
import type { StoreFinding } from "./verify-outline.ts";
import { verifyStore } from "./verify-store.ts";

export interface RestoreOptions {
  readonly folder: string;
  readonly openDatabase: OpenDatabase;
  readonly newEpoch: () => string;
  readonly onProgress: (progress: StoreProgress) => void;
  /** What the backup held counts from now on; what there was before is still to be removed. */
  readonly onReplaced: (lacking: LackingUpdates) => void;
}

export type Restore =
  | { readonly kind: "restored" }
  /** There is no complete store in the folder; nothing was changed. */
  | { readonly kind: "no_backup" }
  /** The backup is not as it was written; nothing was changed. */
  | { readonly kind: "damaged"; readonly findings: readonly StoreFinding[] };

/**
 * Replaces what a store holds with a backup. The backup is read and checked whole, then copied
 * beside the living data, and one small commit puts it in their place: whatever happens on the way,
 * the store is what it was or what the backup was, and the backup stays as it is. It begins a new history, so that no device and
 * no replica takes it for the one it knows.
 * Never to be run twice at once.
 */
export async function restore(core: StoreCore, options: RestoreOptions): Promise<Restore> {
  const { folder, openDatabase } = options;
  const apart = `${core.folder}.restoring`;
  if (!(await isThere(join(folder, "CURRENT")))) return { kind: "no_backup" };
  const database = await openDatabase(folder, { create: false, apart }).catch((error: unknown) => {
    if (isLevelCorruption(error)) return reasonOf(error);
    throw openFailure(folder, error);
  });
  if (typeof database === "string") return damagedFile(database);
  try {
    if ((await piecesLeftOut(apart)) > 0) return damagedFile("the log of the database");
    const meta = await storedMeta(database, folder);
    if (meta === undefined) return { kind: "no_backup" };
    return await restoreFrom(database, historyOf(meta), core, options);
  } catch (error) {
    throw readFailure(error);
  } finally {
    await database.close();
  }
}

function damagedFile(record: string): Restore {
  return { kind: "damaged", findings: [{ kind: "damaged", record }] };
}

async function restoreFrom(
  database: Database,
  backup: History,
  core: StoreCore,
  { newEpoch, onProgress, onReplaced }: RestoreOptions,
): Promise<Restore> {
  const requireOpen = (): void => core.requireOpen();
  return reading(database, async (view) => {
    const findings = await verifyStore(view, backup, requireOpen);
    if (findings.length > 0) return { kind: "damaged", findings };
    const { history } = core;
    const keys = new StoreKeys(history.keys.generation + 1);
    await copyBeside(view, backup, { core, history, keys, onProgress });
    const epochOrdinal = Math.max(history.meta.epochOrdinal, backup.meta.epochOrdinal) + 1;
    const { lost, ...lacking } = await core.read((living) =>
      lackingUpdates({ view: living, history }, { view, history: backup }, requireOpen),
    );
    for (const [outline, clocks] of lost) {
      await core.change(history, [putLostClocks(keys, outline, clocks)]);
    }
    const { format, name } = history.meta;
    const { generation } = keys;
    const meta = { format, epoch: newEpoch(), epochOrdinal, generation, ...(name && { name }) };
    await core.replaceHistory(history, meta, [unmark(keys.all), markAsGarbage(history.keys.all)]);
    onReplaced(lacking);
    // It is restored; what can't be removed now is removed when the store is opened again.
    await core.sweep(history.keys.all).catch(() => undefined);
    return { kind: "restored" };
  });
}

async function copyBeside(
  view: View,
  backup: History,
  into: {
    readonly core: StoreCore;
    readonly history: History;
    readonly keys: StoreKeys;
    readonly onProgress: (progress: StoreProgress) => void;
  },
): Promise<void> {
  const { core, history, keys, onProgress } = into;
  const mark = [markAsGarbage(keys.all)];
  // First what an attempt that failed may have left there.
  await core.change(history, mark);
  await core.sweep(keys.all);
  await core.change(history, mark);
  const write = (operations: readonly Operation[]) => core.change(history, operations);
  await copyHistory(view, backup, { keys, write }, (progress) => {
    core.requireOpen();
    onProgress(progress);
  });
}

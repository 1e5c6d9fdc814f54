import { access, chmod, constants, readdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";

import { StoreError } from "../../documents/log/outline-log.ts";
import { syncFolder } from "./close-mark.ts";
import { makeFolder, unusableFolder } from "../make-folder.ts";
import { damagedStore } from "../store-failure.ts";

/** What LevelDB keeps beside its data; alone they hold nothing. */
const EMPTY_DATABASE_FILE = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.dbtmp)$/;
/** LevelDB makes it before the first log, and another one with that log. */
const FIRST_MANIFEST = "MANIFEST-000001";
const LOG_FILE = /^\d+\.log$/;
const DATA_FILE = /^(CURRENT|MANIFEST-\d+|\d+\.(ldb|sst|log))$/;
const DATABASE_FILE = /^(CLOSED|CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|ldb|sst|log))$/;

/**
 * Looks at the folder before LevelDB does, which would start an empty database over the remains of
 * a damaged one, and take a log that is gone for an empty one. Makes the folder when it is missing.
 * @returns whether there is a database or one has to be created
 * @throws StoreError `store_unavailable`, `store_corrupt`
 */
export async function inspectStoreFolder(folder: string): Promise<"existing" | "empty"> {
  await finishReplacing(folder);
  const files = await filesOf(folder);
  if (files.every((file) => EMPTY_DATABASE_FILE.test(file))) return "empty";
  const foreign = files.find((file) => !DATABASE_FILE.test(file));
  if (!files.includes("CURRENT")) {
    if (foreign === undefined) throw damagedStore(folder, "its file CURRENT is gone");
    throw new StoreError(
      "store_corrupt",
      `"${folder}" holds no store but other files (such as "${foreign}"): choose another folder.`,
    );
  }
  const current = await readFile(join(folder, "CURRENT"), "utf8");
  if (!files.some((file) => `${file}\n` === current)) {
    throw damagedStore(folder, "its file CURRENT names no file that is there");
  }
  const hadLog = current !== `${FIRST_MANIFEST}\n`;
  if (hadLog && !files.some((file) => LOG_FILE.test(file))) {
    throw damagedStore(folder, "its log is gone");
  }
  return "existing";
}

/** Whether a store is in a folder, or what is left of one. Nothing is made where there is none. */
export async function holdsStore(folder: string): Promise<boolean> {
  await finishReplacing(folder);
  const files = await readdir(folder).catch(() => []);
  return files.some((file) => !EMPTY_DATABASE_FILE.test(file));
}

/** The files that hold the data of a database, and say which of them count. */
export async function dataFilesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((file) => DATA_FILE.test(file));
}

/** Where a repair puts what is to take the place of the store in a folder. */
export function freshFolderOf(folder: string): string {
  return `${folder}.salvaged`;
}

/**
 * Puts the folder that `freshFolderOf` names in the place of another one, which gets another name.
 * A crash in between is made up for by `finishReplacing`.
 */
export async function replaceFolder(folder: string, aside: string): Promise<void> {
  await rename(folder, aside);
  await rename(freshFolderOf(folder), folder).catch(async (error: unknown) => {
    await rename(aside, folder);
    throw error;
  });
  await syncFolder(dirname(folder));
}

/** Finishes what a crash has interrupted. To be called before a store is looked at. */
export async function finishReplacing(folder: string): Promise<void> {
  if ((await isThere(folder)) || !(await isThere(freshFolderOf(folder)))) return;
  await rename(freshFolderOf(folder), folder);
  await syncFolder(dirname(folder));
}

/** @param mode what is to be done with it, as `access` has it */
export function isThere(path: string, mode = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/**
 * The names in a folder, which is made when it is missing.
 * @throws StoreError `store_unavailable`
 */
export async function filesOf(folder: string): Promise<readonly string[]> {
  await makeFolder(folder);
  try {
    return await readdir(folder);
  } catch (cause) {
    throw unusableFolder(folder, cause);
  }
}

/**
 * Closes a folder to everybody else: it may have been there before, and files in it from a time when
 * others could read them. Where it belongs to somebody else, that is up to them.
 */
export async function keepPrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
}

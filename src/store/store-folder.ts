import { chmod, mkdir, readdir } from "node:fs/promises";

import { StoreError } from "../documents/outline-log.ts";

/** What LevelDB keeps beside its data; alone they hold nothing. */
const EMPTY_DATABASE_FILE = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.dbtmp)$/;
const DATABASE_FILE = /^(CLOSED|CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(dbtmp|ldb|sst|log))$/;

/**
 * Looks at the folder before LevelDB does, which would start an empty database over the remains of
 * a damaged one. Makes the folder when it is missing.
 * @returns whether there is a database or one has to be created
 * @throws StoreError `store_unavailable`, `store_corrupt`
 */
export async function inspectStoreFolder(folder: string): Promise<"existing" | "empty"> {
  const files = await filesOf(folder);
  if (files.includes("CURRENT")) return keptPrivate(folder, "existing");
  if (files.every((file) => EMPTY_DATABASE_FILE.test(file))) return keptPrivate(folder, "empty");
  const foreign = files.find((file) => !DATABASE_FILE.test(file));
  throw new StoreError(
    "store_corrupt",
    foreign === undefined
      ? `The store in "${folder}" has lost its file CURRENT: restore a backup into another folder.`
      : `"${folder}" holds no store but other files (such as "${foreign}"): choose another folder.`,
  );
}

/**
 * The names in a folder, which is made when it is missing.
 * @throws StoreError `store_unavailable`
 */
export async function filesOf(folder: string): Promise<readonly string[]> {
  try {
    // Only for the owner: what people write is nobody else's business on this machine.
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await readdir(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StoreError("store_unavailable", `The folder "${folder}" can't be used: ${reason}.`, {
      cause,
    });
  }
}

/**
 * Closes a folder to everybody else: it may have been there before, and files in it from a time when
 * others could read them. Where it belongs to somebody else, that is up to them.
 */
export async function keepPrivate(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
}

async function keptPrivate<T>(folder: string, found: T): Promise<T> {
  await keepPrivate(folder);
  return found;
}

import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StoreError } from "../documents/log/outline-log.ts";

/**
 * Makes a folder, and those that it is in, unless they are there. Only for the owner: what people
 * write is nobody else's business on this machine. (Node's own `recursive` goes on for ever where a
 * folder takes no others, as `/proc`.)
 * @returns the first that it has made, which the others are in
 * @throws StoreError `store_unavailable`
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await make(folder);
  } catch (cause) {
    throw unusableFolder(folder, cause);
  }
}

export function unusableFolder(folder: string, cause: unknown): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const sentence = `The folder "${folder}" can't be used: ${reason}.`;
  return new StoreError("store_unavailable", sentence, { cause });
}

async function make(folder: string, mayLackParent = true): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return folder;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && mayLackParent && dirname(folder) !== folder) {
      const first = await make(dirname(folder));
      const last = await make(folder, false);
      return first ?? last;
    }
    const isThere = (await stat(folder).catch(() => undefined))?.isDirectory() === true;
    if (!isThere) throw error;
    return undefined;
  }
}

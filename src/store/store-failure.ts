import type { OutlineId } from "../core/node-key.ts";
import { StoreError } from "../documents/log/outline-log.ts";
import { meaningOf } from "./key-meaning.ts";
import { DamagedRecordError } from "./record.ts";

const ADVICE = 'Stop the server and run "outline repair", or restore a backup.';

/** What the system says where nothing is wrong with the files, and what is to be done about it. */
const OF_SYSTEM: readonly (readonly [said: RegExp, advice: string])[] = [
  [/No space left on device|Disk quota exceeded/, "Make room on its disk."],
  [/Permission denied|Read-only file system/, "The server has to be able to write to it."],
  [/Too many open files/, "The system has to give the server more files (ulimit -n)."],
];

/** The code of LevelDB's error, or of the one that `abstract-level` has wrapped around it. */
function levelCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.cause !== undefined) return levelCodeOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

export function isLevelCorruption(error: unknown): boolean {
  return levelCodeOf(error) === "LEVEL_CORRUPTION";
}

/** Damage as well, when it is not the disk that fails: LevelDB can't use a file as it is. */
export function isUnreadable(error: unknown): boolean {
  return isLevelCorruption(error) || levelCodeOf(error) === "LEVEL_IO_ERROR";
}

/** In the words of what failed first. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Each of the addresses of a name has been tried, and none works.
  if (error instanceof AggregateError && error.message === "") return reasonOf(error.errors[0]);
  return error.cause === undefined ? error.message : reasonOf(error.cause);
}

export function storeClosed(): StoreError {
  return new StoreError("store_closed", "The store is closed.");
}

export function storeUnavailable(cause: unknown): StoreError {
  return new StoreError("store_unavailable", `The store fails now: ${reasonOf(cause)}.`, { cause });
}

export function outlineCorrupt(outline: OutlineId, what: string, cause?: unknown): StoreError {
  return new StoreError(
    "outline_corrupt",
    `Outline ${outline} can't be read: ${what}. The other outlines are served. ${ADVICE}`,
    { outline, cause },
  );
}

/** A damaged record in terms of the store. */
export function damage(error: DamagedRecordError): StoreError {
  const meaning = meaningOf(error.key);
  if ("outline" in meaning) return outlineCorrupt(meaning.outline, error.message, error);
  return new StoreError("store_corrupt", `${error.message}. ${ADVICE}`, { cause: error });
}

/** What failed while a store was read, in terms of the store. Bugs stay what they are. */
export function readFailure(error: unknown, outline?: OutlineId): unknown {
  if (error instanceof DamagedRecordError) return damage(error);
  const code = levelCodeOf(error);
  if (error instanceof StoreError || code === undefined) return error;
  if (!isLevelCorruption(error)) return storeUnavailable(error);
  if (outline !== undefined) return outlineCorrupt(outline, reasonOf(error), error);
  const message = `The store is damaged: ${reasonOf(error)}. ${ADVICE}`;
  return new StoreError("store_corrupt", message, { cause: error });
}

/** The sentence of what is found damaged when a store is opened. */
export function damagedStore(folder: string, what: string, cause?: unknown): StoreError {
  return new StoreError(
    "store_corrupt",
    `The store in "${folder}" is damaged: ${what}. Nothing was changed. ${ADVICE}`,
    { cause },
  );
}

/** What failed while a store was opened. */
export function openFailure(folder: string, error: unknown): StoreError {
  const cause = error;
  if (error instanceof StoreError) return error;
  const code = levelCodeOf(error);
  if (code === "LEVEL_LOCKED") {
    return new StoreError("store_locked", `Another process has "${folder}" open.`, { cause });
  }
  if (code === undefined || code === "LEVEL_CORRUPTION") {
    return damagedStore(folder, reasonOf(error), cause);
  }
  const reason = reasonOf(error);
  const [, adviceOfSystem] = OF_SYSTEM.find(([said]) => said.test(reason)) ?? [];
  const advice =
    adviceOfSystem ?? (isUnreadable(error) ? `If that stays so: ${ADVICE}` : undefined);
  return new StoreError(
    "store_unavailable",
    `The store in "${folder}" can't be opened: ${reason}.${advice === undefined ? "" : ` ${advice}`}`,
    { cause },
  );
}

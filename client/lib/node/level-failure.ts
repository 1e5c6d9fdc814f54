import type { StoreFailure } from "../store/replica-store.ts";
import { StoreError } from "../store/replica-store.ts";

const REFUSING_CODES = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"]);

/** Words of the system in LevelDB's messages: it hands on no codes of its own. */
const MEANINGS: readonly (readonly [RegExp, StoreFailure])[] = [
  [/No space left|quota exceeded/i, "full"],
  [/Permission denied|Read-only file system|Not a directory/i, "refused"],
  [/does not exist/i, "lost"],
];

/** What went wrong with a database, in terms of a store. */
export function levelFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const first = firstCauseOf(error);
  const message = first instanceof Error ? first.message : String(first);
  return new StoreError(failureOf(first, message), message, { cause: error });
}

function failureOf(error: unknown, message: string): StoreFailure {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "LEVEL_LOCKED") return "busy";
  if (code === "ENOSPC" || code === "EDQUOT") return "full";
  if (typeof code === "string" && REFUSING_CODES.has(code)) return "refused";
  return MEANINGS.find(([words]) => words.test(message))?.[1] ?? "failed";
}

function firstCauseOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? firstCauseOf(error.cause) : error;
}

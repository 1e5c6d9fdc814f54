import type { StoreFailure } from "../store/replica-store.ts";
import { StoreError } from "../store/replica-store.ts";

const CODES: ReadonlyMap<string, StoreFailure> = new Map([
  ["QuotaExceededError", "full"],
  ["VersionError", "newer"],
]);

/** What went wrong with IndexedDB, in terms of a store. */
export function indexedDbFailure(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error)) return new StoreError("failed", String(error));
  return new StoreError(CODES.get(error.name) ?? "failed", `${error.name}: ${error.message}`, {
    cause: error,
  });
}

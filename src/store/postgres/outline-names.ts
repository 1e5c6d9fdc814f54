import type { OutlineId } from "../../core/node-key.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import { DamagedRecordError } from "../record.ts";
import { reasonOf } from "../store-failure.ts";
import { StoreKeys } from "../store-keys.ts";

/** The names under which records are sealed: those of LevelDB. */
export const NAMES = new StoreKeys(0);

/** The tables with the records of outlines, beside a row for each. */
export const RECORD_TABLES = [
  "entry",
  "snapshot_part",
  "client_binding",
  "receipt",
  "change",
] as const;

/** As the tables have it. */
export function idOf(outline: OutlineId): Uint8Array {
  return Buffer.from(outline, "hex");
}

export function outlineDamaged(outline: OutlineId, what: string, cause?: unknown): StoreError {
  return new StoreError(
    "outline_corrupt",
    `Outline ${outline} can't be read: ${what}. The other outlines are served. Put back a backup of the database.`,
    { outline, cause },
  );
}

/** @throws StoreError `outline_corrupt` for records that are not as they were written */
export async function reading<T>(outline: OutlineId, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error;
    throw outlineDamaged(outline, reasonOf(error), error);
  }
}

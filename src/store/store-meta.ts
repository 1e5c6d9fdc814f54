import type { Operation, View } from "./database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { META_KEY } from "./store-keys.ts";

/** What the store is, in one record. */
export interface StoreMeta {
  /** Of the stored layout. A store of a later format is refused. */
  readonly format: number;
  /** Random; changes when the history behind it may differ from what devices have seen. */
  readonly epoch: string;
  readonly epochOrdinal: number;
  /** Of the living data. */
  readonly generation: number;
  /** Milliseconds since 1970, in a backup that was not opened yet. */
  readonly backupAt?: number;
}

export const FORMAT = 1;

/**
 * @throws DamagedRecordError
 * @returns undefined when there is none
 */
export async function readMeta(view: View): Promise<StoreMeta | undefined> {
  const value = await view.get(META_KEY);
  if (value === undefined) return undefined;
  return jsonOf<StoreMeta>(META_KEY, value);
}

export function putMeta(meta: StoreMeta): Operation {
  return putJson(META_KEY, meta);
}

/** The next history of a store: nothing that was handed out in an earlier one is valid in it. */
export function nextEpoch(meta: StoreMeta, newEpoch: () => string): StoreMeta {
  const { format, generation, epochOrdinal } = meta;
  return { format, generation, epoch: newEpoch(), epochOrdinal: epochOrdinal + 1 };
}

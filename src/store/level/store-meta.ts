import type { Operation, View } from "../database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { META_KEY } from "../store-keys.ts";

/** What the store is, in one record. */
export interface StoreMeta {
  /** Of the stored layout. A store of a later format is refused. */
  readonly format: number;
  /** Random; changes when the history behind it may differ from what devices have seen. */
  readonly epoch: string;
  readonly epochOrdinal: number;
  /** Of the living data. */
  readonly generation: number;
  /** Random; tells this store from others, for as long as it lives. Not in a backup. */
  readonly name?: string;
  /** In a store that another one, of the same name, is being moved to: it is not served. */
  readonly arriving?: true;
  /** Milliseconds since 1970, in a backup that was not opened yet. */
  readonly backupAt?: number;
}

/**
 * Of what this version writes. 2: keys name their maker, and there are sessions; a store has a name. An older
 * version would end neither what was made with a key nor its sessions when it revokes the key. 3: each append
 * says which nodes it changes. An older version would change some without a word, and cursors would pass over
 * them. 4: there are webhooks, and keys have parts that belong to OAuth clients. An older version would not end
 * the ones with their key, and take each of the others for a key.
 */
export const FORMAT = 4;

/** What this version opens: an older store becomes one of today's when it is opened. */
export function isReadable(format: number): boolean {
  return Number.isInteger(format) && format >= 1 && format <= FORMAT;
}

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
  const { backupAt: _isBackupNoMore, ...others } = meta;
  return { ...others, epoch: newEpoch(), epochOrdinal: meta.epochOrdinal + 1 };
}

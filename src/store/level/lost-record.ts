import type { OutlineId } from "../../core/node-key.ts";
import type { Clocks } from "../../core/yjs/stored-clocks.ts";
import type { Operation, View } from "../database.ts";
import { jsonOf, putJson } from "./json-record.ts";
import type { StoreKeys } from "../store-keys.ts";

/** The record of what an outline lost when a backup was put back, or in a repair. */
export function putLostClocks(keys: StoreKeys, outline: OutlineId, lost: Clocks): Operation {
  return putJson(keys.lost(outline), [...lost]);
}

/** What an outline lost so, come back or not. @throws DamagedRecordError */
export async function readLostClocks(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<Clocks> {
  const key = keys.lost(outline);
  const value = await view.get(key);
  return new Map(value === undefined ? [] : jsonOf<[number, number][]>(key, value));
}

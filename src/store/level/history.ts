import type { StoreMeta } from "./store-meta.ts";
import { StoreKeys } from "../store-keys.ts";

/** The living data: what the store says of itself, and where the data is. They change together. */
export interface History {
  readonly meta: StoreMeta;
  readonly keys: StoreKeys;
}

export function historyOf(meta: StoreMeta): History {
  return { meta, keys: new StoreKeys(meta.generation) };
}

import { randomBytes } from "node:crypto";
import type { OutlineId } from "../../../src/core/node-key.ts";
import type { TornEnd } from "../../../src/store/file-damage.ts";
import { LevelStore, type LevelStoreOptions } from "../../../src/store/level-store.ts";
import type { Salvage } from "../../../src/store/salvage.ts";
import { contentsOf, type StoreContents } from "./store-contents.ts";

/** What came of a start on a damaged store. */
export interface Opened {
  readonly contents: StoreContents;
  /** What was said of it. */
  readonly salvage: Salvage | undefined;
  readonly tornEnd: TornEnd | undefined;
}

/** Opens a store as the server does. @returns the reason when it does not open */
export async function openDamaged(
  folder: string,
  outlines: readonly OutlineId[],
  options: Partial<LevelStoreOptions> = {},
): Promise<Opened | string> {
  let salvage: Salvage | undefined;
  let tornEnd: TornEnd | undefined;
  try {
    const store = await LevelStore.open(folder, {
      now: Date.now,
      randomBytes,
      events: { onTornEnd: (end) => (tornEnd = end) },
      salvaging: { onBegin: () => undefined, onEnd: (each) => (salvage = each) },
      ...options,
    });
    const contents = await contentsOf(store, outlines);
    await store.close();
    return { contents, salvage, tornEnd };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

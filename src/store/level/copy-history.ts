import type { Operation, View } from "../database.ts";
import { garbageRanges, isIn } from "./garbage.ts";
import type { History } from "./history.ts";
import { meaningOf } from "../key-meaning.ts";
import { requireIntact } from "../record.ts";
import type { StoreKeys } from "../store-keys.ts";
import type { StoreProgress } from "../store-progress.ts";

/**
 * Copies every record of a history, page by page, under the keys of another one.
 * @throws DamagedRecordError for the first record that is not as it was written
 */
export async function copyHistory(
  view: View,
  { keys }: History,
  into: {
    readonly keys: StoreKeys;
    readonly write: (operations: readonly Operation[]) => Promise<void>;
  },
  onProgress: (progress: StoreProgress) => void,
): Promise<void> {
  const garbage = await garbageRanges(view);
  // Heads come before all other records of outlines, so the number is known when it is needed.
  let heads = 0;
  let outlines = 0;
  let current: string | undefined;
  for await (const page of view.entries(keys.all)) {
    const kept = page.filter(({ key }) => !garbage.some((range) => isIn(key, range)));
    for (const { key, value } of kept) {
      requireIntact(key, value);
      const meaning = meaningOf(key);
      if (meaning.kind === "head") heads += 1;
      else if ("outline" in meaning && meaning.outline !== current) {
        current = meaning.outline;
        outlines += 1;
      }
    }
    await into.write(kept.map(({ key, value }) => ({ key: into.keys.adopt(key), value })));
    onProgress({ outlines, of: heads });
  }
}

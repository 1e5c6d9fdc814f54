import type { OutlineId } from "../core/node-key.ts";
import { isOutlineId } from "../core/node-key.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import { StoreError } from "../documents/log/outline-log.ts";

/** No text from outside becomes a key of the store, whatever a caller has let through. */
export function requireOutlineId(outline: OutlineId): void {
  if (!isOutlineId(outline)) {
    throw new TypeError(`not an outline id: ${JSON.stringify(String(outline).slice(0, 40))}`);
  }
}

/** A snapshot of updates that are not in the log would hide the ones that get their numbers. */
export function requireSnapshotWithin(snapshot: Seq, head: Seq): void {
  if (!Number.isSafeInteger(snapshot) || snapshot < 1 || snapshot > head) {
    throw new RangeError(`a snapshot at ${snapshot} of a log that ends at ${head}`);
  }
}

/** @throws StoreError when the caller's replica is of another history than the store's */
export function requireEpoch(
  outline: OutlineId,
  wanted: string | undefined,
  current: string,
): void {
  if (wanted !== undefined && wanted !== current) {
    throw new StoreError(
      "store_unavailable",
      `outline ${outline} was loaded before the store's history was replaced: load it again`,
      { outline },
    );
  }
}

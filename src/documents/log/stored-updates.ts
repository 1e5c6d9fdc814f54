import type { OutlineId } from "../../core/node-key.ts";
import { missingUpdates, type StoredExtent } from "./outline-log.ts";
import type { StoredParts } from "./stored-reads.ts";
import { UnavailableError } from "./unavailable-error.ts";

/** Updates that are read at once. */
const PAGE_BYTES = 2 ** 20;

/**
 * All that is stored of an outline, as updates to be applied in this order, of which some may come
 * twice: a part is read when it is asked for, and whatever is written meanwhile is in it or is left out.
 * The outline need not fit into this process's memory.
 * @throws UnavailableError, StoreError `outline_corrupt`
 */
export async function* storedUpdates(
  parts: StoredParts,
  outline: OutlineId,
): AsyncGenerator<Uint8Array, void> {
  let before: StoredExtent | undefined;
  for (;;) {
    const extent = await parts.extent();
    before ??= extent;
    if (extent.epoch !== before.epoch) {
      throw new UnavailableError("a backup was restored meanwhile");
    }
    if (before !== extent && before.snapshot?.seq === extent.snapshot?.seq) {
      throw missingUpdates(outline);
    }
    if (yield* updatesOf(parts, extent)) return;
    before = extent;
  }
}

/** @returns false when a newer snapshot has taken the place of this one before all was read */
async function* updatesOf(
  parts: StoredParts,
  { epoch, head, snapshot }: StoredExtent,
): AsyncGenerator<Uint8Array, boolean> {
  const { seq, chunks } = snapshot ?? { seq: 0, chunks: 0 };
  for (let index = 0; index < chunks; index++) {
    const chunk = await parts.chunk({ epoch, seq, index });
    if (chunk === undefined) return false;
    yield chunk;
  }
  for (let after = seq; after < head;) {
    const page = await parts.tail({ epoch, after, maxBytes: PAGE_BYTES });
    if (page === undefined) return false;
    yield* page.updates;
    after += page.updates.length;
  }
  return true;
}

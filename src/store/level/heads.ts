import { newRecentMap } from "../../charges/recent-map.ts";
import type { OutlineId } from "../../core/node-key.ts";
import type { Seq } from "../../documents/log/outline-log.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import type { Operation, View } from "../database.ts";
import { DamagedRecordError, putSealed, unlessDamaged, unseal } from "../record.ts";
import { damage, outlineCorrupt } from "../store-failure.ts";
import type { StoreKeys } from "../store-keys.ts";
import { garbageMark } from "../store-keys.ts";

const HEAD_BYTES = 6;
const MAX_CACHED = 100_000;

export function putHead(keys: StoreKeys, outline: OutlineId, head: Seq): Operation {
  const payload = Buffer.allocUnsafe(HEAD_BYTES);
  payload.writeUIntBE(head, 0, HEAD_BYTES);
  return putSealed(keys.head(outline), payload);
}

/** @throws DamagedRecordError */
function unsealedHead(key: string, value: Uint8Array): Seq {
  const { buffer, byteOffset, byteLength } = unseal(key, value);
  // Earlier versions put a word in its place when nobody knew what an outline had lost.
  if (byteLength !== HEAD_BYTES) {
    throw new DamagedRecordError(key, "part of the outline was lost when the store was damaged");
  }
  return Buffer.from(buffer, byteOffset, byteLength).readUIntBE(0, HEAD_BYTES);
}

/**
 * The heads of outlines as stored; undefined for one that is not there, an error
 * (`outline_corrupt`) for one whose head is damaged or missing.
 * @throws StoreError when the store can't be read
 */
export async function readHeads(
  view: View,
  keys: StoreKeys,
  outlines: readonly OutlineId[],
): Promise<Map<OutlineId, Seq | StoreError | undefined>> {
  const values = await view.getMany(outlines.map((outline) => keys.head(outline)));
  const heads = new Map<OutlineId, Seq | StoreError | undefined>();
  for (const [index, outline] of outlines.entries()) {
    const value = values[index];
    const head =
      value === undefined
        ? await absentHead(view, keys, outline)
        : await unlessDamaged(async () => unsealedHead(keys.head(outline), value), damage);
    heads.set(outline, head);
  }
  return heads;
}

async function absentHead(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<StoreError | undefined> {
  const entries = keys.outline(outline);
  for await (const _ of view.keys(entries, { limit: 1 })) {
    // Dropped, and only not all removed yet.
    if ((await view.get(garbageMark(entries))) !== undefined) return undefined;
    // A log that began at 1 again would write over what is there.
    return outlineCorrupt(outline, "its head is missing");
  }
  return undefined;
}

/**
 * The durable heads of the outlines that were written lately. Filled by commits alone: a head that
 * was read while a commit was under way may be an old one.
 */
export class HeadCache {
  /** [Q67] */
  readonly #heads = newRecentMap<Seq, OutlineId>(MAX_CACHED);

  get(outline: OutlineId): Seq | undefined {
    return this.#heads.get(outline);
  }

  apply(changes: ReadonlyMap<OutlineId, Seq | undefined>): void {
    for (const [outline, head] of changes) {
      if (head === undefined) this.#heads.delete(outline);
      else this.#heads.set(outline, head);
    }
  }

  clear(): void {
    this.#heads.clear();
  }

  /** True when the disk has less than what was acknowledged. */
  async isAheadOf(view: View, keys: StoreKeys): Promise<boolean> {
    const outlines = [...this.#heads.keys()];
    for (let from = 0; from < outlines.length; from += 1000) {
      const stored = await readHeads(view, keys, outlines.slice(from, from + 1000));
      for (const [outline, head] of stored) {
        // A damaged one can't be written to, so nothing gets its numbers twice.
        if (head instanceof StoreError) continue;
        if ((head ?? -1) < (this.#heads.peek(outline) ?? 0)) return true;
      }
    }
    return false;
  }
}

import type { OutlineId } from "../../core/node-key.ts";
import type { Seq, Snapshot } from "../../documents/log/outline-log.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import { operationBytes } from "../append-bytes.ts";
import type { KeyRange, Operation, View } from "../database.ts";
import { markAsGarbage, unmark } from "./garbage.ts";
import { readHeads } from "./heads.ts";
import { inParts } from "../in-parts.ts";
import type { History } from "./history.ts";
import { meaningOf } from "../key-meaning.ts";
import { encodeSnapshotHeader, readSnapshotHeader } from "./level-records.ts";
import { requireEpoch, requireSnapshotWithin } from "../log-checks.ts";
import type { SnapshotHeader } from "../outline-records.ts";
import { payloadBytes, putSealed, sealCompressed } from "../record.ts";
import { partsOf } from "../snapshot-parts.ts";
import type { StoreCore } from "./store-core.ts";
import type { StoreKeys } from "../store-keys.ts";
import type { TailLimits } from "../tail-limits.ts";

interface SnapshotToSave {
  readonly outline: OutlineId;
  readonly snapshot: Snapshot;
  /** Of the replica that it was made from. */
  readonly epoch: string | undefined;
  readonly tail: TailLimits;
}

/** Parts that share a commit have so much together, compressed. */
const COMMIT_BYTES = 64 * 1024;

/**
 * Saves a snapshot and trims the log behind it; false when a newer or equal one is there. The parts
 * are written ahead, in commits that others share, and are garbage until the last commit: it turns
 * them into the snapshot, and the old parts and the trimmed updates into garbage.
 * Never to be run twice at once for one outline.
 */
export async function saveSnapshot(core: StoreCore, saved: SnapshotToSave): Promise<boolean> {
  const { outline, snapshot } = saved;
  const { history, previous } = await core.read(
    async (view, current) => ({ history: current, previous: await inspect(view, current, saved) }),
    outline,
  );
  if (previous !== undefined && previous.seq >= snapshot.seq) return false;

  const { keys } = history;
  const newParts = keys.parts(outline, snapshot.seq);
  await core.change(history, [markAsGarbage(newParts)]);
  const parts = partRecords(keys, outline, snapshot);
  for await (const some of inParts(parts, COMMIT_BYTES, operationBytes)) {
    await core.change(history, some);
  }

  const garbage = await core.read((view) => trimmedUpdates(view, keys, saved), outline);
  if (previous !== undefined) garbage.push(keys.parts(outline, previous.seq));
  await core.change(history, [
    headerRecord(keys, outline, snapshot),
    unmark(newParts),
    ...garbage.map(markAsGarbage),
  ]);
  // The snapshot is saved; what can't be removed now is removed when the store is opened again.
  for (const range of garbage) await core.sweep(range).catch(() => undefined);
  return true;
}

/** The parts of a snapshot, which are none before its header is there. */
export async function* partRecords(
  keys: StoreKeys,
  outline: OutlineId,
  snapshot: Snapshot,
): AsyncGenerator<Operation> {
  for (const [part, payload] of partsOf(snapshot).entries()) {
    const key = keys.part(outline, snapshot.seq, part);
    yield { key, value: await sealCompressed(key, payload) };
  }
}

export function headerRecord(keys: StoreKeys, outline: OutlineId, snapshot: Snapshot): Operation {
  const { seq, memoryBytes } = snapshot;
  const header = encodeSnapshotHeader({ seq, parts: partsOf(snapshot).length, memoryBytes });
  return putSealed(keys.snapshot(outline), header);
}

/** The snapshot that is there, after the checks that the new one must pass. */
async function inspect(
  view: View,
  { meta, keys }: History,
  { outline, snapshot, epoch }: SnapshotToSave,
): Promise<SnapshotHeader | undefined> {
  requireEpoch(outline, epoch, meta.epoch);
  const head = (await readHeads(view, keys, [outline])).get(outline) ?? 0;
  if (head instanceof StoreError) throw head;
  requireSnapshotWithin(snapshot.seq, head);
  return readSnapshotHeader(view, keys, outline);
}

/** The updates that the snapshot holds and that the kept tail does not reach, if any. */
async function trimmedUpdates(
  view: View,
  keys: StoreKeys,
  { outline, snapshot, tail }: SnapshotToSave,
): Promise<KeyRange[]> {
  const firstKept = await firstOfTail(view, keys, outline, tail);
  const trimmed = keys.updates(outline, 0, Math.min(firstKept, snapshot.seq + 1));
  for await (const _ of view.keys(trimmed, { limit: 1 })) return [trimmed];
  return [];
}

/** The sequence number from which on the updates fit the limits. */
async function firstOfTail(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  tail: TailLimits,
): Promise<Seq> {
  let first = Number.MAX_SAFE_INTEGER;
  let updates = 0;
  let bytes = 0;
  for await (const page of view.entries(keys.updates(outline, 0), { reverse: true })) {
    for (const { key, value } of page) {
      updates += 1;
      bytes += payloadBytes(value);
      if (updates > tail.updates || bytes > tail.bytes) return first;
      const meaning = meaningOf(key);
      if (meaning.kind === "update") first = meaning.seq;
    }
  }
  return first;
}

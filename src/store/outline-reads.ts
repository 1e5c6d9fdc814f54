import type { OutlineId } from "../core/node-key.ts";
import type { ClientHolder, LoadedOutline, Seq, Snapshot } from "../documents/outline-log.ts";
import { StoreError } from "../documents/outline-log.ts";
import type { View } from "./database.ts";
import { readHeads } from "./heads.ts";
import type { History } from "./history.ts";
import { jsonOf } from "./json-record.ts";
import { meaningOf } from "./key-meaning.ts";
import { DamagedRecordError, unseal, unsealCompressed } from "./record.ts";
import { outlineCorrupt } from "./store-failure.ts";
import type { StoreKeys } from "./store-keys.ts";

/** What the record of a snapshot says; its parts are records of their own. */
export interface SnapshotHeader {
  readonly seq: Seq;
  /** State vector, annex, then the chunks. */
  readonly parts: number;
}

const HEADER_BYTES = 10;

export function encodeSnapshotHeader({ seq, parts }: SnapshotHeader): Uint8Array {
  const payload = Buffer.allocUnsafe(HEADER_BYTES);
  payload.writeUIntBE(seq, 0, 6);
  payload.writeUInt32BE(parts, 6);
  return payload;
}

/** @throws DamagedRecordError */
export async function readSnapshotHeader(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<SnapshotHeader | undefined> {
  const key = keys.snapshot(outline);
  const value = await view.get(key);
  if (value === undefined) return undefined;
  const payload = Buffer.from(unseal(key, value));
  return { seq: payload.readUIntBE(0, 6), parts: payload.readUInt32BE(6) };
}

/** @throws DamagedRecordError, StoreError `outline_corrupt` */
async function readSnapshot(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<Snapshot | undefined> {
  const header = await readSnapshotHeader(view, keys, outline);
  if (header === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (let part = 0; part < header.parts; part += 1) {
    const key = keys.part(outline, header.seq, part);
    const value = await view.get(key);
    if (value === undefined) {
      throw outlineCorrupt(outline, `part ${part} of its snapshot is missing`);
    }
    parts.push(await unsealCompressed(key, value));
  }
  const [stateVector, annex, ...chunks] = parts;
  if (stateVector === undefined || annex === undefined) {
    throw outlineCorrupt(outline, "its snapshot is incomplete");
  }
  return { seq: header.seq, chunks, stateVector, annex };
}

/**
 * The updates behind `after`, all of them up to the head.
 * @throws DamagedRecordError, StoreError `outline_corrupt`
 */
async function readUpdates(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  { after, head }: { readonly after: Seq; readonly head: Seq },
): Promise<LoadedOutline["updates"]> {
  const updates: { seq: Seq; update: Uint8Array }[] = [];
  let seq = after;
  for await (const page of view.entries(keys.updates(outline, after + 1))) {
    for (const { key, value } of page) {
      seq += 1;
      if (key !== keys.update(outline, seq)) throw missingUpdate(outline, seq);
      updates.push({ seq, update: unseal(key, value) });
    }
  }
  if (seq < head) throw missingUpdate(outline, seq + 1);
  if (seq > head) throw outlineCorrupt(outline, `update ${head + 1} is behind its head`);
  return updates;
}

function missingUpdate(outline: OutlineId, seq: Seq): StoreError {
  return outlineCorrupt(outline, `update ${seq} is missing`);
}

async function readBindings(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<ReadonlyMap<number, ClientHolder>> {
  const bindings = new Map<number, ClientHolder>();
  for await (const page of view.entries(keys.bindings(outline))) {
    for (const { key, value } of page) {
      const meaning = meaningOf(key);
      if (meaning.kind !== "binding") continue;
      bindings.set(meaning.client, jsonOf<ClientHolder>(key, value));
    }
  }
  return bindings;
}

/**
 * An outline as `OutlineLog.load` gives it.
 * @throws DamagedRecordError, StoreError `outline_corrupt`
 */
export async function readOutline(
  view: View,
  { meta, keys }: History,
  outline: OutlineId,
  after: Seq | undefined,
): Promise<LoadedOutline> {
  const { epoch, epochOrdinal } = meta;
  const head = (await readHeads(view, keys, [outline])).get(outline);
  if (head instanceof StoreError) throw head;
  // Not there, or dropped: what has not been removed yet is of no account.
  if (head === undefined) return { head: 0, updates: [], bindings: new Map(), epoch, epochOrdinal };
  const bindings = await readBindings(view, keys, outline);
  const common = { head, epoch, epochOrdinal, bindings };
  if (after !== undefined && after <= head) {
    const tail = await readTail(view, keys, outline, { after, head });
    if (tail !== undefined) return { ...common, updates: tail };
  }
  const snapshot = await readSnapshot(view, keys, outline);
  const updates = await readUpdates(view, keys, outline, { after: snapshot?.seq ?? 0, head });
  return snapshot === undefined ? { ...common, updates } : { ...common, snapshot, updates };
}

/** Undefined when they are not all there: trimmed, or damaged, which the snapshot then makes up for. */
async function readTail(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  range: { readonly after: Seq; readonly head: Seq },
): Promise<LoadedOutline["updates"] | undefined> {
  try {
    return await readUpdates(view, keys, outline, range);
  } catch (error) {
    if (error instanceof DamagedRecordError) return undefined;
    if (error instanceof StoreError && error.code === "outline_corrupt") return undefined;
    throw error;
  }
}

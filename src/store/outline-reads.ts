import type { OutlineId } from "../core/node-key.ts";
import type {
  ChangeRecord,
  ChunkPlace,
  ClientHolder,
  LoadedOutline,
  ReceiptPlace,
  Seq,
  StoredExtent,
  TailPage,
  TailRange,
} from "../documents/outline-log.ts";
import { StoreError } from "../documents/outline-log.ts";
import type { View } from "./database.ts";
import { readHeads } from "./heads.ts";
import type { History } from "./history.ts";
import { jsonOf } from "./json-record.ts";
import { meaningOf } from "./key-meaning.ts";
import { readLostClocks } from "./lost-record.ts";
import { payloadBytes, unseal, unsealCompressed } from "./record.ts";
import { FIRST_CHUNK, partOf, STATE_VECTOR } from "./snapshot-parts.ts";
import { outlineCorrupt } from "./store-failure.ts";
import type { StoreKeys } from "./store-keys.ts";

/** What the record of a snapshot says; its parts are records of their own. */
export interface SnapshotHeader {
  readonly seq: Seq;
  /** State vector, annex, then the chunks. */
  readonly parts: number;
  /** As in `Snapshot`. */
  readonly memoryBytes?: number | undefined;
}

/** Of the number and the parts; behind them is the memory, in headers that have it. */
const HEADER_BYTES = 10;
const MEMORY_BYTES = 6;

export function encodeSnapshotHeader({ seq, parts, memoryBytes }: SnapshotHeader): Uint8Array {
  const hasMemory = memoryBytes !== undefined;
  const payload = Buffer.allocUnsafe(HEADER_BYTES + (hasMemory ? MEMORY_BYTES : 0));
  payload.writeUIntBE(seq, 0, 6);
  payload.writeUInt32BE(parts, 6);
  if (hasMemory) payload.writeUIntBE(Math.ceil(memoryBytes), HEADER_BYTES, MEMORY_BYTES);
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
  const hasMemory = payload.byteLength >= HEADER_BYTES + MEMORY_BYTES;
  return {
    seq: payload.readUIntBE(0, 6),
    parts: payload.readUInt32BE(6),
    memoryBytes: hasMemory ? payload.readUIntBE(HEADER_BYTES, MEMORY_BYTES) : undefined,
  };
}

/** The state vector of a snapshot, and the update up to which it reaches. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readStateVector(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
): Promise<{ readonly seq: Seq; readonly stateVector: Uint8Array } | undefined> {
  const header = await readSnapshotHeader(view, keys, outline);
  if (header === undefined) return undefined;
  const { seq } = header;
  return { seq, stateVector: await readPart(view, keys, outline, { seq, part: STATE_VECTOR }) };
}

/** The updates behind `after`, one by one. @throws DamagedRecordError */
export async function* readUpdatePages(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  after: Seq,
): AsyncGenerator<Uint8Array> {
  for await (const page of view.entries(keys.updates(outline, after + 1))) {
    for (const { key, value } of page) yield unseal(key, value);
  }
}

/** @throws DamagedRecordError, StoreError `outline_corrupt` */
async function readSnapshot(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline["snapshot"]> {
  const header = await readSnapshotHeader(view, keys, outline);
  if (header === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for (let part = 0; part < header.parts; part += 1) {
    const payload = await readPart(view, keys, outline, { seq: header.seq, part });
    parts.push(payload);
    onProgress(payload.byteLength);
  }
  const [stateVector, annex, ...chunks] = parts;
  if (stateVector === undefined || annex === undefined) {
    throw outlineCorrupt(outline, "its snapshot is incomplete");
  }
  const { seq, memoryBytes } = header;
  return { seq, chunks, stateVector, annex, ...(memoryBytes === undefined ? {} : { memoryBytes }) };
}

async function readPart(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  { seq, part }: { readonly seq: Seq; readonly part: number },
): Promise<Uint8Array> {
  const key = keys.part(outline, seq, part);
  const value = await view.get(key);
  if (value === undefined) {
    throw outlineCorrupt(outline, `part ${part} of its snapshot is missing`);
  }
  return unsealCompressed(key, value);
}

/**
 * The updates behind `after`, all of them up to the head.
 * @throws DamagedRecordError, StoreError `outline_corrupt`
 */
async function readUpdates(
  view: View,
  keys: StoreKeys,
  outline: OutlineId,
  { after, head, onProgress }: { after: Seq; head: Seq; onProgress: (bytes: number) => void },
): Promise<LoadedOutline["updates"]> {
  const updates: { seq: Seq; update: Uint8Array }[] = [];
  let seq = after;
  for await (const page of view.entries(keys.updates(outline, after + 1))) {
    let bytes = 0;
    for (const { key, value } of page) {
      seq += 1;
      if (key !== keys.update(outline, seq)) throw missingUpdate(outline, seq);
      updates.push({ seq, update: unseal(key, value) });
      bytes += payloadBytes(value);
    }
    onProgress(bytes);
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
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline> {
  const { epoch, epochOrdinal } = meta;
  const head = await readHead(view, keys, outline);
  // Not there, or dropped: what has not been removed yet is of no account.
  if (head === undefined) {
    return { head: 0, updates: [], bindings: new Map(), lastChange: 0, epoch, epochOrdinal };
  }
  const bindings = await readBindings(view, keys, outline);
  onProgress(0);
  const snapshot = await readSnapshot(view, keys, outline, onProgress);
  const after = snapshot?.seq ?? 0;
  const updates = await readUpdates(view, keys, outline, { after, head, onProgress });
  const lost = await readLostClocks(view, keys, outline);
  const lastChange = await readLastChange(view, keys, outline);
  const common = {
    head,
    epoch,
    epochOrdinal,
    bindings,
    updates,
    lastChange,
    ...(lost.size > 0 && { lost }),
  };
  return snapshot === undefined ? common : { ...common, snapshot };
}

/** As `OutlineLog.extent` gives it. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readExtent(
  view: View,
  { meta: { epoch }, keys }: History,
  outline: OutlineId,
): Promise<StoredExtent> {
  const head = await readHead(view, keys, outline);
  if (head === undefined) return { head: 0, epoch };
  const header = await readSnapshotHeader(view, keys, outline);
  if (header === undefined) return { head, epoch };
  const { seq, parts, memoryBytes } = header;
  const chunks = Math.max(0, parts - FIRST_CHUNK);
  const memory = memoryBytes === undefined ? {} : { memoryBytes };
  return { head, epoch, snapshot: { seq, chunks, ...memory } };
}

/** As `OutlineLog.hasDevices` tells it. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readHasDevices(
  view: View,
  { keys }: History,
  outline: OutlineId,
): Promise<boolean> {
  if ((await readHead(view, keys, outline)) === undefined) return false;
  // Devices choose large ids, the server has the smallest: nearly always the last one is enough.
  for (const options of [{ reverse: true, limit: 1 }, {}]) {
    for await (const page of view.entries(keys.bindings(outline), options)) {
      const isDevices = page.some(
        ({ key, value }) => jsonOf<ClientHolder>(key, value).kind !== "server",
      );
      if (isDevices) return true;
    }
  }
  return false;
}

/** As `OutlineLog.receipts` gives them. @throws StoreError `outline_corrupt` */
export async function readReceipts(
  view: View,
  { keys }: History,
  outline: OutlineId,
): Promise<readonly ReceiptPlace[]> {
  if ((await readHead(view, keys, outline)) === undefined) return [];
  const places: ReceiptPlace[] = [];
  for await (const page of view.keys(keys.receipts(outline))) {
    for (const key of page) {
      const meaning = meaningOf(key);
      if (meaning.kind === "receipt") places.push(meaning.place);
    }
  }
  return places;
}

/** As `OutlineLog.receipt` gives it. @throws DamagedRecordError */
export async function readReceipt(
  view: View,
  { keys }: History,
  outline: OutlineId,
  place: ReceiptPlace,
): Promise<Uint8Array | undefined> {
  const key = keys.receipt(outline, place);
  const value = await view.get(key);
  return value === undefined ? undefined : unseal(key, value);
}

async function readLastChange(view: View, keys: StoreKeys, outline: OutlineId): Promise<number> {
  const last = { reverse: true, limit: 1 };
  for await (const page of view.keys(keys.changes(outline, 0), last)) {
    for (const key of page) {
      const meaning = meaningOf(key);
      if (meaning.kind === "change") return meaning.last;
    }
  }
  return 0;
}

/** As `OutlineLog.changes` gives them. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readChanges(
  view: View,
  { keys }: History,
  outline: OutlineId,
  { after, maxBytes }: { readonly after: number; readonly maxBytes: number },
): Promise<readonly ChangeRecord[]> {
  if ((await readHead(view, keys, outline)) === undefined) return [];
  const records: ChangeRecord[] = [];
  let bytes = 0;
  for await (const page of view.entries(keys.changes(outline, after))) {
    for (const { key, value } of page) {
      const meaning = meaningOf(key);
      if (meaning.kind !== "change") continue;
      bytes += payloadBytes(value);
      if (bytes > maxBytes && records.length > 0) return records;
      records.push({ last: meaning.last, data: unseal(key, value) });
    }
  }
  return records;
}

/** As `OutlineLog.chunk` gives it. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readChunk(
  view: View,
  { meta, keys }: History,
  outline: OutlineId,
  { epoch, seq, index }: ChunkPlace,
): Promise<Uint8Array | undefined> {
  if (epoch !== meta.epoch || (await readHead(view, keys, outline)) === undefined) return undefined;
  const header = await readSnapshotHeader(view, keys, outline);
  const part = partOf(index);
  if (header?.seq !== seq || part >= header.parts) return undefined;
  return readPart(view, keys, outline, { seq, part });
}

/** As `OutlineLog.tail` gives it. @throws DamagedRecordError, StoreError `outline_corrupt` */
export async function readTail(
  view: View,
  { meta, keys }: History,
  outline: OutlineId,
  { epoch, after, maxBytes }: TailRange,
): Promise<TailPage | undefined> {
  if (epoch !== meta.epoch) return undefined;
  const head = (await readHead(view, keys, outline)) ?? 0;
  if (after > head) return undefined;
  const updates: Uint8Array[] = [];
  let bytes = 0;
  let seq = after;
  for await (const page of view.entries(keys.updates(outline, after + 1))) {
    for (const { key, value } of page) {
      seq += 1;
      if (key !== keys.update(outline, seq)) {
        // Trimmed, when it is the first one that is not there.
        if (updates.length === 0) return undefined;
        throw missingUpdate(outline, seq);
      }
      bytes += payloadBytes(value);
      if (bytes > maxBytes && updates.length > 0) return { updates, head };
      updates.push(unseal(key, value));
    }
  }
  if (seq === head) return { updates, head };
  if (updates.length === 0) return undefined;
  throw missingUpdate(outline, seq + 1);
}

/** Undefined when it is not there. @throws StoreError `outline_corrupt` */
async function readHead(view: View, keys: StoreKeys, outline: OutlineId): Promise<Seq | undefined> {
  const head = (await readHeads(view, keys, [outline])).get(outline);
  if (head instanceof StoreError) throw head;
  return head;
}

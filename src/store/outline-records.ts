import type { Clocks } from "../core/yjs/stored-clocks.ts";
import type {
  ChangeRecord,
  ChunkPlace,
  ClientHolder,
  LoadedOutline,
  ReceiptPlace,
  Seq,
  StoredExtent,
  StoreError,
  TailPage,
  TailRange,
} from "../documents/log/outline-log.ts";
import { FIRST_CHUNK, partOf } from "./snapshot-parts.ts";

/** What the record of a snapshot says; its parts are records of their own. */
export interface SnapshotHeader {
  readonly seq: Seq;
  /** State vector, annex, then the chunks. */
  readonly parts: number;
  /** As in `Snapshot`. */
  readonly memoryBytes?: number | undefined;
}

/** Records one behind the other: as many as fit a size, at least one when there is one. */
export interface RecordPage<T> {
  readonly records: readonly T[];
  /** Whether nothing follows, as far as the driver knows. */
  readonly isAll: boolean;
}

export type StoredUpdate = LoadedOutline["updates"][number];

/**
 * What a driver reads of one outline: all of one moment, each record as it was written. A damaged one
 * throws what the driver makes an `outline_corrupt` of.
 */
export interface OutlineRecords {
  readonly history: Pick<LoadedOutline, "epoch" | "epochOrdinal">;
  /** Undefined when the outline is not there: what has not been removed yet is of no account. */
  head(): Promise<Seq | undefined>;
  /** Of the newest snapshot. */
  snapshot(): Promise<SnapshotHeader | undefined>;
  /** Its parts in their order, up to the first that is not there. */
  parts(snapshot: SnapshotHeader): AsyncIterable<Uint8Array>;
  part(seq: Seq, part: number): Promise<Uint8Array | undefined>;
  /** The updates behind a number, those that are there. */
  updates(after: Seq, maxBytes: number): Promise<RecordPage<StoredUpdate>>;
  bindings(): Promise<ReadonlyMap<number, ClientHolder>>;
  /** As `OutlineLog` has it, like the next three. */
  hasDevices(): Promise<boolean>;
  receipts(): Promise<readonly ReceiptPlace[]>;
  receipt(place: ReceiptPlace): Promise<Uint8Array | undefined>;
  changes(after: number, maxBytes: number): Promise<readonly ChangeRecord[]>;
  /** The number of the last change; 0 when there is none. */
  lastChange(): Promise<number>;
  lost(): Promise<Clocks>;
  /** What is thrown for records that are missing. */
  corrupt(what: string): StoreError;
}

/** Of the updates that are read at once. */
export const PAGE_BYTES = 1024 * 1024;

/** As `OutlineLog.load` gives it, like the next three. @throws StoreError `outline_corrupt` */
export async function readOutline(
  records: OutlineRecords,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<LoadedOutline> {
  const { epoch, epochOrdinal } = records.history;
  const head = await records.head();
  if (head === undefined) {
    return { head: 0, updates: [], bindings: new Map(), lastChange: 0, epoch, epochOrdinal };
  }
  const bindings = await records.bindings();
  onProgress(0);
  const snapshot = await readSnapshot(records, onProgress);
  const updates = await readUpdates(records, snapshot?.seq ?? 0, head, onProgress);
  const lost = await records.lost();
  return {
    head,
    epoch,
    epochOrdinal,
    bindings,
    updates,
    lastChange: await records.lastChange(),
    ...(lost.size > 0 && { lost }),
    ...(snapshot && { snapshot }),
  };
}

/** All of the newest snapshot; undefined when there is none. */
export async function readSnapshot(
  records: OutlineRecords,
  onProgress: (bytes: number) => void = () => undefined,
): Promise<LoadedOutline["snapshot"]> {
  const header = await records.snapshot();
  if (header === undefined) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of records.parts(header)) {
    parts.push(part);
    onProgress(part.byteLength);
  }
  if (parts.length < header.parts) throw missingPart(records, parts.length);
  const [stateVector, annex, ...chunks] = parts;
  if (stateVector === undefined || annex === undefined) {
    throw records.corrupt("its snapshot is incomplete");
  }
  return { seq: header.seq, chunks, stateVector, annex, ...memoryOf(header) };
}

/** The updates behind `after`, all of them up to the head. */
async function readUpdates(
  records: OutlineRecords,
  after: Seq,
  head: Seq,
  onProgress: (bytes: number) => void,
): Promise<LoadedOutline["updates"]> {
  const updates: StoredUpdate[] = [];
  let seq = after;
  for (let isAll = false; !isAll;) {
    const page = await records.updates(seq, PAGE_BYTES);
    for (const each of page.records) {
      seq += 1;
      if (each.seq !== seq) throw missingUpdate(records, seq);
      updates.push(each);
    }
    onProgress(page.records.reduce((bytes, { update }) => bytes + update.byteLength, 0));
    ({ isAll } = page);
  }
  if (seq < head) throw missingUpdate(records, seq + 1);
  if (seq > head) throw records.corrupt(`update ${head + 1} is behind its head`);
  return updates;
}

export async function readExtent(records: OutlineRecords): Promise<StoredExtent> {
  const { epoch } = records.history;
  const head = await records.head();
  if (head === undefined) return { head: 0, epoch };
  const header = await records.snapshot();
  if (header === undefined) return { head, epoch };
  const chunks = Math.max(0, header.parts - FIRST_CHUNK);
  return { head, epoch, snapshot: { seq: header.seq, chunks, ...memoryOf(header) } };
}

export async function readChunk(
  records: OutlineRecords,
  { epoch, seq, index }: ChunkPlace,
): Promise<Uint8Array | undefined> {
  if (epoch !== records.history.epoch || (await records.head()) === undefined) return undefined;
  const header = await records.snapshot();
  const part = partOf(index);
  if (header?.seq !== seq || part >= header.parts) return undefined;
  const payload = await records.part(seq, part);
  if (payload === undefined) throw missingPart(records, part);
  return payload;
}

export async function readTail(
  records: OutlineRecords,
  { epoch, after, maxBytes }: TailRange,
): Promise<TailPage | undefined> {
  if (epoch !== records.history.epoch) return undefined;
  const head = (await records.head()) ?? 0;
  if (after > head) return undefined;
  const page = await records.updates(after, maxBytes);
  const updates: Uint8Array[] = [];
  for (const { seq, update } of page.records) {
    if (seq !== after + updates.length + 1) break;
    updates.push(update);
  }
  const end = after + updates.length;
  // Trimmed, when it is the first one that is not there.
  if (updates.length === 0) return end === head ? { updates, head } : undefined;
  const isWhole = updates.length === page.records.length && (!page.isAll || end === head);
  if (!isWhole) throw missingUpdate(records, end + 1);
  return { updates, head };
}

function memoryOf({ memoryBytes }: SnapshotHeader): { readonly memoryBytes?: number } {
  return memoryBytes === undefined ? {} : { memoryBytes };
}

function missingPart(records: OutlineRecords, part: number): StoreError {
  return records.corrupt(`part ${part} of its snapshot is missing`);
}

export function missingUpdate(records: OutlineRecords, seq: Seq): StoreError {
  return records.corrupt(`update ${seq} is missing`);
}

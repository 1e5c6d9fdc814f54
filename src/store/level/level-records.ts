import type { OutlineId } from "../../core/node-key.ts";
import type { Clocks } from "../../core/yjs/stored-clocks.ts";
import type {
  ChangeRecord,
  ClientHolder,
  ReceiptPlace,
  Seq,
} from "../../documents/log/outline-log.ts";
import { StoreError } from "../../documents/log/outline-log.ts";
import type { Entry, KeyRange, ScanOptions, View } from "../database.ts";
import { readHeads } from "./heads.ts";
import type { History } from "./history.ts";
import { jsonOf } from "./json-record.ts";
import { type KeyMeaning, meaningOf } from "../key-meaning.ts";
import { readLostClocks } from "./lost-record.ts";
import type {
  OutlineRecords,
  RecordPage,
  SnapshotHeader,
  StoredUpdate,
} from "../outline-records.ts";
import { payloadBytes, unseal, unsealCompressed } from "../record.ts";
import { outlineCorrupt } from "../store-failure.ts";
import type { StoreKeys } from "../store-keys.ts";

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

/**
 * The records of an outline in one view of the database.
 * @throws DamagedRecordError, StoreError `outline_corrupt` (all of it)
 */
export class LevelRecords implements OutlineRecords {
  readonly history: OutlineRecords["history"];
  readonly #view: View;
  readonly #keys: StoreKeys;
  readonly #outline: OutlineId;

  constructor(view: View, { meta, keys }: History, outline: OutlineId) {
    this.history = meta;
    this.#view = view;
    this.#keys = keys;
    this.#outline = outline;
  }

  async head(): Promise<Seq | undefined> {
    const heads = await readHeads(this.#view, this.#keys, [this.#outline]);
    const head = heads.get(this.#outline);
    if (head instanceof StoreError) throw head;
    return head;
  }

  snapshot(): Promise<SnapshotHeader | undefined> {
    return readSnapshotHeader(this.#view, this.#keys, this.#outline);
  }

  async *parts({ seq, parts }: SnapshotHeader): AsyncGenerator<Uint8Array> {
    for (let part = 0; part < parts; part += 1) {
      const payload = await this.part(seq, part);
      if (payload === undefined) return;
      yield payload;
    }
  }

  async part(seq: Seq, part: number): Promise<Uint8Array | undefined> {
    const key = this.#keys.part(this.#outline, seq, part);
    const value = await this.#view.get(key);
    return value && unsealCompressed(key, value);
  }

  updates(after: Seq, maxBytes: number): Promise<RecordPage<StoredUpdate>> {
    const range = this.#keys.updates(this.#outline, after + 1);
    return this.#page(range, maxBytes, (meaning, payload) =>
      meaning.kind === "update" ? { seq: meaning.seq, update: payload } : undefined,
    );
  }

  async bindings(): Promise<ReadonlyMap<number, ClientHolder>> {
    const bindings = new Map<number, ClientHolder>();
    for await (const { key, value } of this.#entries(this.#keys.bindings(this.#outline))) {
      const meaning = meaningOf(key);
      if (meaning.kind === "binding") bindings.set(meaning.client, jsonOf(key, value));
    }
    return bindings;
  }

  async hasDevices(): Promise<boolean> {
    if ((await this.head()) === undefined) return false;
    const range = this.#keys.bindings(this.#outline);
    // Devices choose large ids, the server has the smallest: nearly always the last one is enough.
    for (const options of [{ reverse: true, limit: 1 }, {}]) {
      for await (const { key, value } of this.#entries(range, options)) {
        if (jsonOf<ClientHolder>(key, value).kind !== "server") return true;
      }
    }
    return false;
  }

  async receipts(): Promise<readonly ReceiptPlace[]> {
    if ((await this.head()) === undefined) return [];
    const places: ReceiptPlace[] = [];
    for await (const page of this.#view.keys(this.#keys.receipts(this.#outline))) {
      for (const key of page) {
        const meaning = meaningOf(key);
        if (meaning.kind === "receipt") places.push(meaning.place);
      }
    }
    return places;
  }

  async receipt(place: ReceiptPlace): Promise<Uint8Array | undefined> {
    const key = this.#keys.receipt(this.#outline, place);
    const value = await this.#view.get(key);
    return value && unseal(key, value);
  }

  async changes(after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    if ((await this.head()) === undefined) return [];
    const range = this.#keys.changes(this.#outline, after);
    const { records } = await this.#page(range, maxBytes, (meaning, data) =>
      meaning.kind === "change" ? { last: meaning.last, data } : undefined,
    );
    return records;
  }

  async lastChange(): Promise<number> {
    const range = this.#keys.changes(this.#outline, 0);
    for await (const [key = ""] of this.#view.keys(range, { reverse: true, limit: 1 })) {
      const meaning = meaningOf(key);
      if (meaning.kind === "change") return meaning.last;
    }
    return 0;
  }

  lost(): Promise<Clocks> {
    return readLostClocks(this.#view, this.#keys, this.#outline);
  }

  corrupt(what: string): StoreError {
    return outlineCorrupt(this.#outline, what);
  }

  async #page<T>(
    range: KeyRange,
    maxBytes: number,
    recordOf: (meaning: KeyMeaning, payload: Uint8Array) => T | undefined,
  ): Promise<RecordPage<T>> {
    const records: T[] = [];
    let bytes = 0;
    for await (const { key, value } of this.#entries(range)) {
      bytes += payloadBytes(value);
      if (bytes > maxBytes && records.length > 0) return { records, isAll: false };
      const record = recordOf(meaningOf(key), unseal(key, value));
      if (record !== undefined) records.push(record);
    }
    return { records, isAll: true };
  }

  async *#entries(range: KeyRange, options?: ScanOptions): AsyncGenerator<Entry> {
    for await (const page of this.#view.entries(range, options)) yield* page;
  }
}

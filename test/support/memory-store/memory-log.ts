import type { OutlineId } from "../../../src/core/node-key.ts";
import type {
  Append,
  ChangeRecord,
  ChunkPlace,
  Fence,
  LoadedOutline,
  OutlineLog,
  ReceiptPlace,
  Seq,
  Snapshot,
  StoredExtent,
  TailPage,
  TailRange,
  Term,
} from "../../../src/documents/log/outline-log.ts";
import {
  requireEpoch,
  requireOutlineId,
  requireSnapshotWithin,
} from "../../../src/store/log-checks.ts";
import type { MemoryCommitQueue } from "./memory-commit-queue.ts";
import type { MemoryDisk, StoredOutline } from "./memory-disk.ts";
import type { TailLimits } from "../../../src/store/tail-limits.ts";
import { waitForToken } from "../../../src/store/token-window.ts";

export interface MemoryLogOptions {
  readonly disk: MemoryDisk;
  readonly queue: MemoryCommitQueue;
  readonly now: () => number;
  readonly tail: TailLimits;
}

/** The outline log of a MemoryStore. */
export class MemoryLog implements OutlineLog {
  readonly #disk: MemoryDisk;
  readonly #queue: MemoryCommitQueue;
  readonly #now: () => number;
  readonly #tail: TailLimits;

  constructor({ disk, queue, now, tail }: MemoryLogOptions) {
    this.#disk = disk;
    this.#queue = queue;
    this.#now = now;
    this.#tail = tail;
  }

  async append(outline: OutlineId, append: Append): Promise<Seq> {
    requireOutlineId(outline);
    const { updates, bindings = [], receipts, changes, epoch } = append;
    return this.#queue.write(() => {
      requireEpoch(outline, epoch, this.#disk.epoch);
      const { added = [], removed = [] } = receipts ?? {};
      const { added: records = [], removed: outdated = [] } = changes ?? {};
      const parts = [updates, bindings, added, removed, records, outdated];
      if (parts.every(({ length }) => length === 0)) return this.#head(outline);
      const stored = this.#outlineFor(outline);
      for (const update of updates) stored.updates.push(new Uint8Array(update));
      stored.head += updates.length;
      for (const { client, holder } of bindings) stored.bindings.set(client, holder);
      for (const { id } of removed) stored.receipts.delete(id);
      for (const receipt of added) stored.receipts.set(receipt.id, receipt);
      for (const last of outdated) stored.changes.delete(last);
      for (const { last, data } of records) stored.changes.set(last, new Uint8Array(data));
      return stored.head;
    });
  }

  async claim(outline: OutlineId): Promise<Term> {
    requireOutlineId(outline);
    return 0;
  }

  async load(
    outline: OutlineId,
    onProgress: (bytes: number) => void = () => undefined,
  ): Promise<LoadedOutline> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const stored = this.#disk.outlines.get(outline);
      const common = {
        head: stored?.head ?? 0,
        epoch: this.#disk.epoch,
        epochOrdinal: this.#disk.epochOrdinal,
        bindings: new Map(stored?.bindings),
        lastChange: [...(stored?.changes.keys() ?? [])].at(-1) ?? 0,
      };
      if (stored === undefined) return { ...common, updates: [] };
      const from = stored.snapshot?.seq ?? 0;
      const first = firstKept(stored);
      const updates = stored.updates
        .slice(from + 1 - first)
        .map((update, index) => ({ seq: from + 1 + index, update }));
      const chunks = stored.snapshot?.chunks ?? [];
      for (const { byteLength } of chunks) onProgress(byteLength);
      for (const { update } of updates) onProgress(update.byteLength);
      if (stored.snapshot === undefined) return { ...common, updates };
      return { ...common, snapshot: { ...stored.snapshot, chunks: [...chunks] }, updates };
    });
  }

  async extent(outline: OutlineId): Promise<StoredExtent> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const { epoch } = this.#disk;
      const head = this.#head(outline);
      const snapshot = this.#disk.outlines.get(outline)?.snapshot;
      if (snapshot === undefined) return { head, epoch };
      const { seq, chunks, memoryBytes } = snapshot;
      const memory = memoryBytes === undefined ? {} : { memoryBytes };
      return { head, epoch, snapshot: { seq, chunks: chunks.length, ...memory } };
    });
  }

  async hasDevices(outline: OutlineId): Promise<boolean> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const holders = [...(this.#disk.outlines.get(outline)?.bindings.values() ?? [])];
      return holders.some(({ kind }) => kind !== "server");
    });
  }

  async receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const receipts = [...(this.#disk.outlines.get(outline)?.receipts.values() ?? [])];
      return receipts
        .map(({ id, at, bytes }) => ({ id, at, bytes }))
        .sort((one, other) => one.at - other.at);
    });
  }

  async receipt(outline: OutlineId, { id }: ReceiptPlace): Promise<Uint8Array | undefined> {
    requireOutlineId(outline);
    return this.#queue.read(() => this.#disk.outlines.get(outline)?.receipts.get(id)?.answer);
  }

  async changes(
    outline: OutlineId,
    after: number,
    maxBytes: number,
  ): Promise<readonly ChangeRecord[]> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const records: ChangeRecord[] = [];
      let bytes = 0;
      for (const [last, data] of this.#disk.outlines.get(outline)?.changes ?? []) {
        if (last <= after) continue;
        bytes += data.byteLength;
        if (bytes > maxBytes && records.length > 0) break;
        records.push({ last, data });
      }
      return records;
    });
  }

  async chunk(
    outline: OutlineId,
    { epoch, seq, index }: ChunkPlace,
  ): Promise<Uint8Array | undefined> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const snapshot = this.#disk.outlines.get(outline)?.snapshot;
      const isThere = epoch === this.#disk.epoch && snapshot?.seq === seq;
      if (!isThere) return undefined;
      return index === "state_vector" ? snapshot.stateVector : snapshot.chunks[index];
    });
  }

  async tail(
    outline: OutlineId,
    { epoch, after, maxBytes }: TailRange,
  ): Promise<TailPage | undefined> {
    requireOutlineId(outline);
    return this.#queue.read(() => {
      const stored = this.#disk.outlines.get(outline);
      const head = stored?.head ?? 0;
      if (epoch !== this.#disk.epoch || after > head) return undefined;
      if (stored === undefined) return { updates: [], head };
      const first = firstKept(stored);
      if (after + 1 < first) return undefined;
      const kept = stored.updates.slice(after + 1 - first);
      let count = 0;
      let bytes = 0;
      for (const { byteLength } of kept) {
        bytes += byteLength;
        if (bytes > maxBytes && count > 0) break;
        count++;
      }
      return { updates: kept.slice(0, count), head };
    });
  }

  async saveSnapshot(
    outline: OutlineId,
    snapshot: Snapshot,
    { epoch }: Fence = {},
  ): Promise<boolean> {
    requireOutlineId(outline);
    return this.#queue.write(() => {
      requireEpoch(outline, epoch, this.#disk.epoch);
      requireSnapshotWithin(snapshot.seq, this.#head(outline));
      const stored = this.#outlineFor(outline);
      if (stored.snapshot !== undefined && stored.snapshot.seq >= snapshot.seq) return false;
      stored.snapshot = {
        ...snapshot,
        chunks: snapshot.chunks.map((chunk) => new Uint8Array(chunk)),
      };
      this.#trim(stored, snapshot.seq);
      return true;
    });
  }

  takeToken(key: string, windowMs: number): Promise<number> {
    return this.#queue.write(() => {
      const now = this.#now();
      const waitMs = waitForToken({ takenAt: this.#disk.tokensTakenAt.get(key), now, windowMs });
      if (waitMs === 0) this.#disk.tokensTakenAt.set(key, now);
      return waitMs;
    });
  }

  async *outlines(): AsyncGenerator<OutlineId> {
    yield* await this.#queue.read(() => [...this.#disk.outlines.keys()]);
  }

  async drop(outline: OutlineId): Promise<void> {
    requireOutlineId(outline);
    await this.#queue.write(() => this.#disk.outlines.delete(outline));
  }

  probe(): Promise<void> {
    return this.#queue.write(() => undefined);
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #head(outline: OutlineId): Seq {
    return this.#disk.outlines.get(outline)?.head ?? 0;
  }

  #outlineFor(outline: OutlineId): StoredOutline {
    let stored = this.#disk.outlines.get(outline);
    if (stored === undefined) {
      stored = {
        updates: [],
        head: 0,
        snapshot: undefined,
        bindings: new Map(),
        receipts: new Map(),
        changes: new Map(),
      };
      this.#disk.outlines.set(outline, stored);
    }
    return stored;
  }

  #trim(stored: StoredOutline, snapshotSeq: Seq): void {
    let kept = 0;
    let bytes = 0;
    for (const update of stored.updates.toReversed()) {
      bytes += update.byteLength;
      if (kept === this.#tail.updates || bytes > this.#tail.bytes) break;
      kept += 1;
    }
    // What the snapshot does not hold stays, however much it is.
    kept = Math.max(kept, stored.head - snapshotSeq);
    stored.updates = kept === 0 ? [] : stored.updates.slice(-kept);
  }
}

/** The number of the first update that is kept, or the next one when none is. */
function firstKept({ head, updates }: StoredOutline): Seq {
  return head - updates.length + 1;
}

import type { OutlineId } from "../core/node-key.ts";
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
} from "../documents/log/outline-log.ts";
import { KeyedSerial } from "./keyed-serial.ts";
import { requireOutlineId } from "./log-checks.ts";
import type { OutlineRecords } from "./outline-records.ts";
import { readChunk, readExtent, readOutline, readTail } from "./outline-records.ts";
import { storeUnavailable } from "./store-failure.ts";

/** What an outline log does, whatever its records are stored in. */
export abstract class DrivenLog implements OutlineLog {
  /** Snapshots and removal of one outline. */
  readonly #upkeep = new KeyedSerial<OutlineId>();
  readonly #tokens = new KeyedSerial<string>();
  /** Removals that are under way. [Q67] */
  readonly #dropping = new Map<OutlineId, Promise<void>>();

  abstract claim(outline: OutlineId): Promise<Term>;
  abstract outlines(): AsyncIterable<OutlineId>;
  abstract probe(): Promise<void>;
  abstract close(): Promise<void>;
  /** Runs what `close` waits for. @throws StoreError `store_closed` */
  protected abstract operation<T>(task: () => Promise<T>): Promise<T>;
  protected abstract read<T>(
    outline: OutlineId,
    query: (records: OutlineRecords) => Promise<T>,
  ): Promise<T>;
  protected abstract appendNow(outline: OutlineId, append: Append): Promise<Seq>;
  /** Never twice at once for one outline, nor beside its removal. */
  protected abstract saveNow(
    outline: OutlineId,
    snapshot: Snapshot,
    fence: Fence,
  ): Promise<boolean>;
  protected abstract dropNow(outline: OutlineId): Promise<void>;
  /** Never twice at once for one key. */
  protected abstract takeNow(key: string, windowMs: number): Promise<number>;

  async append(outline: OutlineId, append: Append): Promise<Seq> {
    this.#requireWritable(outline);
    return this.appendNow(outline, append);
  }

  async saveSnapshot(outline: OutlineId, snapshot: Snapshot, fence: Fence = {}): Promise<boolean> {
    this.#requireWritable(outline);
    return this.operation(() =>
      this.#upkeep.run(outline, () => this.saveNow(outline, snapshot, fence)),
    );
  }

  takeToken(key: string, windowMs: number): Promise<number> {
    return this.operation(() => this.#tokens.run(key, () => this.takeNow(key, windowMs)));
  }

  async drop(outline: OutlineId): Promise<void> {
    requireOutlineId(outline);
    const underWay = this.#dropping.get(outline);
    if (underWay !== undefined) return underWay;
    const dropping = this.operation(() =>
      this.#upkeep.run(outline, () => this.dropNow(outline)),
    ).finally(() => this.#dropping.delete(outline));
    this.#dropping.set(outline, dropping);
    return dropping;
  }

  load(outline: OutlineId, onProgress?: (bytes: number) => void): Promise<LoadedOutline> {
    return this.#query(outline, (records) => readOutline(records, onProgress));
  }

  extent(outline: OutlineId): Promise<StoredExtent> {
    return this.#query(outline, readExtent);
  }

  hasDevices(outline: OutlineId): Promise<boolean> {
    return this.#query(outline, (records) => records.hasDevices());
  }

  receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]> {
    return this.#query(outline, (records) => records.receipts());
  }

  receipt(outline: OutlineId, place: ReceiptPlace): Promise<Uint8Array | undefined> {
    return this.#query(outline, (records) => records.receipt(place));
  }

  changes(outline: OutlineId, after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    return this.#query(outline, (records) => records.changes(after, maxBytes));
  }

  chunk(outline: OutlineId, place: ChunkPlace): Promise<Uint8Array | undefined> {
    return this.#query(outline, (records) => readChunk(records, place));
  }

  tail(outline: OutlineId, range: TailRange): Promise<TailPage | undefined> {
    return this.#query(outline, (records) => readTail(records, range));
  }

  async #query<T>(outline: OutlineId, query: (records: OutlineRecords) => Promise<T>): Promise<T> {
    requireOutlineId(outline);
    return this.operation(() => this.read(outline, query));
  }

  /** What is left of a dropped outline must be gone before one of that name can begin again. */
  #requireWritable(outline: OutlineId): void {
    requireOutlineId(outline);
    if (!this.#dropping.has(outline)) return;
    throw storeUnavailable(new Error(`outline ${outline} is being removed`));
  }
}

import type { OutlineId } from "../../../src/core/node-key.ts";
import type { Clocks } from "../../../src/core/yjs/stored-clocks.ts";
import {
  StoreError,
  type Append,
  type ChangeRecord,
  type ChunkPlace,
  type Fence,
  type LoadedOutline,
  type OutlineLog,
  type ReceiptPlace,
  type Seq,
  type Snapshot,
  type StoredExtent,
  type TailPage,
  type TailRange,
  type Term,
} from "../../../src/documents/log/outline-log.ts";

/**
 * What the log does with a call.
 * - `work`: as it should
 * - `fail`: nothing happens, and it says so
 * - `lie`: it happens, and the answer is a failure
 * - `hang`: nothing happens until `recover`, when it happens after all
 */
export type Fault = "work" | "fail" | "lie" | "hang";

/** A log with faults, which remembers what it answered. */
export class FaultyLog implements OutlineLog {
  readonly #log: OutlineLog;
  /** How the next calls go. */
  fault: Fault = "work";
  readonly appends: { readonly outline: OutlineId; readonly append: Append }[] = [];
  loads = 0;
  /** What the next loads say that outlines have lost. */
  lost: Clocks | undefined;
  /** Reads of parts: chunks and pages of the log. */
  reads = 0;
  readonly snapshots: Snapshot[] = [];
  #hanging: (() => void)[] = [];
  #held: (() => void)[] | undefined;

  constructor(log: OutlineLog) {
    this.#log = log;
  }

  /** Calls that hang. */
  get waiting(): number {
    return this.#hanging.length;
  }

  /** Keeps calls waiting until `release`. */
  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const go of held) go();
  }

  /** Works again, and does what hung. */
  recover(): void {
    this.fault = "work";
    const hanging = this.#hanging;
    this.#hanging = [];
    for (const go of hanging) go();
  }

  append(outline: OutlineId, append: Append): Promise<Seq> {
    this.appends.push({ outline, append });
    return this.#call(() => this.#log.append(outline, append));
  }

  load(outline: OutlineId, onProgress?: (bytes: number) => void): Promise<LoadedOutline> {
    this.loads++;
    return this.#call(async () => {
      const loaded = await this.#log.load(outline, onProgress);
      return this.lost === undefined ? loaded : { ...loaded, lost: this.lost };
    });
  }

  extent(outline: OutlineId): Promise<StoredExtent> {
    return this.#call(() => this.#log.extent(outline));
  }

  hasDevices(outline: OutlineId): Promise<boolean> {
    return this.#call(() => this.#log.hasDevices(outline));
  }

  receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]> {
    return this.#call(() => this.#log.receipts(outline));
  }

  receipt(outline: OutlineId, place: ReceiptPlace): Promise<Uint8Array | undefined> {
    return this.#call(() => this.#log.receipt(outline, place));
  }

  changes(outline: OutlineId, after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    return this.#call(() => this.#log.changes(outline, after, maxBytes));
  }

  chunk(outline: OutlineId, place: ChunkPlace): Promise<Uint8Array | undefined> {
    this.reads++;
    return this.#call(() => this.#log.chunk(outline, place));
  }

  tail(outline: OutlineId, range: TailRange): Promise<TailPage | undefined> {
    this.reads++;
    return this.#call(() => this.#log.tail(outline, range));
  }

  async saveSnapshot(outline: OutlineId, snapshot: Snapshot, fence?: Fence): Promise<boolean> {
    const isSaved = await this.#call(() => this.#log.saveSnapshot(outline, snapshot, fence));
    if (isSaved) this.snapshots.push(snapshot);
    return isSaved;
  }

  claim(outline: OutlineId): Promise<Term> {
    return this.#log.claim(outline);
  }

  takeToken(key: string, windowMs: number): Promise<number> {
    return this.#log.takeToken(key, windowMs);
  }

  outlines(): AsyncIterable<OutlineId> {
    return this.#log.outlines();
  }

  drop(outline: OutlineId): Promise<void> {
    return this.#call(() => this.#log.drop(outline));
  }

  probe(): Promise<void> {
    return this.#call(() => this.#log.probe());
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  async #call<T>(call: () => Promise<T>): Promise<T> {
    const { fault } = this;
    if (this.#held !== undefined) await new Promise<void>((go) => this.#held?.push(go));
    switch (fault) {
      case "work":
        return call();
      case "fail":
        throw new StoreError("store_unavailable", "told to fail");
      case "lie":
        await call();
        throw new StoreError("store_unavailable", "told to fail");
      case "hang":
        await new Promise<void>((go) => this.#hanging.push(go));
        return call();
      default:
        return fault satisfies never;
    }
  }
}

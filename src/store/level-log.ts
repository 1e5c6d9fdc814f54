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
} from "../documents/outline-log.ts";
import { appendBytes, ENTRY_BYTES } from "./append-bytes.ts";
import type { CommitBatch } from "./commit-batch.ts";
import type { View } from "./database.ts";
import { markAsGarbage } from "./garbage.ts";
import type { History } from "./history.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { meaningOf } from "./key-meaning.ts";
import { KeyedSerial } from "./keyed-serial.ts";
import { saveSnapshot } from "./level-snapshots.ts";
import { requireEpoch, requireOutlineId } from "./log-checks.ts";
import {
  readChanges,
  readChunk,
  readExtent,
  readHasDevices,
  readOutline,
  readReceipt,
  readReceipts,
  readTail,
} from "./outline-reads.ts";
import { putSealed } from "./record.ts";
import type { StoreCore } from "./store-core.ts";
import { storeUnavailable } from "./store-failure.ts";
import { PROBE_KEY } from "./store-keys.ts";
import type { TailLimits } from "./tail-limits.ts";
import { waitForToken } from "./token-window.ts";

export interface LevelLogOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly tail: TailLimits;
  readonly close: () => Promise<void>;
}

const NONE = { added: [], removed: [] };

/** The outline log in LevelDB. */
export class LevelLog implements OutlineLog {
  readonly #core: StoreCore;
  readonly #options: LevelLogOptions;
  /** Snapshots and removal of one outline. */
  readonly #upkeep = new KeyedSerial<OutlineId>();
  readonly #tokens = new KeyedSerial<string>();
  /** Removals that are under way. [Q67] */
  readonly #dropping = new Map<OutlineId, Promise<void>>();
  #probing: Promise<void> | undefined;

  constructor(core: StoreCore, options: LevelLogOptions) {
    this.#core = core;
    this.#options = options;
  }

  async append(outline: OutlineId, append: Append): Promise<Seq> {
    requireOutlineId(outline);
    this.#requireWritable(outline);
    const bytes = appendBytes(append);
    return this.#core.commit({ outline, bytes, stage: (batch) => stage(batch, outline, append) });
  }

  /** One process has the store, and one append is under way at a time: nothing comes late. */
  async claim(outline: OutlineId): Promise<Term> {
    requireOutlineId(outline);
    this.#core.requireOpen();
    return 0;
  }

  load(
    outline: OutlineId,
    onProgress: (bytes: number) => void = () => undefined,
  ): Promise<LoadedOutline> {
    return this.#read(outline, (view, history) => readOutline(view, history, outline, onProgress));
  }

  extent(outline: OutlineId): Promise<StoredExtent> {
    return this.#read(outline, (view, history) => readExtent(view, history, outline));
  }

  hasDevices(outline: OutlineId): Promise<boolean> {
    return this.#read(outline, (view, history) => readHasDevices(view, history, outline));
  }

  receipts(outline: OutlineId): Promise<readonly ReceiptPlace[]> {
    return this.#read(outline, (view, history) => readReceipts(view, history, outline));
  }

  receipt(outline: OutlineId, place: ReceiptPlace): Promise<Uint8Array | undefined> {
    return this.#read(outline, (view, history) => readReceipt(view, history, outline, place));
  }

  changes(outline: OutlineId, after: number, maxBytes: number): Promise<readonly ChangeRecord[]> {
    return this.#read(outline, (view, history) =>
      readChanges(view, history, outline, { after, maxBytes }),
    );
  }

  chunk(outline: OutlineId, place: ChunkPlace): Promise<Uint8Array | undefined> {
    return this.#read(outline, (view, history) => readChunk(view, history, outline, place));
  }

  tail(outline: OutlineId, range: TailRange): Promise<TailPage | undefined> {
    return this.#read(outline, (view, history) => readTail(view, history, outline, range));
  }

  async saveSnapshot(
    outline: OutlineId,
    snapshot: Snapshot,
    { epoch }: Fence = {},
  ): Promise<boolean> {
    requireOutlineId(outline);
    this.#requireWritable(outline);
    const { tail } = this.#options;
    return this.#core.operation(() =>
      this.#upkeep.run(outline, () => saveSnapshot(this.#core, { outline, snapshot, epoch, tail })),
    );
  }

  takeToken(key: string, windowMs: number): Promise<number> {
    const take = async (): Promise<number> => {
      const { history, takenAt } = await this.#core.read(async (view, current) => {
        const name = current.keys.token(key);
        const value = await view.get(name);
        return { history: current, takenAt: value && jsonOf<number>(name, value) };
      });
      const now = this.#options.now();
      const waitMs = waitForToken({ takenAt, now, windowMs });
      if (waitMs === 0) await this.#core.change(history, [putJson(history.keys.token(key), now)]);
      return waitMs;
    };
    return this.#core.operation(() => this.#tokens.run(key, take));
  }

  async *outlines(): AsyncGenerator<OutlineId> {
    // Page by page, so that a slow reader holds no view of the database open.
    const { to } = this.#core.history.keys.heads;
    let { from } = this.#core.history.keys.heads;
    for (;;) {
      const range = { from, to };
      const page = await this.#core.operation(() =>
        this.#core.read(async (view) => {
          for await (const keys of view.keys(range)) return keys;
          return [];
        }),
      );
      for (const key of page) {
        const meaning = meaningOf(key);
        if (meaning.kind === "head") yield meaning.outline;
      }
      const last = page.at(-1);
      if (last === undefined) return;
      from = `${last}\0`;
    }
  }

  async drop(outline: OutlineId): Promise<void> {
    requireOutlineId(outline);
    const underWay = this.#dropping.get(outline);
    if (underWay !== undefined) return underWay;
    const dropping = this.#core
      .operation(() => this.#upkeep.run(outline, () => this.#drop(outline)))
      .finally(() => this.#dropping.delete(outline));
    this.#dropping.set(outline, dropping);
    return dropping;
  }

  probe(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  async #read<T>(
    outline: OutlineId,
    query: (view: View, history: History) => Promise<T>,
  ): Promise<T> {
    requireOutlineId(outline);
    return this.#core.operation(() => this.#core.read(query, outline));
  }

  async #probe(): Promise<void> {
    this.#core.requireOpen();
    await this.#core.commit({
      bytes: ENTRY_BYTES,
      stage: (batch) => batch.add(putJson(PROBE_KEY, this.#options.now())),
    });
  }

  async #drop(outline: OutlineId): Promise<void> {
    const entries = await this.#core.commit({
      bytes: ENTRY_BYTES,
      stage: (batch) => {
        const range = batch.history.keys.outline(outline);
        batch.setHead(outline, undefined);
        batch.add(markAsGarbage(range));
        return range;
      },
    });
    await this.#core.sweep(entries);
  }

  /** What is left of a dropped outline must be gone before one of that name can begin again. */
  #requireWritable(outline: OutlineId): void {
    this.#core.requireOpen();
    if (this.#dropping.has(outline)) {
      throw storeUnavailable(new Error(`outline ${outline} is being removed`));
    }
  }
}

function stage(batch: CommitBatch, outline: OutlineId, append: Append): Seq {
  const { updates, bindings = [], receipts = NONE, changes = NONE, epoch } = append;
  const { added, removed } = receipts;
  const { meta, keys } = batch.history;
  requireEpoch(outline, epoch, meta.epoch);
  let seq = batch.head(outline);
  const others = [bindings, added, removed, changes.added, changes.removed];
  if (updates.length === 0 && others.every(({ length }) => length === 0)) return seq;
  for (const update of updates) {
    seq += 1;
    batch.add(putSealed(keys.update(outline, seq), update));
  }
  for (const { client, holder } of bindings) {
    batch.add(putJson(keys.binding(outline, client), holder));
  }
  for (const place of removed) batch.add({ key: keys.receipt(outline, place) });
  for (const receipt of added) {
    batch.add(putSealed(keys.receipt(outline, receipt), receipt.answer));
  }
  for (const last of changes.removed) batch.add({ key: keys.change(outline, last) });
  for (const { last, data } of changes.added) {
    batch.add(putSealed(keys.change(outline, last), data));
  }
  batch.setHead(outline, seq);
  return seq;
}

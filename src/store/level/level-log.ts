import type { OutlineId } from "../../core/node-key.ts";
import type { Append, Fence, Seq, Snapshot, Term } from "../../documents/log/outline-log.ts";
import { appendBytes, ENTRY_BYTES } from "../append-bytes.ts";
import type { CommitBatch } from "./commit-batch.ts";
import { DrivenLog } from "../driven-log.ts";
import { markAsGarbage } from "./garbage.ts";
import { jsonOf, putJson } from "./json-record.ts";
import { meaningOf } from "../key-meaning.ts";
import { LevelRecords } from "./level-records.ts";
import { saveSnapshot } from "./level-snapshots.ts";
import { requireEpoch, requireOutlineId } from "../log-checks.ts";
import type { OutlineRecords } from "../outline-records.ts";
import { putSealed } from "../record.ts";
import type { StoreCore } from "./store-core.ts";
import { PROBE_KEY } from "../store-keys.ts";
import type { TailLimits } from "../tail-limits.ts";
import { waitForToken } from "../token-window.ts";

export interface LevelLogOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly tail: TailLimits;
  readonly close: () => Promise<void>;
}

const NONE = { added: [], removed: [] };

/** The outline log in LevelDB. */
export class LevelLog extends DrivenLog {
  readonly #core: StoreCore;
  readonly #options: LevelLogOptions;
  #probing: Promise<void> | undefined;

  constructor(core: StoreCore, options: LevelLogOptions) {
    super();
    this.#core = core;
    this.#options = options;
  }

  /** One process has the store, and one append is under way at a time: nothing comes late. */
  async claim(outline: OutlineId): Promise<Term> {
    requireOutlineId(outline);
    this.#core.requireOpen();
    return 0;
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

  probe(): Promise<void> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  close(): Promise<void> {
    return this.#options.close();
  }

  protected operation<T>(task: () => Promise<T>): Promise<T> {
    return this.#core.operation(task);
  }

  protected read<T>(
    outline: OutlineId,
    query: (records: OutlineRecords) => Promise<T>,
  ): Promise<T> {
    return this.#core.read(
      (view, history) => query(new LevelRecords(view, history, outline)),
      outline,
    );
  }

  protected async appendNow(outline: OutlineId, append: Append): Promise<Seq> {
    this.#core.requireOpen();
    const bytes = appendBytes(append);
    return this.#core.commit({ outline, bytes, stage: (batch) => stage(batch, outline, append) });
  }

  protected saveNow(outline: OutlineId, snapshot: Snapshot, { epoch }: Fence): Promise<boolean> {
    const { tail } = this.#options;
    return saveSnapshot(this.#core, { outline, snapshot, epoch, tail });
  }

  protected async dropNow(outline: OutlineId): Promise<void> {
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

  protected async takeNow(key: string, windowMs: number): Promise<number> {
    const { history, takenAt } = await this.#core.read(async (view, current) => {
      const name = current.keys.token(key);
      const value = await view.get(name);
      return { history: current, takenAt: value && jsonOf<number>(name, value) };
    });
    const now = this.#options.now();
    const waitMs = waitForToken({ takenAt, now, windowMs });
    if (waitMs === 0) await this.#core.change(history, [putJson(history.keys.token(key), now)]);
    return waitMs;
  }

  async #probe(): Promise<void> {
    this.#core.requireOpen();
    await this.#core.commit({
      bytes: ENTRY_BYTES,
      stage: (batch) => batch.add(putJson(PROBE_KEY, this.#options.now())),
    });
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

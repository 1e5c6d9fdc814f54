import type { OutlineId } from "../../core/node-key.ts";
import type { Seq, StoreError } from "../../documents/log/outline-log.ts";
import { CommitBatch } from "./commit-batch.ts";
import type { Connection } from "../connection.ts";
import { type Database, reading } from "../database.ts";
import type { HeadCache } from "./heads.ts";
import { readHeads } from "./heads.ts";
import type { CommitStatistics } from "../store-events.ts";
import type { History } from "./history.ts";

export interface Write<T> {
  /** The outline whose head `stage` needs, if any. */
  readonly outline?: OutlineId;
  /** About how much it adds to the batch. */
  readonly bytes: number;
  /** Adds to the batch. When it throws, only this write is rejected, and must have added nothing. */
  readonly stage: (batch: CommitBatch) => T;
  /** Called once the batch is durable, before any of its promises calls anyone back. */
  readonly onDurable?: () => void;
}

interface Pending {
  readonly write: Write<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommitOptions {
  readonly connection: Connection<Database>;
  readonly heads: HeadCache;
  readonly history: () => History;
  /** A batch is closed when it holds this much; a single larger write goes alone. */
  readonly maxBatchBytes: number;
  readonly onCommit: (statistics: CommitStatistics) => void;
}

/**
 * One batch on its way to the disk at a time; what arrives meanwhile goes into the next. Writes
 * become durable, and are answered, in the order in which they were submitted. When a batch fails,
 * everything that waits is rejected, and nothing is written before the database was opened again.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions;
  /** [Q66] */
  #queue: Pending[] = [];
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
  }

  /** @throws StoreError */
  submit<T>(write: Write<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // `resolve` is only ever called with what this write's own `stage` has returned.
      this.#queue.push({ write, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing waits any more. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      let taken: readonly Pending[] = [];
      try {
        const database = await this.#options.connection.database();
        taken = this.#take();
        await this.#commit(database, taken);
      } catch (failure) {
        const waiting = this.#queue;
        this.#queue = [];
        for (const { reject } of [...taken, ...waiting]) reject(failure);
      }
    }
    // At once with the last look at the queue, or a write that comes in between would wait for ever.
    this.#running = undefined;
  }

  #take(): readonly Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { write } of this.#queue) {
      bytes += write.bytes;
      if (count > 0 && bytes > this.#options.maxBatchBytes) break;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #commit(database: Database, pending: readonly Pending[]): Promise<void> {
    const { connection, heads, onCommit } = this.#options;
    const startedAt = performance.now();
    let batch: CommitBatch;
    const answers: (() => void)[] = [];
    let operations = 0;
    try {
      batch = new CommitBatch(this.#options.history(), await this.#learnHeads(database, pending));
      for (const { write, resolve, reject } of pending) {
        try {
          const value = write.stage(batch);
          answers.push(() => {
            write.onDurable?.();
            resolve(value);
          });
        } catch (refusal) {
          answers.push(() => reject(refusal));
        }
      }
      const staged = batch.operations();
      operations = staged.length;
      if (operations > 0) await database.write(staged);
    } catch (cause) {
      throw connection.fail(database, cause);
    }
    heads.apply(batch.heads);
    for (const answer of answers) answer();
    onCommit({ writes: pending.length, operations, durationMs: performance.now() - startedAt });
  }

  /** With no commit under way, what is read is what is acknowledged. */
  async #learnHeads(
    database: Database,
    pending: readonly Pending[],
  ): Promise<Map<OutlineId, Seq | StoreError>> {
    const known = new Map<OutlineId, Seq | StoreError>();
    const unknown = new Set<OutlineId>();
    for (const { write } of pending) {
      if (write.outline === undefined || known.has(write.outline)) continue;
      const head = this.#options.heads.get(write.outline);
      if (head === undefined) unknown.add(write.outline);
      else known.set(write.outline, head);
    }
    if (unknown.size === 0) return known;
    const { keys } = this.#options.history();
    const stored = await reading(database, (view) => readHeads(view, keys, [...unknown]));
    for (const [outline, head] of stored) known.set(outline, head ?? 0);
    return known;
  }
}

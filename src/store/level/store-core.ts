import type { OutlineId } from "../../core/node-key.ts";
import { ENTRY_BYTES, operationBytes } from "../append-bytes.ts";
import { leaveCloseMark, writeCloseRecord } from "./close-mark.ts";
import { Connection } from "../connection.ts";
import { type Database, type KeyRange, type Operation, reading, type View } from "../database.ts";
import { sweep } from "./garbage.ts";
import type { Write } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";
import { HeadCache } from "./heads.ts";
import type { History } from "./history.ts";
import { historyOf } from "./history.ts";
import type { OpenedHistory, OpenHistoryOptions } from "./open-history.ts";
import { openHistory, reopenHistory, writeMeta } from "./open-history.ts";
import type { StoreEvents } from "../store-events.ts";
import { readFailure, storeClosed, storeUnavailable } from "../store-failure.ts";
import type { StoreMeta } from "./store-meta.ts";
import { nextEpoch, putMeta } from "./store-meta.ts";

export interface StoreCoreOptions extends OpenHistoryOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly maxBatchBytes: number;
  readonly events: StoreEvents;
}

/** What the parts of the level driver stand on: consistent reads and group commits. */
export class StoreCore {
  readonly heads = new HeadCache();
  readonly folder: string;
  readonly #options: StoreCoreOptions;
  readonly #connection: Connection<Database>;
  readonly #commits: GroupCommit;
  /** Backups and restores that are under way: an operator asks for them. [Q66] */
  readonly #operations = new Set<Promise<unknown>>();
  #history: History;
  #closing: Promise<void> | undefined;

  static async open(folder: string, options: StoreCoreOptions): Promise<StoreCore> {
    return new StoreCore(folder, options, await openHistory(folder, options));
  }

  private constructor(folder: string, options: StoreCoreOptions, opened: OpenedHistory) {
    this.folder = folder;
    this.#options = options;
    this.#history = opened.history;
    const { now, maxBatchBytes, events } = options;
    this.#connection = new Connection(opened.database, {
      now,
      reopen: () => this.#reopen(),
      onFailure: (error) => events.onFailure?.(error),
    });
    this.#commits = new GroupCommit({
      connection: this.#connection,
      heads: this.heads,
      history: () => this.#history,
      maxBatchBytes,
      onCommit: (statistics) => events.onCommit?.(statistics),
    });
  }

  get history(): History {
    return this.#history;
  }

  /** @throws StoreError `store_closed` */
  requireOpen(): void {
    if (this.#closing !== undefined) throw storeClosed();
  }

  /** Runs what takes several steps; `close` waits for it. @throws StoreError `store_closed` */
  async operation<T>(task: () => Promise<T>): Promise<T> {
    this.requireOpen();
    const running = task();
    this.#operations.add(running);
    try {
      return await running;
    } finally {
      this.#operations.delete(running);
    }
  }

  /** Everything that `query` reads is of one moment, with all that was acknowledged before it. */
  async read<T>(
    query: (view: View, history: History) => Promise<T>,
    outline?: OutlineId,
  ): Promise<T> {
    const database = await this.#connection.database();
    const history = this.#history;
    try {
      return await reading(database, (view) => query(view, history));
    } catch (error) {
      throw readFailure(error, outline);
    }
  }

  commit<T>(write: Write<T>): Promise<T> {
    return this.#commits.submit(write);
  }

  /**
   * Commits what was planned on a history. Refused when the store was opened again or restored since:
   * what the plan has read, or has written ahead, may be gone.
   * @param onDurable called before anybody is answered whose write shares the commit
   */
  change(
    planned: History,
    operations: readonly Operation[],
    onDurable: () => void = () => undefined,
  ): Promise<void> {
    return this.#commits.submit({
      bytes: operations.reduce((sum, operation) => sum + operationBytes(operation), 0),
      stage: (batch) => {
        requireUnchanged(batch.history, planned);
        for (const operation of operations) batch.add(operation);
      },
      onDurable,
    });
  }

  /** Deletes a range that was marked as garbage by a commit before. */
  sweep(range: KeyRange): Promise<void> {
    const write = (operations: readonly Operation[]) =>
      this.#commits.submit({
        bytes: operations.length * ENTRY_BYTES,
        stage: (batch) => operations.forEach((operation) => batch.add(operation)),
      });
    return this.read((view) => sweep(range, view, write));
  }

  /**
   * Like `change`, and goes on with another history, whose data is there already. What shares the
   * commit still belongs to the old one.
   */
  replaceHistory(
    planned: History,
    meta: StoreMeta,
    operations: readonly Operation[],
  ): Promise<void> {
    return this.change(planned, [putMeta(meta), ...operations], () => {
      this.#history = historyOf(meta);
      this.heads.clear();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#operations);
    await this.#commits.drained();
    const { newEpoch, purpose } = this.#options;
    const text = newEpoch();
    const isInOrder = await this.#connection.close((database) => writeCloseRecord(database, text));
    // Without it the store is as after a crash, which is safe.
    if (!isInOrder || purpose.kind === "read") return;
    await leaveCloseMark(this.folder, text).catch(() => undefined);
  }

  async #reopen(): Promise<Database> {
    const { database, history } = await reopenHistory(this.folder, this.#options);
    try {
      this.#history = await this.#withoutLoss(database, history);
    } catch (error) {
      await database.close();
      throw error;
    }
    this.heads.clear();
    this.#options.events.onRecovery?.();
    return database;
  }

  /**
   * A disk that has lost what it had confirmed gives numbers a second time. Nothing brings the
   * updates back, but under a new epoch nobody takes the new ones for the old.
   */
  async #withoutLoss(database: Database, history: History): Promise<History> {
    const isLossy = await reading(database, (view) => this.heads.isAheadOf(view, history.keys));
    if (!isLossy) return history;
    const meta = nextEpoch(history.meta, this.#options.newEpoch);
    await writeMeta(database, meta);
    return historyOf(meta);
  }
}

function requireUnchanged(current: History, planned: History): void {
  if (current !== planned) throw storeUnavailable(new Error("it was opened again meanwhile"));
}

import type * as Y from "yjs";
import { byteLengthOf } from "../log/byte-length.ts";
import { ArrivalRecording } from "./arrival-recording.ts";
import type { Author } from "./author.ts";
import { ChangeJournal } from "./change-journal.ts";
import { ClientIds } from "./client-ids.ts";
import { CommitQueue, type Commit } from "./commit-queue.ts";
import { Deferred } from "../turns/deferred.ts";
import { Compaction } from "./compaction.ts";
import { type LossReason, TAKEN_OVER } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { ExclusiveWork } from "./exclusive-work.ts";
import { LostClocks } from "./lost-clocks.ts";
import type { Outline } from "../../core/outline.ts";
import type { Repair } from "../../core/merge/repair.ts";
import type { Replica } from "./load-replica.ts";
import type { OutlineState } from "./outline-state.ts";
import type { ClientBinding, LoadedOutline, Seq, Term } from "../log/outline-log.ts";
import { Purging } from "./purging.ts";
import { Receipts } from "./receipts.ts";
import { RecentUpdates } from "./recent-updates.ts";
import { SharedWrites } from "./shared-writes.ts";
import { runInSlices, runSlice } from "../turns/slices.ts";
import { type OutlineWork, requireTurns } from "./outline-turns.ts";
import type { Turn } from "../turns/turns.ts";
import { NotOwnerError, ThrownAwayError, UnavailableError } from "../log/unavailable-error.ts";

/** The origin of the server's own transactions. */
const WRITE_ORIGIN = Symbol("write");

/** What each client that has written adds to a transaction: Yjs looks at all of them several times. */
const MS_PER_CLIENT = 0.0005;
/** Memory of a replica beside what its outline holds: 6 to 60 KiB were measured. */
const REPLICA_BYTES = 24 * 1024;

/**
 * A replica that is written to, and what keeps it equal to its log: every change is followed by
 * repair, numbered, and made durable in its order. When it can't be told any more whether it is
 * equal, it ends, and the log is read again.
 */
export class LiveReplica {
  readonly state: OutlineState;
  readonly outline: Outline;
  readonly repair: Repair;
  readonly epoch: string;
  readonly queue: CommitQueue;
  /** The requests' changes. */
  readonly writes: SharedWrites;
  readonly ids: ClientIds;
  readonly recent: RecentUpdates;
  readonly compaction: Compaction;
  readonly purging: Purging;
  readonly arrivals: ArrivalRecording;
  readonly lost: LostClocks;
  readonly receipts: Receipts;
  readonly changes: ChangeJournal;
  /** Resolves when it has ended and nothing of it goes to the log any more. */
  readonly ended: Promise<void>;
  readonly #ended = new Deferred<void>();
  readonly #ports: DocumentPorts;
  readonly #exclusive: ExclusiveWork;
  /** Updates that Yjs made of the change under way. [Q2] */
  #emitted: Uint8Array[] = [];
  /** Unix milliseconds. */
  #changedAt: number;
  #end: Error | undefined;
  #isLost = false;

  constructor(
    stored: LoadedOutline & { readonly term: Term },
    replica: Replica,
    ports: DocumentPorts,
  ) {
    const { epoch, epochOrdinal, term, bindings, head, updates, lost } = stored;
    const fence = { epoch, term };
    const { state, outline, repair, snapshotBytes } = replica;
    const { doc } = state;
    this.state = state;
    this.outline = outline;
    this.epoch = epoch;
    this.repair = repair;
    this.#ports = ports;
    this.#changedAt = ports.now();
    this.ended = this.#ended.promise;
    this.receipts = new Receipts(ports);
    this.changes = new ChangeJournal({
      ports,
      outline,
      last: stored.lastChange,
      settled: () => this.queue.settled(),
    });
    this.recent = new RecentUpdates(head - updates.length);
    this.recent.add(
      updates.map(({ update }) => update),
      head,
    );
    this.queue = new CommitQueue({
      head,
      now: () => ports.now(),
      append: (append) => ports.append({ ...append, ...fence }),
      onCommit: (commit) => this.#onCommit(commit),
      onFailure: (error) => this.lose(error instanceof NotOwnerError ? TAKEN_OVER : "store", error),
    });
    this.#exclusive = new ExclusiveWork(this.queue, () => this.discard("error"));
    this.writes = new SharedWrites({
      take: (work) => this.takeQuietTurn("write", work),
      isOver: () => ports.turns.write.isOver,
      change: (fn) => {
        ports.requireStore();
        requireTurns(ports.turns, "write", "repair");
        return this.change(() => this.atOnce(fn));
      },
      commit: () => this.commit(undefined),
      requireOpen: () => this.requireOpen(),
    });
    this.ids = new ClientIds({
      doc,
      bindings,
      epochOrdinal,
      uncertain: ports.channel.uncertainClients,
      ...ports.limits,
    });
    const isOpen = (): boolean => this.#end === undefined;
    const changedAt = (): number => this.#changedAt;
    this.compaction = new Compaction(snapshotBytes, stored, {
      ports,
      fence,
      state,
      outline,
      repair,
      queue: this.queue,
      isOpen,
    });
    this.purging = new Purging({
      ports,
      outline,
      repair,
      lastSeq: () => this.queue.lastSeq,
      changedAt,
      hasDevices: () => this.ids.hasDevices || ports.channel.hasListeners,
      change: (fn) => this.#changeInBackground(fn),
    });
    this.arrivals = new ArrivalRecording({
      ports,
      repair,
      isOpen,
      changedAt,
      change: (fn) => this.#changeInBackground(fn),
    });
    this.lost = new LostClocks({ lost, outline, ids: this.ids, events: ports.events });
    doc.on("update", this.#onUpdate);
    // What the last updates of the log make necessary, unless the process before came to write it.
    this.change(() => undefined);
    void this.commit(undefined);
    this.compaction.startIfDue();
  }

  get isOpen(): boolean {
    return this.#end === undefined && this.#ports.holds();
  }

  /** True when it ended in any other way than by being unloaded. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** True when nobody works on it exclusively. */
  get isQuiet(): boolean {
    return this.#exclusive.isQuiet;
  }

  /** True when it is open, nobody works on it or is about to, and all of it is durable. */
  get isAtRest(): boolean {
    if (!this.isOpen || !this.isQuiet) return false;
    return this.queue.isSettled && this.writes.isEmpty;
  }

  /** True while letting it go would lose something or break off work. */
  get isInUse(): boolean {
    if (!this.queue.isSettled || !this.writes.isEmpty) return true;
    return !this.isQuiet || this.compaction.isRunning;
  }

  /** Memory that it takes, estimated: the document, and what is kept beside it. O(1). */
  get bytes(): number {
    const { outline, recent, receipts, changes } = this;
    const beside = this.repair.bytes + recent.bytes + receipts.bytes + changes.bytes;
    return REPLICA_BYTES + outline.quota.bytes + beside;
  }

  /** @throws UnavailableError when it has ended */
  requireOpen(): void {
    if (!this.#ports.holds()) this.lose(TAKEN_OVER);
    if (this.#end !== undefined) throw this.#end;
  }

  /** Does `work` in the outline's turn of the event loop, which has time for more than a transaction. */
  takeTurn<T>(kind: OutlineWork, work: () => T, size?: () => number): Promise<T> {
    const fixedMs = this.state.size.clients * MS_PER_CLIENT;
    return this.#ports.turns[kind].take(work, fixedMs, size);
  }

  /** The same in a turn in which nobody works on it exclusively. @throws UnavailableError */
  async takeQuietTurn<T>(kind: OutlineWork, work: () => T, size?: () => number): Promise<T> {
    for (;;) {
      const takeIfQuiet = (): { readonly result: T } | undefined => {
        this.requireOpen();
        return this.isQuiet ? { result: work() } : undefined;
      };
      const done = await this.takeTurn(kind, takeIfQuiet, size);
      if (done !== undefined) return done.result;
      await this.whenQuiet(async () => undefined);
    }
  }

  /** Begins `work` as soon as nobody works on it exclusively. @throws UnavailableError */
  async whenQuiet<T>(work: () => Promise<T>): Promise<T> {
    while (!this.isQuiet) await this.#exclusive.ended();
    this.requireOpen();
    return work();
  }

  /**
   * Makes a change and what repair adds to it; `commit` must follow in the same turn. When `fn`
   * throws after having changed something, the replica ends: nobody knows what it is worth then.
   *
   * What repair can't do in this turn follows in the next ones; reads and writes wait until it is
   * done, and all of it becomes durable in one append with the change.
   */
  change<T>(fn: () => T): T {
    const work = this.repair.runInSlices();
    return this.changePart(() => {
      const result = fn();
      if (runSlice(work, this.#ports.turns.repair).done !== true) void this.#finishRepair(work);
      return result;
    });
  }

  /** A part of a change that is made exclusively: repair waits for the last part. */
  changePart<T>(fn: () => T): T {
    this.requireOpen();
    this.#emitted = [];
    this.receipts.forget();
    this.changes.forget();
    this.state.doc.clientID = this.ids.ownForWriting();
    try {
      return fn();
    } catch (error) {
      if (this.#emitted.length > 0) this.discard("error");
      throw error;
    }
  }

  /** Within a change: does all of it in one transaction. */
  atOnce<T>(fn: () => T): T {
    return this.state.doc.transact(fn, WRITE_ORIGIN);
  }

  /** Resolves when the change, or all that is visible when there was none, is durable. */
  commit(author: Author | undefined, bindings: readonly ClientBinding[] = []): Promise<Seq> {
    const updates = this.#emitted;
    this.#emitted = [];
    const receipts = this.receipts.take();
    if (updates.length === 0 && receipts === undefined) return this.queue.settled();
    const changes = this.changes.take();
    return this.queue.add(updates, author, [...bindings, ...this.ids.ownBindings()], {
      receipts,
      changes,
    });
  }

  /** Runs `work` while reads and writes wait; what it commits becomes durable in one append. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusive.run(work);
  }

  /** Ends it; what was committed before, and is not held, is still made durable. */
  discard(reason: LossReason): void {
    if (this.#end !== undefined) return;
    this.#end = new ThrownAwayError();
    this.queue.end(this.#end);
    void this.queue
      .settled()
      .catch(() => undefined)
      .then(() => this.#leave(reason));
  }

  /** Ends it at once. What is not durable is lost, and everybody is told. */
  lose(reason: LossReason, error: Error = new UnavailableError("the outline was let go")): void {
    if (this.#end !== undefined) return;
    this.#end = error;
    this.queue.abort(error);
    // Whether the store has still what it has confirmed is found out later.
    if (reason === "store" || reason === TAKEN_OVER) {
      const { updates } = this.recent;
      const { head } = this.queue;
      const receipts = this.receipts.kept.behind(head - updates.length);
      const tail = { epoch: this.epoch, head, updates, receipts };
      this.#ports.keepTail(tail, error instanceof NotOwnerError);
    }
    this.#leave(reason);
  }

  /** Ends it while it is not in use: nothing is lost, and nobody is told. */
  unload(): void {
    if (this.#end !== undefined) return;
    this.#end = new UnavailableError("the outline was unloaded", { retryAfterMs: 0 });
    this.#release();
  }

  /** Resolves when it is not in use any more, or has ended; never rejects. */
  async idle(): Promise<void> {
    while (this.#end === undefined && this.isInUse) {
      if (!this.writes.isEmpty) await this.#ports.timers.yieldNow();
      await this.queue.settled().catch(() => undefined);
      await Promise.all([this.#exclusive.ended(), this.compaction.finished()]);
    }
    if (this.#end !== undefined) await this.ended;
  }

  async #finishRepair(work: Generator<void, boolean>): Promise<void> {
    const { events } = this.#ports;
    const { repair: turn } = this.#ports.turns;
    const inParts = this.#repairInParts(work, turn);
    try {
      await this.exclusively(() => runInSlices(inParts, turn));
    } catch (error) {
      if (!(error instanceof UnavailableError)) events.onDefect?.(error);
    }
  }

  *#repairInParts(work: Generator<void, boolean>, turn: Turn): Generator<void> {
    for (let isDone = false; !isDone;) {
      isDone = this.changePart(() => runSlice(work, turn).done === true);
      void this.commit(undefined);
      yield;
    }
  }

  async #changeInBackground<T>(fn: () => T): Promise<T> {
    const { result, durable } = await this.takeQuietTurn("purge", () => {
      this.#ports.requireStore();
      const changed = this.change(fn);
      return { result: changed, durable: this.commit(undefined) };
    });
    await durable;
    return result;
  }

  #onCommit(commit: Commit): void {
    const { updates, authors, head, latencyMs } = commit;
    this.#changedAt = this.#ports.now();
    this.recent.add(updates, head);
    this.receipts.onDurable(commit);
    this.compaction.add(commit);
    this.#ports.share.set(this.bytes);
    this.#ports.channel.durable({ updates, authors, head });
    this.#ports.events.onCommit?.(latencyMs, updates.length, byteLengthOf(updates));
  }

  #leave(reason: LossReason): void {
    this.#isLost = true;
    for (const client of this.ids.uncertain) this.#ports.channel.uncertainClients.add(client);
    this.#release();
    this.#ports.channel.lost(reason);
  }

  #release(): void {
    this.repair.detach();
    this.outline.detach();
    this.state.destroy();
    this.#ended.resolve();
  }

  readonly #onUpdate = (
    update: Uint8Array,
    _origin: unknown,
    _doc: Y.Doc,
    { beforeState, afterState }: Y.Transaction,
  ): void => {
    this.#emitted.push(update);
    const ends: [client: number, end: number][] = [];
    for (const [client, end] of afterState) {
      if (beforeState.get(client) !== end) ends.push([client, end]);
    }
    this.repair.record(ends, this.queue.lastSeq + this.#emitted.length);
  };
}

import * as Y from "yjs";
import type { OutlineId } from "../../core/node-key.ts";
import type { Outline } from "../../core/outline.ts";
import type { Author } from "./author.ts";
import type { ChangeJournal } from "./change-journal.ts";
import type { DocumentListener } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { LiveReplica } from "./live-replica.ts";
import type { ChunkPlace, Seq, StoredExtent } from "../log/outline-log.ts";
import { applied, ReceivedUpdates, type Receipt } from "./received-updates.ts";
import type { ReceiptKeeper } from "./receipts.ts";
import { requireTurns } from "./outline-turns.ts";
import { runSlice } from "../turns/slices.ts";
import { BusyError } from "../log/unavailable-error.ts";
import type { IsWanted } from "../log/stored-reads.ts";
import { PAGE_BYTES, tailIfReadable } from "../log/unopened-outline.ts";

/**
 * One outline in memory. What is written is made durable before anybody is told of it. Valid until
 * it is lost or unloaded; from then on everything rejects with UnavailableError, and whoever needs
 * the outline opens it again.
 */
export class OutlineDocument {
  readonly id: OutlineId;
  readonly outline: Outline;
  readonly epoch: string;
  readonly #ports: DocumentPorts;
  readonly #live: LiveReplica;
  readonly #received: ReceivedUpdates;

  constructor(live: LiveReplica, ports: DocumentPorts) {
    this.outline = live.outline;
    this.id = live.outline.id;
    this.epoch = live.epoch;
    this.#ports = ports;
    this.#live = live;
    this.#received = new ReceivedUpdates(live, ports);
  }

  /** The number of the last durable update. */
  get head(): Seq {
    return this.#live.queue.head;
  }

  /**
   * Looks at the outline. What `fn` saw is durable when this resolves; when it does not become
   * durable, this rejects and the result counts for nothing.
   * @throws UnavailableError
   */
  async read<T>(fn: (outline: Outline) => T): Promise<T> {
    const { turns } = this.#ports;
    requireTurns(turns, "read");
    // What was written before is seen, and has its turn first; of what comes later, what shares that.
    await this.#live.writes.done();
    return this.#live.whenQuiet(async () => {
      const result = turns.read.now(() => fn(this.outline));
      await this.#live.queue.settled();
      return result;
    });
  }

  /**
   * The same at once, when all that `fn` can see is durable already; otherwise undefined, and `fn` is
   * not called.
   */
  readNow<T>(fn: (outline: Outline) => T): { readonly result: T } | undefined {
    return this.#live.isAtRest ? { result: fn(this.outline) } : undefined;
  }

  /**
   * Changes the outline: `fn` does everything at once, in a transaction that it shares with the other
   * writes of this turn. Resolves when the change is durable, and all that `fn` saw. When `fn` throws,
   * nothing of what it did stays.
   * @throws UnavailableError when the change did not, or may not, become durable; ThrownAwayError when
   *   it did not because another write had a defect
   */
  write<T>(fn: (outline: Outline, receipts: ReceiptKeeper) => T): Promise<T> {
    return this.#live.writes.add(() => fn(this.outline, this.#live.receipts));
  }

  /**
   * What was kept under an id, by a change that is durable. To be asked before anything is kept under
   * it; two that keep something under one id must not be under way at once.
   * @throws UnavailableError
   */
  receipt(id: string): Promise<Uint8Array | undefined> {
    this.#live.requireOpen();
    return this.#live.receipts.find(id);
  }

  /** Which nodes have changed. */
  get changes(): ChangeJournal {
    return this.#live.changes;
  }

  /**
   * Long work in slices: a generator that yields every millisecond or so. Other outlines go on
   * meanwhile; who reads or writes this one waits. It becomes durable in one append, all of it or,
   * when the generator throws, nothing: then the replica is thrown away with all that came meanwhile.
   * @throws UnavailableError
   */
  bulk<T>(fn: (outline: Outline, receipts: ReceiptKeeper) => Generator<void, T>): Promise<T> {
    const { turns } = this.#ports;
    const run = async (): Promise<T> => {
      const work = fn(this.outline, this.#live.receipts);
      const slice = (): IteratorResult<void, T> => runSlice(work, turns.bulk);
      for (;;) {
        const step = await this.#live.takeTurn("bulk", () => {
          const last = this.#live.changePart(() => this.#live.atOnce(slice));
          void this.#live.commit(undefined);
          return last;
        });
        if (step.done !== true) continue;
        this.#live.change(() => undefined);
        void this.#live.commit(undefined);
        return step.value;
      }
    };
    return this.#live.whenQuiet(() => {
      this.#ports.requireStore();
      requireTurns(turns, "bulk", "repair");
      return this.#live.exclusively(run);
    });
  }

  /**
   * Takes an update from outside. It is judged before anything is touched, and applied whole or not
   * at all. What the document has already needs no permission. Never throws or rejects.
   *
   * Resolves when it was judged, in the order in which updates come: at the end of the turn, or
   * later when it is large or others are. See ReceivedUpdates.
   *
   * @param had what the author had when the update was made, by client the clock behind the last struct
   */
  receive(update: Uint8Array, author: Author, had?: ReadonlyMap<number, number>): Promise<Receipt> {
    const failure = this.#failureNow();
    return failure === undefined
      ? this.#received.add(update, author, had)
      : Promise.resolve(applied(Promise.reject(failure)));
  }

  /** Follows what becomes durable, also after this replica was let go. Returns what ends that. */
  subscribe(listener: DocumentListener): () => void {
    return this.#ports.channel.subscribe(listener);
  }

  /** What the replica has, durable or not: inside `read` all of it counts as durable. */
  stateVector(): Uint8Array {
    return this.#live.state.stateVector();
  }

  /**
   * What a replica with this state vector lacks, as updates to be applied in this order: one when
   * that is little, else chunks. Each is made when it is asked for, and durable when it is given; all
   * of them say what was there when the first one was asked for, and may have later deletions.
   * @throws UnavailableError
   */
  async *difference(stateVector: Uint8Array): AsyncGenerator<Uint8Array, void> {
    const known = Y.decodeStateVector(stateVector);
    requireTurns(this.#ports.turns, "difference");
    const { state, queue } = this.#live;
    const { difference: turn } = this.#ports.turns;
    const preparing = state.prepare();
    const parts = state.diff(known);
    for (;;) {
      const part = await this.#live.takeQuietTurn("difference", () =>
        runSlice(preparing, turn).done === true ? parts.next() : undefined,
      );
      if (part === undefined) continue;
      if (part.done === true) return;
      // Deletions that came meanwhile may be in it, not yet durable.
      await queue.settled();
      yield part.value;
    }
  }

  /** What is stored, without any of it. @throws UnavailableError, StoreError `outline_corrupt` */
  extent(isWanted: IsWanted): Promise<StoredExtent> {
    return this.#ports.extent(isWanted);
  }

  /**
   * One chunk of the stored snapshot; undefined when that has been replaced by a newer one.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  chunk(place: ChunkPlace, isWanted: IsWanted): Promise<Uint8Array | undefined> {
    return this.#ports.chunk(place, isWanted);
  }

  /**
   * The durable updates behind `seq`, in order: as many as fit a page, at least one when there is one.
   * Undefined when not all of them are kept, or can be read. From memory when they are recent.
   * @throws UnavailableError
   */
  async since(seq: Seq, isWanted?: IsWanted): Promise<readonly Uint8Array[] | undefined> {
    if (seq > this.head) return undefined;
    const recent = this.#live.recent.since(seq);
    if (recent !== undefined) return pageOf(recent);
    const range = { epoch: this.epoch, after: seq, maxBytes: PAGE_BYTES };
    return (await tailIfReadable(this.#ports, range, isWanted))?.updates;
  }

  /**
   * Notes the first device of an outline before it has written anything: it may come back, after a
   * long time, with edits of what others have deleted since. Nothing is noted when it can't be now.
   */
  expectDevice(author: Author): void {
    if (author.mayWrite?.() === false || this.#failureNow() !== undefined) return;
    const bindings = this.#live.ids.expectDevice(author);
    if (bindings.length > 0) this.#live.queue.add([], undefined, bindings).catch(() => undefined);
  }

  /** Whether a client id is the author's to write under; undefined when it is nobody's yet. */
  isClientOf(client: number, author: Author): boolean | undefined {
    return this.#live.ids.isOf(client, author);
  }

  /** Why nothing can be taken now; who follows the outline is told as if it had just been lost. */
  #failureNow(): Error | undefined {
    try {
      this.#live.requireOpen();
      this.#ports.requireStore();
      requireTurns(this.#ports.turns, "update", "repair");
      return undefined;
    } catch (error) {
      const reason = error instanceof BusyError ? "busy" : "store";
      if (this.#live.isOpen) this.#ports.channel.lost(reason);
      return error as Error;
    }
  }
}

function pageOf(updates: readonly Uint8Array[]): readonly Uint8Array[] {
  let bytes = 0;
  const end = updates.findIndex(({ byteLength }, index) => {
    bytes += byteLength;
    return bytes > PAGE_BYTES && index > 0;
  });
  return end === -1 ? updates : updates.slice(0, end);
}

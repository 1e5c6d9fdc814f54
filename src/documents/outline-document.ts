import * as Y from "yjs";
import type { OutlineId } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import { stateChunks } from "../core/state-chunks.ts";
import type { Author } from "./author.ts";
import type { DocumentListener } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { LiveReplica } from "./live-replica.ts";
import type { Seq } from "./outline-log.ts";
import { applied, ReceivedUpdates, type Receipt } from "./received-updates.ts";
import { runInSlices, runSlice } from "./slices.ts";

/** Replicas that lack more structs than that are brought up to date in chunks. */
const FEW_STRUCTS = 2_000;

/** A whole state that is larger is not kept in memory beside the document. */
const MAX_KEPT_BYTES = 512 * 1024;

export interface FullState {
  readonly chunks: readonly Uint8Array[];
  readonly updates: readonly Uint8Array[];
  readonly head: Seq;
}

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
  #kept: FullState | undefined;

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
  read<T>(fn: (outline: Outline) => T): Promise<T> {
    // What was written before is seen; what is written later is not waited for.
    if (this.#live.isQuiet) this.#live.writes.runNow();
    return this.#live.whenQuiet(async () => {
      const result = fn(this.outline);
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
  write<T>(fn: (outline: Outline) => T): Promise<T> {
    return this.#live.writes.add(() => fn(this.outline));
  }

  /**
   * Long work in slices: a generator that yields every millisecond or so. Other outlines go on
   * meanwhile; who reads or writes this one waits. It becomes durable in one append, all of it or,
   * when the generator throws, nothing: then the replica is thrown away with all that came meanwhile.
   * @throws UnavailableError
   */
  bulk<T>(fn: (outline: Outline) => Generator<void, T>): Promise<T> {
    const { turn } = this.#ports;
    const run = async (): Promise<T> => {
      const work = fn(this.outline);
      for (;;) {
        const step = await this.#live.takeTurn(() => {
          const last = this.#live.changeAtOnce(() => runSlice(work, turn));
          void this.#live.commit(undefined);
          return last;
        });
        if (step.done === true) return step.value;
      }
    };
    return this.#live.whenQuiet(() => {
      this.#ports.requireStore();
      return this.#live.exclusively(run);
    });
  }

  /**
   * Takes an update from outside. It is judged before anything is touched, and applied whole or not
   * at all. What the document has already needs no permission. Never throws or rejects.
   *
   * Resolves when it was judged, in the order in which updates come: at the end of the turn, or
   * later when it is large or others are. See ReceivedUpdates.
   */
  receive(update: Uint8Array, author: Author): Promise<Receipt> {
    const failure = this.#failureNow();
    return failure === undefined
      ? this.#received.add(update, author)
      : Promise.resolve(applied(Promise.reject(failure)));
  }

  /** Follows what becomes durable, also after this replica was let go. Returns what ends that. */
  subscribe(listener: DocumentListener): () => void {
    return this.#ports.channel.subscribe(listener);
  }

  /** What the replica has, durable or not: inside `read` all of it counts as durable. */
  stateVector(): Uint8Array {
    return this.#live.diff.stateVector();
  }

  /**
   * What a replica with this state vector lacks, durable or not like `stateVector`. In one go, so
   * only for replicas that lack little: others are served by `catchUp`.
   */
  diff(stateVector: Uint8Array): Uint8Array {
    return this.#live.diff.encode(Y.decodeStateVector(stateVector));
  }

  /**
   * What a replica with this state vector lacks, as updates to be applied in this order: one when
   * that is little, else chunks that are made in slices. All of it is durable when this resolves.
   * @throws UnavailableError
   */
  async catchUp(stateVector: Uint8Array): Promise<readonly Uint8Array[]> {
    const known = Y.decodeStateVector(stateVector);
    const { doc, diff } = this.#live;
    const little = await this.#live.takeQuietTurn(() =>
      diff.countMissing(known) <= FEW_STRUCTS ? diff.encode(known) : undefined,
    );
    if (little !== undefined) return this.read(() => [little]);
    return this.#live.whenQuiet(async () => {
      const chunks: Uint8Array[] = [];
      await runInSlices(stateChunks(doc, known), this.#ports.turn, (chunk) => {
        this.#live.requireOpen();
        chunks.push(chunk);
      });
      // Deletions that came meanwhile may be in it, not yet durable.
      return this.read(() => chunks);
    });
  }

  /**
   * The whole durable state, without encoding anything: chunks, and the updates of the log behind them
   * up to `head`. A small one is read from the store once, and then goes on with what comes since.
   * @throws UnavailableError
   */
  async fullState(): Promise<FullState> {
    const kept = this.#kept;
    const since = kept && this.#live.recent.since(kept.head);
    if (kept !== undefined && since !== undefined) {
      const head = kept.head + since.length;
      return { chunks: kept.chunks, updates: [...kept.updates, ...since], head };
    }
    const state = await this.storedState();
    const bytes = [...state.chunks, ...state.updates].reduce((sum, part) => sum + part.length, 0);
    this.#kept = bytes <= MAX_KEPT_BYTES ? state : undefined;
    return state;
  }

  /** The same, all of it read from the store. @throws UnavailableError */
  async storedState(): Promise<FullState> {
    const { snapshot, updates, head } = await this.#ports.load();
    return { chunks: snapshot?.chunks ?? [], updates: updates.map(({ update }) => update), head };
  }

  /**
   * The durable updates behind `seq`, in order; undefined when not all of them are kept.
   * @throws UnavailableError
   */
  async since(seq: Seq): Promise<readonly Uint8Array[] | undefined> {
    if (seq > this.head) return undefined;
    const recent = this.#live.recent.since(seq);
    if (recent !== undefined) return recent;
    const { snapshot, updates } = await this.#ports.load(seq);
    return snapshot === undefined ? updates.map(({ update }) => update) : undefined;
  }

  /**
   * A client id that nobody else gets, for one store of the author's; in the log before it is told.
   * The session may use it at once. @throws UnavailableError
   */
  async lease(author: Author, secretHash: string): Promise<number> {
    this.#live.requireOpen();
    this.#ports.requireStore();
    const binding = this.#live.ids.lease(author, secretHash);
    await this.#live.queue.add([], undefined, [binding]);
    this.#live.ids.claim(binding.client, author, secretHash);
    return binding.client;
  }

  /** Lets a session write under an id that was leased before, if it knows the store's secret. */
  claim(client: number, author: Author, secretHash: string): "ok" | "unknown" {
    return this.#live.ids.claim(client, author, secretHash);
  }

  /** Why nothing can be taken now; who follows the outline is told as if it had just been lost. */
  #failureNow(): Error | undefined {
    try {
      this.#live.requireOpen();
      this.#ports.requireStore();
      return undefined;
    } catch (error) {
      if (this.#live.isOpen) this.#ports.channel.lost("store");
      return error as Error;
    }
  }
}

import * as Y from "yjs";
import type { OutlineId } from "../core/node-key.ts";
import type { Outline } from "../core/outline.ts";
import { stateChunks } from "../core/state-chunks.ts";
import { inspectInSteps, type Inspection, type UpdateRefusal } from "../core/update-guard.ts";
import { encodePlan, encodePlanInParts, sizeOfPlan, type UpdatePlan } from "../core/update-plan.ts";
import type { Author } from "./author.ts";
import type { DocumentListener } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import type { LiveReplica } from "./live-replica.ts";
import type { ClientBinding, Seq } from "./outline-log.ts";
import { runInSlices, SLICE_MS } from "./slices.ts";

/** The origin of transactions with what came from outside. */
const RECEIVE_ORIGIN = Symbol("receive");

/** Replicas that lack more structs than that are brought up to date in chunks. */
const FEW_STRUCTS = 2_000;

/** Steps of judging an update that are taken at once: some 10 ms at most. */
const FEW_STEPS = 16;

/** A whole state that is larger is not kept in memory beside the document. */
const MAX_KEPT_BYTES = 512 * 1024;

/** What came of an update from outside. */
export type Receipt =
  /**
   * Resolves with the log's head when it is durable, and all that was visible when it came. Rejects
   * with UnavailableError when that can't be; then the listeners are told that all is lost.
   */
  | { readonly kind: "applied"; readonly durable: Promise<Seq> }
  /** It builds on what is not here: nothing was applied. */
  | { readonly kind: "missing" }
  /** Nothing was applied. `foreign_client`: it writes under an id that is not the author's to use. */
  | { readonly kind: "refused"; readonly reason: UpdateRefusal | "foreign_client" };

type Admission =
  /** What is to be applied, and who is bound by it. */
  | (UpdateToApply & { readonly kind: "admitted"; readonly bindings: readonly ClientBinding[] })
  | Exclude<Receipt, { kind: "applied" }>;

type UpdateToApply = Pick<Extract<Inspection, { kind: "ok" }>, "plan" | "whole">;

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
  #kept: FullState | undefined;

  constructor(live: LiveReplica, ports: DocumentPorts) {
    this.outline = live.outline;
    this.id = live.outline.id;
    this.epoch = live.epoch;
    this.#ports = ports;
    this.#live = live;
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
    const run = async (): Promise<T> => {
      const work = fn(this.outline);
      for (;;) {
        const step = this.#live.changeAtOnce(() => runSlice(work));
        void this.#live.commit(undefined);
        if (step.done === true) return step.value;
        await this.#ports.timers.yieldNow();
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
   * A small one is taken at once. A large one is judged and applied in slices, in which the document
   * is its alone: other updates, reads and writes wait. So what was judged is still true when it is
   * applied, and nobody sees a part of it; it goes to the log in one append.
   */
  receive(update: Uint8Array, author: Author): Receipt | Promise<Receipt> {
    const failure = this.#failureNow();
    if (failure !== undefined) return applied(Promise.reject(failure));
    if (!this.#live.isQuiet) {
      return this.#live
        .whenQuiet(async () => this.receive(update, author))
        .catch((error: unknown) => applied(Promise.reject(error)));
    }
    const judging = inspectInSteps(this.#live.doc, update, this.#ports.limits.update);
    const inspection = firstSteps(judging, FEW_STEPS);
    return inspection === undefined || this.#isLarge(inspection)
      ? this.#receiveInSlices(inspection ?? judging, author)
      : this.#receiveAtOnce(inspection, author);
  }

  /** Follows what becomes durable, also after this replica was let go. Returns what ends that. */
  subscribe(listener: DocumentListener): () => void {
    return this.#ports.channel.subscribe(listener);
  }

  /** What the replica has, durable or not: inside `read` all of it counts as durable. */
  stateVector(): Uint8Array {
    return Y.encodeStateVector(this.#live.doc);
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
    if (diff.countMissing(known) <= FEW_STRUCTS) return this.read(() => [diff.encode(known)]);
    return this.#live.whenQuiet(async () => {
      const chunks: Uint8Array[] = [];
      await runInSlices(stateChunks(doc, known), this.#ports.timers, (chunk) => {
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

  #isLarge(inspection: Inspection): boolean {
    const { maxStructsAtOnce } = this.#ports.limits;
    return inspection.kind === "ok" && sizeOfPlan(inspection.plan) > maxStructsAtOnce;
  }

  #receiveAtOnce(inspection: Inspection, author: Author): Receipt {
    const admission = this.#admit(inspection, author);
    if (admission.kind !== "admitted") return admission;
    const { plan, whole, bindings } = admission;
    // Told only when all that was visible when it came is durable.
    if (sizeOfPlan(plan) === 0) return applied(this.#live.queue.settled());
    this.#live.ids.bind(bindings);
    try {
      this.#live.change(() => this.#apply(whole ?? encodePlan(plan)));
    } catch (error) {
      return this.#refuseDefect(error);
    }
    return applied(this.#live.commit(author, bindings));
  }

  async #receiveInSlices(
    judged: Inspection | Generator<void, Inspection>,
    author: Author,
  ): Promise<Receipt> {
    const { timers } = this.#ports;
    try {
      const refusal = await this.#live.exclusively(async () => {
        const inspection = "kind" in judged ? judged : await runInSlices(judged, timers);
        const admission = this.#admit(inspection, author);
        if (admission.kind !== "admitted") return admission;
        const { plan, bindings } = admission;
        this.#live.ids.bind(bindings);
        await runInSlices(this.#applyInParts(plan, author, bindings), timers);
        return undefined;
      });
      return refusal ?? applied(Promise.resolve(this.head));
    } catch (error) {
      if (error instanceof Unappliable) return this.#refuseDefect(error);
      return applied(Promise.reject(error));
    }
  }

  /** The author's right to what is new in an update. */
  #admit(inspection: Inspection, author: Author): Admission {
    if (inspection.kind !== "ok") return inspection;
    const bindings = this.#live.ids.authorise(inspection.clients, author);
    if (bindings === undefined) return { kind: "refused", reason: "foreign_client" };
    const { plan, whole } = inspection;
    return { kind: "admitted", plan, whole, bindings };
  }

  *#applyInParts(
    plan: UpdatePlan,
    author: Author,
    bindings: readonly ClientBinding[],
  ): Generator<void, void> {
    let rest = bindings;
    for (const part of encodePlanInParts(plan, this.#ports.limits.maxStructsAtOnce)) {
      this.#live.changePart(() => this.#apply(part));
      void this.#live.commit(author, rest);
      rest = [];
      yield;
    }
    // What a part leaves to be repaired may be as it should be after the next.
    this.#live.change(() => undefined);
    void this.#live.commit(undefined);
  }

  #apply(update: Uint8Array): void {
    const { doc } = this.#live;
    try {
      Y.applyUpdate(doc, update, RECEIVE_ORIGIN);
    } catch (cause) {
      throw new Unappliable("an update that the guard let through can't be applied", { cause });
    }
    if (doc.store.pendingStructs !== null || doc.store.pendingDs !== null) {
      throw new Unappliable("an update that the guard let through is pending");
    }
  }

  /** The guard let through what Yjs can't apply. */
  #refuseDefect(error: unknown): Receipt {
    this.#ports.events.onDefect?.(error);
    this.#live.discard("error");
    return { kind: "refused", reason: "malformed" };
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

/** A defect of the guard. */
class Unappliable extends Error {
  override readonly name = "Unappliable";
}

function applied(durable: Promise<Seq>): Receipt {
  // Not everybody waits for it.
  durable.catch(() => undefined);
  return { kind: "applied", durable };
}

/** What some steps of a generator come to; undefined when it needs more. */
function firstSteps<T>(work: Generator<void, T>, count: number): T | undefined {
  for (let left = count; left > 0; left--) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
  return undefined;
}

/** Takes steps of a generator for some milliseconds. */
function runSlice<T>(work: Generator<void, T>): IteratorResult<void, T> {
  const end = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true || performance.now() >= end) return step;
  }
}

import type { Timers } from "../documents/timers.ts";
import { encodeInParts } from "../protocol/encode-message.ts";
import type { ServerMessage } from "../protocol/message.ts";
import type { Seq } from "../documents/outline-log.ts";
import type { Batch } from "./batch.ts";
import { type CatchUp, type CatchUpFrom, updatesBehind } from "./catch-up.ts";
import type { Dialect } from "./dialect.ts";
import type { DocumentPin } from "./document-pin.ts";
import type { MergedTail } from "./merged-tail.ts";
import type { SyncSocket } from "./sync-socket.ts";
import { type Frame, websocketFrame } from "./websocket-frame.ts";
import type { WholeStates } from "./whole-states.ts";

type DeliveryState =
  /** The client has not said what it has. */
  | { readonly kind: "waiting" }
  | CatchingUp
  /** Everything is sent as it becomes durable. */
  | { readonly kind: "live" }
  /** The client reads too slowly: it misses what becomes durable until its queue is empty. */
  | { readonly kind: "stale" }
  | { readonly kind: "ended" };

/** The client is sent what it lacks; what becomes durable meanwhile waits. */
interface CatchingUp {
  readonly kind: "catching_up";
  next: CatchUpRequest | undefined;
  held: Batch[];
  heldBytes: number;
}

export interface CatchUpRequest {
  readonly from: CatchUpFrom;
  /** Sent before the updates, when it is known what these are. */
  readonly preface?: (source: "seq" | "state") => ServerMessage;
}

export interface DeliveryOptions {
  readonly socket: SyncSocket;
  readonly dialect: Dialect;
  /** Whose own updates it is spared. */
  readonly session: object;
  readonly pin: DocumentPin;
  readonly states: WholeStates;
  readonly tail: MergedTail;
  readonly timers: Timers;
  /** Unsent bytes above which the client is too slow. */
  readonly queuedBytes: number;
  onFellBehind(): void;
  /** All that was durable has been sent. */
  onCaughtUp(last: CatchUp): void;
  onFailed(error: unknown): void;
}

/** Bytes of broadcasts that wait for the end of a catch-up; above, they are fetched again. */
const MAX_HELD_BYTES = 1024 * 1024;

/**
 * Brings one client up to date and keeps it so, in order and without gaps. Its memory is bounded:
 * what it did not read in time is forgotten and fetched from the document again.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  #state: DeliveryState = { kind: "waiting" };
  #epoch = "";
  #seq: Seq = 0;

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** All up to here has been sent, or is the client's own. */
  get seq(): Seq {
    return this.#seq;
  }

  get isLive(): boolean {
    return this.#state.kind === "live";
  }

  /** True while there is room for messages that may be left out. */
  get isListening(): boolean {
    return this.#state.kind === "live" || this.#state.kind === "catching_up";
  }

  send(message: ServerMessage): void {
    if (this.#state.kind !== "ended") {
      this.#options.socket.sendSoon(websocketFrame(encodeInParts(message)));
    }
  }

  /** Sends what the client lacks, then everything that becomes durable. */
  catchUp(request: CatchUpRequest): void {
    if (this.#state.kind === "ended") return;
    if (this.#state.kind === "catching_up") {
      this.#state.next = request;
      return;
    }
    const state: CatchingUp = { kind: "catching_up", next: request, held: [], heldBytes: 0 };
    this.#state = state;
    void this.#run(state);
  }

  /** Sends frames that nobody but a client that is up to date has use for. */
  sendIfLive(frames: readonly Frame[]): void {
    const { socket, queuedBytes } = this.#options;
    for (const frame of frames) {
      if (!this.isLive) return;
      if (socket.queuedBytes + frame.bytes > queuedBytes) return this.#fallBehind();
      socket.send(frame);
    }
  }

  /** Takes a broadcast: sent now, held back, or left for later. */
  deliver(batch: Batch): void {
    const state = this.#state;
    // Caught up meanwhile with more than has been broadcast.
    if (batch.head <= this.#seq) return;
    if (state.kind === "live") return this.#push(batch);
    if (state.kind !== "catching_up") return;
    state.held.push(batch);
    state.heldBytes += batch.bytes;
  }

  /** Nothing more is sent. */
  end(): void {
    this.#state = { kind: "ended" };
  }

  async #run(state: CatchingUp): Promise<void> {
    let last: CatchUp | undefined;
    try {
      for (let request = state.next; request !== undefined; request = state.next) {
        state.next = undefined;
        last = await this.#bring(state, request);
        if (this.#state !== state) return;
        if (state.heldBytes <= MAX_HELD_BYTES) continue;
        state.held = [];
        state.heldBytes = 0;
        state.next ??= { from: this.#here() };
      }
    } catch (error) {
      if (this.#state === state) this.#options.onFailed(error);
      return;
    }
    this.#state = { kind: "live" };
    for (const batch of state.held) {
      if (batch.head > this.#seq && this.isLive) this.#push(batch);
    }
    if (last !== undefined && this.isLive) this.#options.onCaughtUp(last);
  }

  async #bring(state: CatchingUp, { from, preface }: CatchUpRequest): Promise<CatchUp | undefined> {
    const { pin, states, tail } = this.#options;
    const behind = await pin.use(async (document) => {
      this.#epoch = document.epoch;
      return updatesBehind(document, from, tail);
    });
    if (this.#state !== state) return undefined;
    if (behind !== undefined) {
      if (from.kind === "seq") this.#seq = from.seq;
      if (preface !== undefined) this.send(preface("seq"));
      return this.#sendParts(state, behind);
    }
    const isWanted = (): boolean => this.#state === state;
    return states.pass(isWanted, async (whole) => {
      if (!isWanted()) return undefined;
      if (preface !== undefined) this.send(preface("state"));
      return this.#sendParts(state, whole);
    });
  }

  async #sendParts(state: CatchingUp, catchUp: CatchUp): Promise<CatchUp | undefined> {
    const { socket, dialect, timers } = this.#options;
    for (const part of catchUp.parts) {
      this.send(dialect.part(part));
      this.#seq = part.seq;
      await socket.drained();
      if (!part.isLast) await timers.yieldNow();
      if (this.#state !== state) return undefined;
    }
    this.#seq = catchUp.seq;
    return catchUp;
  }

  #push(batch: Batch): void {
    const { socket, dialect, session, queuedBytes } = this.#options;
    if (batch.loneAuthor === session) {
      this.#seq = batch.head;
      return;
    }
    const frame = dialect.frameOf(batch);
    if (socket.queuedBytes + frame.bytes > queuedBytes) return this.#fallBehind();
    socket.send(frame);
    this.#seq = batch.head;
  }

  #fallBehind(): void {
    const stale: DeliveryState = { kind: "stale" };
    this.#state = stale;
    this.#options.onFellBehind();
    void this.#comeBack(stale);
  }

  async #comeBack(stale: DeliveryState): Promise<void> {
    await this.#options.socket.drained();
    if (this.#state === stale) this.catchUp({ from: this.#here() });
  }

  #here(): CatchUpFrom {
    return { kind: "seq", epoch: this.#epoch, seq: this.#seq };
  }
}

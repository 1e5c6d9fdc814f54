import type { Timers } from "../documents/turns/timers.ts";
import { encodeInParts } from "../protocol/encode-message.ts";
import type { ServerMessage, StateSource } from "../protocol/message.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import type { Batch } from "./batch.ts";
import { type CatchUpFrom, lackingParts } from "./catch-up.ts";
import type { Dialect } from "./dialect.ts";
import type { DocumentPin } from "./document-pin.ts";
import type { DurableOutline } from "./durable-outline.ts";
import type { SyncSocket } from "./sync-socket.ts";
import { type Frame, websocketFrame } from "./websocket-frame.ts";

type DeliveryState =
  /** The client has not said what it has, or has been asked. */
  | { readonly kind: "waiting" }
  | CatchingUp
  /** Everything is sent as it becomes durable. */
  | { readonly kind: "live" }
  /** The client reads too slowly: it misses what becomes durable until its queue is empty. */
  | { readonly kind: "stale" }
  | { readonly kind: "ended" };

/** The client is sent what it lacks; what becomes durable meanwhile is fetched behind that. */
interface CatchingUp {
  readonly kind: "catching_up";
  /** What the client has asked for last: it takes the place of all before. */
  next: CatchUpRequest | undefined;
}

export interface CatchUpRequest {
  readonly from: CatchUpFrom;
  /** Sent before the updates, when it is known what these are. */
  readonly preface?: (source: StateSource) => ServerMessage;
}

export interface DeliveryOptions {
  readonly socket: SyncSocket;
  readonly dialect: Dialect;
  /** Whose own updates it is spared. */
  readonly session: object;
  readonly pin: DocumentPin;
  readonly durable: Pick<DurableOutline, "head" | "look" | "unopened">;
  readonly timers: Timers;
  /** Unsent bytes above which the client is too slow. */
  readonly queuedBytes: number;
  onFellBehind(): void;
  /** All that was durable has been sent. */
  onCaughtUp(): void;
  onFailed(error: unknown): void;
}

/**
 * Brings one client up to date and keeps it so, in order and without gaps. It holds nothing back for a
 * client: what that did not read in time is fetched from the document again.
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
    const state: CatchingUp = { kind: "catching_up", next: request };
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

  /** Takes a broadcast: sent now, or left for later. */
  deliver(batch: Batch): void {
    // Who has caught up with more than has been broadcast needs it no more.
    if (!this.isLive || batch.head <= this.#seq) return;
    // What came between was told to nobody: it is in the log.
    if (batch.after > this.#seq) this.#fallBehind();
    else this.#push(batch);
  }

  /** Something up to a number is not broadcast: it is fetched. */
  miss(head: Seq = Infinity): void {
    if (this.isLive && head > this.#seq) this.#fallBehind();
  }

  /** Nothing more is sent. */
  end(): void {
    this.#state = { kind: "ended" };
  }

  async #run(state: CatchingUp): Promise<void> {
    try {
      do {
        const source = await this.#bring(state, state.next ?? { from: this.#here() });
        if (this.#state !== state) return;
        if (source === "rest" && state.next === undefined) {
          this.#state = { kind: "waiting" };
          return;
        }
        // Looked at in one go: what becomes durable from now on is broadcast.
      } while (state.next !== undefined || this.#options.durable.head !== this.#seq);
    } catch (error) {
      if (this.#state === state) this.#options.onFailed(error);
      return;
    }
    this.#state = { kind: "live" };
    this.#options.onCaughtUp();
  }

  async #bring(
    state: CatchingUp,
    { from, preface }: CatchUpRequest,
  ): Promise<StateSource | undefined> {
    const { pin, durable, socket, dialect, timers } = this.#options;
    state.next = undefined;
    const isWanted = (): boolean => this.#state === state && state.next === undefined;
    let told: StateSource | undefined;
    const onSource = (source: StateSource, epoch: string): void => {
      told = source;
      this.#epoch = epoch;
      if (source === "seq" && from.kind === "seq") this.#seq = from.seq;
      if (preface !== undefined && isWanted()) this.send(preface(source));
    };
    try {
      for await (const part of lackingParts({ pin, durable, isWanted, onSource }, from)) {
        if (!isWanted()) return told;
        this.send(dialect.part(part));
        this.#seq = part.seq;
        await socket.drained();
        if (!part.isLast) await timers.yieldNow();
        // Before more is made that nobody reads.
        if (!isWanted()) return told;
      }
    } catch (error) {
      // What nobody waits for any more may be given up, and that is no failure of what comes next.
      if (isWanted()) throw error;
    }
    return told;
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

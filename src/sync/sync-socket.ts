import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import type { OutlineId } from "../core/node-key.ts";
import { Deferred } from "../documents/turns/deferred.ts";
import { PacedWriter } from "./paced-writer.ts";
import type { ReadingTurns } from "./reading-turns.ts";
import type { SharedReading } from "./shared-reading.ts";
import { type UnfinishedLimits, UnfinishedMessage } from "./unfinished-message.ts";
import type { Frame } from "./websocket-frame.ts";

export interface SyncSocketListener {
  /** A binary message; the bytes are a view that holds for the call only. */
  onMessage(message: Uint8Array): void;
  /** A text message, which the protocol does not have. */
  onText(): void;
  /** A message has begun that is longer than any may be. */
  onTooLong(): void;
  /** Bytes of a message that has begun, and of what the client has not read, may have changed. */
  onHeld(): void;
  /** Once, whoever closed it: with the code that it was closed with here, else one of the standard. */
  onClosed(code: number): void;
}

export interface SyncSocketOptions {
  readonly ws: WebSocket;
  /** The socket under it. */
  readonly raw: Duplex;
  /** When it is read if it sends much: in turn with others, and with those of its outline. */
  readonly turns: ReadingTurns;
  readonly shared: SharedReading;
  readonly outline: OutlineId;
  readonly limits: UnfinishedLimits;
}

/** From here on codes mean what a program likes. */
const FIRST_PRIVATE_CODE = 3000;
const NORMAL_CLOSURE = 1000;

/** The most a close frame has room for. */
const MAX_REASON_BYTES = 123;

/**
 * One accepted websocket. Frames are written to the raw socket by a writer of our own, which the `ws` object on
 * it allows as long as no extension is negotiated: it then writes whole frames at once too.
 */
export class SyncSocket {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  readonly #listener: SyncSocketListener;
  readonly #unfinished: UnfinishedMessage;
  readonly #writer: PacedWriter;
  #draining: Deferred<void> | undefined;
  /** The answer to the newest ping, which waits until there is room for it. */
  #pong: Buffer | undefined;
  #closedWith: number | undefined;
  #isAlive = true;
  #isCorked = false;
  /** Whether its owner wants nothing more for now. */
  #isHeld = false;
  /** Whether others are to be read first. */
  #isWaiting = false;
  /** Whether enough was read of this outline in this turn. */
  #isResting = false;

  constructor(options: SyncSocketOptions, listener: SyncSocketListener) {
    const { ws, raw, turns, shared, outline, limits } = options;
    this.#ws = ws;
    this.#raw = raw;
    this.#listener = listener;
    this.#unfinished = new UnfinishedMessage(limits);
    this.#writer = new PacedWriter({
      raw,
      elapsed: turns.elapsed,
      isOpen: () => this.#isOpen,
      onRoom: () => this.#onRoom(),
    });
    ws.on("message", (data, isBinary) => {
      this.#unfinished.endMessage();
      if (isBinary && data instanceof Uint8Array) listener.onMessage(data);
      else listener.onText();
    });
    ws.on("ping", (data) => {
      this.#unfinished.addControl(data.length);
      // A copy: the piece that it came in would stay as long as the answer.
      this.#pong = Buffer.from(data);
    });
    ws.on("pong", (data) => {
      this.#unfinished.addControl(data.length);
      this.#writer.ponged(data);
    });
    // Bad frames and broken connections: the library closes the socket, all that is left to do is to
    // hear of it.
    ws.on("error", () => undefined);
    ws.on("close", (code) => {
      shared.leave(this);
      this.#writer.end();
      this.#wake();
      // What a client made up would look like a code of ours, or be one of thousands to be counted.
      const theirs = code < FIRST_PRIVATE_CODE ? code : NORMAL_CLOSURE;
      listener.onClosed(this.#closedWith ?? theirs);
    });
    raw.on("drain", () => this.#writer.drained());
    // Around the library's own listener, which takes in all the messages that the bytes are.
    let startedAt = 0;
    raw.prependListener("data", () => {
      startedAt = turns.elapsed();
    });
    raw.on("data", ({ length }: Buffer) => {
      this.#isAlive = true;
      this.#onPiece(length);
      this.#answerPing();
      if (!turns.isMuch(length)) return;
      const workMs = turns.elapsed() - startedAt;
      this.#waitForTurn((resume) => turns.wait(outline, { bytes: length, workMs }, resume));
      shared.took(this, workMs);
    });
    shared.join(this);
  }

  /** Bytes that were sent and have not left the process. */
  get queuedBytes(): number {
    return this.#writer.queuedBytes;
  }

  /**
   * Grows when any of it leaves, or is known to have been read, and while a long message comes: what
   * the client says about its reading stands behind that.
   */
  get progress(): number {
    return this.#writer.progress + this.#unfinished.carriedBytes;
  }

  /** Memory that a message keeps that has begun and not ended. */
  get unfinishedBytes(): number {
    return this.#unfinished.heldBytes;
  }

  /** Whether what may be left out should be, until `drained`. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** To be asked now and then: whether a message takes too long to come. */
  isLate(now: number): boolean {
    return this.#unfinished.isLate(now, this.#ws.isPaused);
  }

  /** Sends a frame of `websocketFrame`; nothing when the socket is no longer open. */
  send(frame: Frame): void {
    if (!this.#isOpen) return;
    this.#writer.send(frame);
    if (this.isFull) this.#listener.onHeld();
  }

  /** The same at the end of the running job, in one write with what else is sent until then. */
  sendSoon(frame: Frame): void {
    if (!this.#isOpen) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#raw.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#raw.uncork();
      });
    }
    this.send(frame);
  }

  /** Resolves when nothing is queued to speak of, or when the socket has closed. */
  drained(): Promise<void> {
    if (!this.isFull || !this.#isOpen) return Promise.resolve();
    this.#draining ??= new Deferred();
    return this.#draining.promise;
  }

  /** Stops and restarts the reading: the sender is held back by TCP. */
  setPaused(isPaused: boolean): void {
    this.#isHeld = isPaused;
    this.#pauseOrResume();
  }

  /** The same until the next turn of the event loop. */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
    this.#pauseOrResume();
  }

  /** Pings. False when not a byte came since the beat before, although it would have been read. */
  beat(): boolean {
    if (!this.#isAlive && !this.#ws.isPaused) return false;
    this.#isAlive = false;
    if (this.#isOpen) this.#ws.ping();
    return true;
  }

  /** Starts the closing handshake, which ends by itself when the other side does not answer. */
  close(code: number, reason: string): void {
    this.setPaused(false);
    this.#writer.flush();
    if (this.#isOpen) this.#closedWith = code;
    this.#ws.close(code, shortened(reason));
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.#ws.terminate();
  }

  /** The same after a close frame, if the client can still be told, and with all that it had sent. */
  hangUp(code: number, reason: string): void {
    this.close(code, reason);
    this.terminate();
  }

  get #isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  #onPiece(bytes: number): void {
    const before = this.#unfinished.heldBytes;
    this.#unfinished.addPiece(bytes);
    if (this.#unfinished.isTooLong) this.#listener.onTooLong();
    if (this.#unfinished.heldBytes !== before) this.#listener.onHeld();
  }

  #onRoom(): void {
    this.#answerPing();
    this.#listener.onHeld();
    this.#wake();
  }

  /** Of pings that come at once, or faster than their answers are read, only the newest is answered. */
  #answerPing(): void {
    if (this.#pong === undefined || this.isFull || !this.#isOpen) return;
    this.#ws.pong(this.#pong);
    this.#pong = undefined;
  }

  #waitForTurn(wait: (resume: () => void) => void): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#pauseOrResume();
    wait(() => {
      this.#isWaiting = false;
      this.#pauseOrResume();
    });
  }

  #pauseOrResume(): void {
    const isPaused = this.#isHeld || this.#isWaiting || this.#isResting;
    if (isPaused === this.#ws.isPaused) return;
    if (isPaused) this.#ws.pause();
    else this.#ws.resume();
  }

  #wake(): void {
    this.#draining?.resolve();
    this.#draining = undefined;
  }
}

function shortened(reason: string): string {
  return Buffer.byteLength(reason) <= MAX_REASON_BYTES
    ? reason
    : Buffer.from(reason)
        .subarray(0, MAX_REASON_BYTES)
        .toString("utf8")
        .replace(/\uFFFD+$/, "");
}

import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

import type { Frame } from "./websocket-frame.ts";

export interface SyncSocketListener {
  /** A binary message; the bytes are a view that holds for the call only. */
  onMessage(message: Uint8Array): void;
  /** A text message, which the protocol does not have. */
  onText(): void;
  /** Once, whoever closed it: with the code that it was closed with here, else one of the standard. */
  onClosed(code: number): void;
}

/** When a socket that makes work is read: `ReadingTurns`, for sockets of one outline. */
export interface SocketTurns {
  elapsed(): number;
  isMuch(bytes: number, costMs: number): boolean;
  wait(costMs: number, resume: () => void): void;
}

/** From here on codes mean what a program likes. */
const FIRST_PRIVATE_CODE = 3000;
const NORMAL_CLOSURE = 1000;

/** The most a close frame has room for. */
const MAX_REASON_BYTES = 123;

/**
 * One accepted websocket. Frames are written to the raw socket as they are, which the `ws` object on
 * it allows as long as no extension is negotiated: it then writes whole frames at once too.
 */
export class SyncSocket {
  readonly #ws: WebSocket;
  readonly #raw: Duplex;
  #wakeDrained: (() => void) | undefined;
  #closedWith: number | undefined;
  #isAlive = true;
  #isCorked = false;
  /** Whether its owner wants nothing more for now. */
  #isHeld = false;
  /** Whether others are to be read first. */
  #isWaiting = false;

  constructor(ws: WebSocket, raw: Duplex, listener: SyncSocketListener, turns: SocketTurns) {
    this.#ws = ws;
    this.#raw = raw;
    ws.on("message", (data, isBinary) => {
      this.#isAlive = true;
      if (isBinary && data instanceof Uint8Array) listener.onMessage(data);
      else listener.onText();
    });
    ws.on("pong", () => {
      this.#isAlive = true;
    });
    // Bad frames and broken connections: the library closes the socket, all that is left to do is to
    // hear of it.
    ws.on("error", () => undefined);
    ws.on("close", (code) => {
      this.#wake();
      // What a client made up would look like a code of ours, or be one of thousands to be counted.
      const theirs = code < FIRST_PRIVATE_CODE ? code : NORMAL_CLOSURE;
      listener.onClosed(this.#closedWith ?? theirs);
    });
    raw.on("drain", () => this.#wake());
    // Around the library's own listener, which takes in all the messages that the bytes are.
    let startedAt = 0;
    raw.prependListener("data", () => {
      startedAt = turns.elapsed();
    });
    raw.on("data", ({ length }: Buffer) => {
      const costMs = turns.elapsed() - startedAt;
      if (turns.isMuch(length, costMs)) this.#waitForTurn(turns, costMs);
    });
  }

  /** Bytes that were sent and have not left the process. */
  get queuedBytes(): number {
    return this.#raw.writableLength;
  }

  /** Sends a frame of `websocketFrame`; nothing when the socket is no longer open. */
  send({ parts }: Frame): void {
    if (!this.#isOpen) return;
    if (parts.length > 1) this.#raw.cork();
    for (const part of parts) this.#raw.write(part);
    if (parts.length > 1) this.#raw.uncork();
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
    if (!this.#raw.writableNeedDrain || !this.#isOpen) return Promise.resolve();
    return new Promise((resolve) => {
      const wakeBefore = this.#wakeDrained;
      this.#wakeDrained = () => {
        wakeBefore?.();
        resolve();
      };
    });
  }

  /** Stops and restarts the reading: the sender is held back by TCP. */
  setPaused(isPaused: boolean): void {
    this.#isHeld = isPaused;
    this.#pauseOrResume();
  }

  /** Pings. False when nothing at all came since the beat before. */
  beat(): boolean {
    if (!this.#isAlive) return false;
    this.#isAlive = false;
    this.ping();
    return true;
  }

  /** Writes something, so that a connection whose other end is gone breaks. */
  ping(): void {
    if (this.#isOpen) this.#ws.ping();
  }

  /** Starts the closing handshake, which ends by itself when the other side does not answer. */
  close(code: number, reason: string): void {
    this.setPaused(false);
    if (this.#isOpen) this.#closedWith = code;
    this.#ws.close(code, shortened(reason));
  }

  /** Ends the connection at once. */
  terminate(): void {
    this.#ws.terminate();
  }

  get #isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN;
  }

  #waitForTurn(turns: SocketTurns, costMs: number): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#pauseOrResume();
    turns.wait(costMs, () => {
      this.#isWaiting = false;
      this.#pauseOrResume();
    });
  }

  #pauseOrResume(): void {
    const isPaused = this.#isHeld || this.#isWaiting;
    if (isPaused === this.#ws.isPaused) return;
    if (isPaused) this.#ws.pause();
    else this.#ws.resume();
  }

  #wake(): void {
    const wake = this.#wakeDrained;
    this.#wakeDrained = undefined;
    wake?.();
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

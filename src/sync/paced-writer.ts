import type { Duplex } from "node:stream";
import { type Frame, fragmentsOf, numberOfPong, pingFrame } from "./websocket-frame.ts";

/** Behind so many bytes the client is pinged: its pong says that it has read them. */
const MARK_BYTES = 16 * 1024;

/** What may be on its way unread: at first, at least and at most. */
const FIRST_WINDOW_BYTES = 4 * MARK_BYTES;
const MIN_WINDOW_BYTES = MARK_BYTES;
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;

/** What is read so fast makes room for more on the way, and what takes so long for less. */
const QUICK_MS = 1_000;
const SLOW_MS = 4_000;

export interface PacedWriterOptions {
  readonly raw: Duplex;
  /** Milliseconds of a clock that nobody sets. */
  elapsed(): number;
  /** Whether anything may still be written. */
  isOpen(): boolean;
  /** Nothing waits any more, after something did. */
  onRoom(): void;
}

/** A ping that was sent behind so many bytes. */
interface Mark {
  readonly end: number;
  readonly at: number;
}

/**
 * Writes frames to one socket no faster than the client reads them. That the system has taken bytes
 * says little: it takes megabytes for a line that needs minutes for them, and says nothing until a
 * third of them is gone. Then nobody can tell a slow client from a dead one, and a ping stands behind
 * all of it. So what is on its way unread is what the client reads in some seconds, by its pongs; all
 * else waits here.
 */
export class PacedWriter {
  readonly #options: PacedWriterOptions;
  /** As much as its owner lets wait here [Q53]. */
  readonly #waiting: Frame[] = [];
  /** What is left of the first one, when it has begun [Q53]. */
  #fragments: (readonly Uint8Array[])[] = [];
  #leftBytes = 0;
  #waitingBytes = 0;
  #writtenBytes = 0;
  #readBytes = 0;
  /** The newest ones, in their order, for at most the window [Q53]. */
  #marks: Mark[] = [];
  #markedBytes = 0;
  #window = FIRST_WINDOW_BYTES;

  constructor(options: PacedWriterOptions) {
    this.#options = options;
  }

  /** Bytes that have not left the process. */
  get queuedBytes(): number {
    return this.#waitingBytes + this.#options.raw.writableLength;
  }

  /** Grows with each byte that the system takes, and with each that the client is known to have read. */
  get progress(): number {
    return this.#writtenBytes - this.#options.raw.writableLength + this.#readBytes;
  }

  /** Whether what may be left out should be. */
  get isFull(): boolean {
    return this.#waiting.length > 0 || this.#options.raw.writableNeedDrain;
  }

  send(frame: Frame): void {
    this.#waiting.push(frame);
    this.#waitingBytes += frame.bytes;
    this.#write();
  }

  /** The system has taken what was written. */
  drained(): void {
    this.#write();
    if (!this.isFull) this.#options.onRoom();
  }

  /** A pong has come, to one of the pings here or to another. */
  ponged(payload: Buffer): void {
    const end = numberOfPong(payload);
    const mark = this.#marks.find((each) => each.end === end);
    if (mark === undefined) return;
    // Who has read this has read all before.
    this.#marks = this.#marks.filter((each) => each.end > mark.end);
    const tookMs = this.#options.elapsed() - mark.at;
    if (tookMs <= QUICK_MS) {
      const wider = this.#window + mark.end - this.#readBytes;
      this.#window = Math.min(MAX_WINDOW_BYTES, wider);
    } else if (tookMs > SLOW_MS) {
      this.#window = Math.max(MIN_WINDOW_BYTES, this.#window / 2);
    }
    this.#readBytes = mark.end;
    if (this.#waiting.length === 0) return;
    this.#write();
    if (!this.isFull) this.#options.onRoom();
  }

  /** Hands all that waits to the system, for nothing can be said after the end. */
  flush(): void {
    this.#write(Infinity);
  }

  /** The socket has closed. */
  end(): void {
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#fragments = [];
  }

  #write(window = this.#window): void {
    const { raw } = this.#options;
    if (!this.#options.isOpen()) return;
    for (let frame = this.#waiting[0]; frame !== undefined; frame = this.#waiting[0]) {
      const isUnread = this.#writtenBytes - this.#readBytes >= window;
      if (isUnread || (raw.writableNeedDrain && window !== Infinity)) return;
      if (this.#fragments.length === 0) {
        this.#fragments = fragmentsOf(frame);
        this.#leftBytes = frame.bytes;
      }
      this.#writeParts(this.#fragments.shift() ?? []);
      if (this.#fragments.length > 0) continue;
      this.#waiting.shift();
      this.#waitingBytes -= this.#leftBytes;
    }
  }

  #writeParts(parts: readonly Uint8Array[]): void {
    const { raw } = this.#options;
    if (parts.length > 1) raw.cork();
    for (const part of parts) {
      raw.write(part);
      this.#writtenBytes += part.length;
      // Headers of fragments are no bytes of the frame.
      const taken = Math.min(part.length, this.#leftBytes);
      this.#leftBytes -= taken;
      this.#waitingBytes -= taken;
    }
    if (this.#writtenBytes - this.#markedBytes >= MARK_BYTES) this.#mark();
    if (parts.length > 1) raw.uncork();
  }

  #mark(): void {
    const ping = pingFrame(this.#writtenBytes);
    this.#options.raw.write(ping);
    this.#marks.push({ end: this.#writtenBytes, at: this.#options.elapsed() });
    this.#markedBytes = this.#writtenBytes;
  }
}

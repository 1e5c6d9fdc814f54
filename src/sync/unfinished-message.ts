import type { SyncLimits } from "./sync-limits.ts";

/** Flags, length and mask of a control frame from a client. */
const CONTROL_HEADER_BYTES = 6;

/** What a piece of the stream takes beside its bytes while something refers to it. */
const PIECE_BYTES = 256;

/** Headers, and what came before the message in the same piece. */
const SLACK_BYTES = 128 * 1024;

/** On a line that is slower than this a message takes too long: as slow as readers may be. */
const BYTES_PER_MS = 2.5;

export type UnfinishedLimits = Pick<SyncLimits, "messageBytes" | "messageMs">;

/**
 * The message of one connection that has begun and not ended. It keeps every piece of the stream that
 * came since, however little of each is its own: a slice of a byte keeps all that was read with it.
 */
export class UnfinishedMessage {
  readonly #limits: UnfinishedLimits;
  /** Of no whole message and no control frame. */
  #bytes = 0;
  #streamBytes = 0;
  #pieces = 0;
  #since: number | undefined;
  /** In the piece that is being taken in. */
  #hasEnded = false;
  #controlBytes = 0;
  #carriedBytes = 0;

  constructor(limits: UnfinishedLimits) {
    this.#limits = limits;
  }

  /** Memory that it keeps. */
  get heldBytes(): number {
    return this.#streamBytes + this.#pieces * PIECE_BYTES;
  }

  /** Grows with each piece of a message that takes several. */
  get carriedBytes(): number {
    return this.#carriedBytes;
  }

  /** So much has come that no message can be that long. */
  get isTooLong(): boolean {
    return this.#streamBytes > 2 * this.#limits.messageBytes + SLACK_BYTES;
  }

  /** A whole message has come. */
  endMessage(): void {
    this.#hasEnded = true;
    this.#controlBytes = 0;
  }

  /** A control frame has come. */
  addControl(payloadBytes: number): void {
    this.#controlBytes += CONTROL_HEADER_BYTES + payloadBytes;
  }

  /** A piece of the stream has been taken in, with all that ended in it. */
  addPiece(bytes: number): void {
    // Of what stands behind a message in the same piece nobody knows; it keeps this one piece.
    this.#bytes = this.#hasEnded ? 0 : Math.max(0, this.#bytes + bytes - this.#controlBytes);
    if (this.#bytes === 0) {
      this.#streamBytes = 0;
      this.#pieces = 0;
      this.#since = undefined;
    } else {
      this.#streamBytes += bytes;
      this.#carriedBytes += bytes;
      this.#pieces++;
    }
    this.#hasEnded = false;
    this.#controlBytes = 0;
  }

  /**
   * To be asked now and then: whether it takes too long.
   * @param isHeldUp whether nothing is read for now, which is not the sender's fault
   */
  isLate(now: number, isHeldUp: boolean): boolean {
    if (this.#bytes === 0 || isHeldUp) {
      this.#since = undefined;
      return false;
    }
    // Of a clock that was set back nothing is waited for.
    this.#since = Math.min(this.#since ?? now, now);
    return now - this.#since > this.#limits.messageMs + this.#streamBytes / BYTES_PER_MS;
  }
}

import * as Y from "yjs";
import { mergedUpdate } from "../../src/core/yjs/merged-update.ts";
import { stateChunks } from "../../src/core/yjs/state-chunks.ts";
import type { ClientMessage, Refused } from "../../src/protocol/message.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";

/** A message that was sent and is not acknowledged. */
interface Sent {
  readonly number: number;
  readonly bytes: number;
  /** What the server has, once it has this message and all before it. */
  readonly covers: readonly OwnEdit[];
  readonly kind: "update" | "step2";
  /** Whether what waits builds on it. */
  readonly isOfSeveral: boolean;
}

/** A message that is still to be sent. */
interface Waiting extends Pick<Sent, "covers" | "kind"> {
  readonly update: Uint8Array;
}

/** A message that the server would not have. */
export interface RefusedPart {
  readonly kind: "update" | "step2";
  readonly edits: readonly OwnEdit[];
}

/** Edits that go into one message: few messages, and yet an answer now and then on a slow line. */
const PART = { edits: 256, bytes: 64 * 1024 };
/** A longer edit may have more structs, or months, than a server takes at once: it goes in several. */
const WHOLE_BYTES = 256 * 1024;
/**
 * One of several. The last struct may go beyond the bytes; each month of the calendar is a client of
 * its own, of which a server takes 200.
 */
const CHUNK = { bytes: 200_000, clients: 100 };
/**
 * One of many, after a refusal: a struct may take a server 10,000 steps to find its place among what
 * others wrote there, of which it takes 150,000 at once.
 */
const PIECE = { structs: 8 };
/** What may be on its way: more waits for acknowledgements. */
const WINDOW_BYTES = 512 * 1024;
/** Messages of several that may be: what follows a refused one is refused too. */
const WINDOW_PARTS = 256;
/** The most that a message is longer than its update. */
const MESSAGE_HEAD = 16;

/**
 * The updates of one connection: in parts that fit, numbered as the server counts them, each kept
 * until it is acknowledged.
 */
export class Sending {
  readonly #send: (message: ClientMessage) => number;
  readonly #maxUpdateBytes: number;
  readonly #wholeBytes: number;
  readonly #partBytes: number;
  readonly #isInPieces: boolean;
  readonly #known = new Set<string>();
  readonly #alone = new Set<string>();
  #sent: Sent[] = [];
  /** Of what goes in several, what waits for answers to those before [Q40]. */
  #waiting: Waiting[] = [];
  #count = 0;
  #inFlight = 0;
  #answers = 0;

  /**
   * @param maxMessageBytes of the welcome
   * @param isInPieces what goes in several goes in as many as it can: the server would not have it in fewer
   */
  constructor(
    maxMessageBytes: number,
    send: (message: ClientMessage) => number,
    isInPieces = false,
  ) {
    this.#send = send;
    this.#isInPieces = isInPieces;
    this.#maxUpdateBytes = maxMessageBytes - MESSAGE_HEAD;
    this.#wholeBytes = Math.min(WHOLE_BYTES, this.#maxUpdateBytes);
    this.#partBytes = Math.min(PART.bytes, this.#maxUpdateBytes / 2);
  }

  /** Whether the server has an answer to what it asked for, and all of it. */
  get hasAnswered(): boolean {
    return (
      this.#answers > 0 && [...this.#sent, ...this.#waiting].every(({ kind }) => kind !== "step2")
    );
  }

  /** How long the oldest message is that is not acknowledged; 0 when there is none. */
  get awaited(): number {
    return this.#sent[0]?.bytes ?? 0;
  }

  /**
   * Sends what was not sent, as far as the window allows; up to an edit that is too long to go in one
   * update, which has to go another way.
   */
  edits(outbox: readonly OwnEdit[]): "sent" | "too_long" {
    let part: OwnEdit[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (part.length > 0) this.#push("update", mergedUpdate(updatesOf(part)), part);
      part = [];
      bytes = 0;
    };
    for (const edit of outbox) {
      if (this.#known.has(edit.token)) continue;
      const length = edit.update.length;
      const isAlone = this.#alone.has(edit.token);
      const isFull = part.length === PART.edits || bytes + length > this.#partBytes;
      if (isAlone || isFull) flush();
      if (this.#inFlight >= WINDOW_BYTES) return "sent";
      if (length > this.#wholeBytes) {
        flush();
        return "too_long";
      }
      part.push(edit);
      bytes += length;
      if (isAlone) flush();
    }
    flush();
    return "sent";
  }

  /**
   * Sends updates that together bring the server everything that it lacks.
   * @param covers the edits that are in them
   */
  everything(
    kind: "update" | "step2",
    updates: readonly Uint8Array[],
    covers: readonly OwnEdit[],
  ): void {
    for (const { token } of covers) this.#known.add(token);
    updates.forEach((update, index) => {
      this.#waiting.push({ kind, update, covers: index === updates.length - 1 ? covers : [] });
    });
    this.#sendWaiting();
  }

  #sendWaiting(): void {
    let sent = 0;
    for (const { kind, update, covers } of this.#waiting) {
      if (this.#inFlight >= WINDOW_BYTES || this.#sent.length >= WINDOW_PARTS) break;
      this.#push(kind, update, covers, true);
      sent += 1;
    }
    this.#waiting.splice(0, sent);
  }

  /** What a document has beyond what is known, in updates that fit into messages. */
  updatesOf(doc: Y.Doc, known: ReadonlyMap<number, number>): readonly Uint8Array[] {
    const whole = Y.encodeStateAsUpdate(doc, Y.encodeStateVector(new Map(known)));
    const isOne = !this.#isInPieces && whole.length <= this.#maxUpdateBytes;
    return isOne ? [whole] : this.chunksOf(doc, known);
  }

  /** The same in updates none of which is long. */
  chunksOf(doc: Y.Doc, known: ReadonlyMap<number, number>): readonly Uint8Array[] {
    const bytes = Math.min(CHUNK.bytes, this.#maxUpdateBytes / 2);
    const limits = { ...CHUNK, bytes, ...(this.#isInPieces && PIECE) };
    return [...stateChunks(doc, known, limits)];
  }

  /** The first `count` messages are durable or were refused. Answers what the server has now. */
  acknowledged(count: number): readonly OwnEdit[] {
    const done = this.#sent.filter(({ number }) => number <= count);
    this.#sent = this.#sent.filter(({ number }) => number > count);
    for (const { bytes, kind } of done) {
      this.#inFlight -= bytes;
      if (kind === "step2") this.#answers += 1;
    }
    const settled = done.flatMap(({ covers }) => covers);
    // One that comes back out of a store that had not heard of it is sent again.
    for (const { token } of settled) this.#known.delete(token);
    this.#sendWaiting();
    return settled;
  }

  /**
   * The server would not have a message. Answers which; undefined when its edits are to be sent again
   * one by one, so that one of them does not keep the others back.
   */
  refused({ number, code }: Refused): RefusedPart | undefined {
    const sent = this.#sent.find((each) => each.number === number);
    if (sent === undefined) return undefined;
    this.#sent = this.#sent.filter((each) => each !== sent);
    this.#inFlight -= sent.bytes;
    if (sent.isOfSeveral && code !== "missing") this.#waiting = [];
    const isAboutIds = code === "conflict" || code === "foreign_client" || code === "missing";
    if (isAboutIds || sent.kind === "step2" || sent.covers.length <= 1) {
      return { kind: sent.kind, edits: sent.covers };
    }
    for (const { token } of sent.covers) {
      this.#known.delete(token);
      this.#alone.add(token);
    }
    return undefined;
  }

  #push(
    kind: "update" | "step2",
    update: Uint8Array,
    covers: readonly OwnEdit[],
    isOfSeveral = false,
  ): void {
    for (const { token } of covers) this.#known.add(token);
    const bytes = this.#send({ kind, update });
    this.#count += 1;
    this.#inFlight += bytes;
    this.#sent.push({ number: this.#count, bytes, covers, kind, isOfSeveral });
  }
}

import { encodeInParts } from "../protocol/encode-message.ts";
import type { DurableBatch } from "../documents/document-listener.ts";
import type { Seq } from "../documents/outline-log.ts";
import { mergedUpdate } from "./merged-update.ts";
import { type Frame, websocketFrame } from "./websocket-frame.ts";

/**
 * What became durable within one turn of the event loop: one update, whose frames are made once for
 * all receivers of a kind.
 */
export class Batch {
  /** Who has applied the batch, and had all before it, holds all up to here. */
  readonly head: Seq;
  /** The session that wrote all of it, and so needs none of it. */
  readonly loneAuthor: object | undefined;
  /** Of all updates; merged they are less. */
  readonly bytes: number;
  readonly #updates: readonly Uint8Array[];
  #merged: Uint8Array | undefined;
  #updateFrame: Frame | undefined;
  #sequencedFrame: Frame | undefined;

  constructor(parts: readonly [DurableBatch, ...DurableBatch[]]) {
    const [first, ...others] = new Set(
      parts.flatMap((part) => part.authors.map((author) => author?.session)),
    );
    this.head = parts.at(-1)?.head ?? parts[0].head;
    this.loneAuthor = others.length === 0 ? first : undefined;
    this.#updates = parts.flatMap((part) => part.updates);
    this.bytes = this.#updates.reduce((sum, { length }) => sum + length, 0);
  }

  /** The frame for stock clients. */
  get updateFrame(): Frame {
    return (this.#updateFrame ??= websocketFrame(
      encodeInParts({ kind: "update", update: this.#update }),
    ));
  }

  /** The frame for extended clients. */
  get sequencedFrame(): Frame {
    return (this.#sequencedFrame ??= websocketFrame(
      encodeInParts({ kind: "sequenced", seq: this.head, update: this.#update }),
    ));
  }

  /** Made when somebody but a lone author is there to read it. */
  get #update(): Uint8Array {
    return (this.#merged ??= mergedUpdate(this.#updates));
  }
}

import { encodeInParts } from "../protocol/encode-message.ts";
import type { Author } from "../documents/replica/author.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import { joinedUpdates } from "../core/updates/joined-updates.ts";
import { type Frame, websocketFrame } from "./websocket-frame.ts";

/**
 * Durable updates that are broadcast together, in a turn of the event loop: one update, whose frames
 * are made once for all receivers of a kind.
 */
export class Batch {
  /** Who has applied the batch, and had all before it, holds all up to here. */
  readonly head: Seq;
  /** The number of the last update before the first one of the batch. */
  readonly after: Seq;
  /** The session that wrote all of it, and so needs none of it. */
  readonly loneAuthor: object | undefined;
  readonly #updates: readonly Uint8Array[];
  #merged: Uint8Array | undefined;
  #updateFrame: Frame | undefined;
  #sequencedFrame: Frame | undefined;

  /** @param authors of the updates, which are not empty; `head` is the number of the last one */
  constructor(updates: readonly Uint8Array[], authors: readonly (Author | undefined)[], head: Seq) {
    const first = authors[0]?.session;
    this.head = head;
    this.after = head - updates.length;
    this.loneAuthor = authors.every((author) => author?.session === first) ? first : undefined;
    this.#updates = updates;
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
    return (this.#merged ??= joinedUpdates(this.#updates));
  }
}

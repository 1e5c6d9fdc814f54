import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";

/** What is written to a connection at a time: the system takes some tenths of a millisecond for it. */
export const PART_BYTES = 128 * 1024;

/** Does a part of the work in one of the turns of who asked. */
export type TakeTurn = (work: () => void) => Promise<void>;

/**
 * A long body that is in memory. The system copies what is written to a connection while the thread
 * waits, 2 ms for a megabyte: so each part of it is written in a turn of who asked.
 */
export class PacedAnswer extends Readable {
  readonly #bytes: Buffer;
  readonly #response: ServerResponse;
  readonly #takeTurn: TakeTurn;
  #sent = 0;

  constructor(bytes: Buffer, response: ServerResponse, takeTurn: TakeTurn) {
    super({ highWaterMark: PART_BYTES });
    this.#bytes = bytes;
    this.#response = response;
    this.#takeTurn = takeTurn;
  }

  override _read(): void {
    void this.#takeTurn(() => this.#send());
  }

  #send(): void {
    if (this.destroyed) return;
    const part = this.#bytes.subarray(this.#sent, this.#sent + PART_BYTES);
    this.#sent += part.length;
    this.push(part);
    if (this.#sent === this.#bytes.length) this.push(null);
    // Otherwise the response writes it when the turn is over.
    this.#response.socket?.uncork();
  }
}

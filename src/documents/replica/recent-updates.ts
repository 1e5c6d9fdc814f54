import { UPDATE_BYTES } from "../log/byte-length.ts";
import type { Seq } from "../log/outline-log.ts";

const MAX_BYTES = 2 ** 20;
const MAX_UPDATES = 4_096;

/** The last durable updates of an outline, for devices that were away for a moment. */
export class RecentUpdates {
  /** [Q55] */
  #updates: Uint8Array[] = [];
  #bytes = 0;
  #head: Seq;

  constructor(head: Seq) {
    this.#head = head;
  }

  /** Memory that it takes, estimated. O(1). */
  get bytes(): number {
    return this.#bytes + this.#updates.length * UPDATE_BYTES;
  }

  /** All that are kept, up to the head. */
  get updates(): readonly Uint8Array[] {
    return this.#updates;
  }

  /** Adds updates, of which the last one has the number `head`. */
  add(updates: readonly Uint8Array[], head: Seq): void {
    // Others wrote in between: what is kept must be without gaps.
    if (head !== this.#head + updates.length) {
      this.#updates = [];
      this.#bytes = 0;
    }
    this.#head = head;
    for (const update of updates) {
      this.#updates.push(update);
      this.#bytes += update.byteLength;
    }
    // Trimmed rarely and by much, since that moves all that stay.
    if (this.#bytes > 2 * MAX_BYTES || this.#updates.length > 2 * MAX_UPDATES) this.#trim();
  }

  /** The updates behind `seq` up to the head; undefined when not all of them are kept. */
  since(seq: Seq): readonly Uint8Array[] | undefined {
    const count = this.#head - seq;
    if (count < 0 || count > this.#updates.length) return undefined;
    return count === 0 ? [] : this.#updates.slice(-count);
  }

  #trim(): void {
    let start = this.#updates.length;
    let bytes = 0;
    while (start > 0 && this.#updates.length - start < MAX_UPDATES) {
      const size = this.#updates[start - 1]?.byteLength ?? 0;
      if (bytes + size > MAX_BYTES) break;
      bytes += size;
      start--;
    }
    this.#updates = this.#updates.slice(start);
    this.#bytes = bytes;
  }
}

import type { Author } from "../documents/replica/author.ts";
import type { DurableBatch } from "../documents/replica/document-listener.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import { Batch } from "./batch.ts";
import type { DroppableMemory } from "./droppable-memory.ts";
import { countOfRun } from "../core/yjs/merged-update.ts";

/** More is not kept for all who follow: each fetches it as it reads. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * What became durable and has not been broadcast: a few small updates in most turns of the event
 * loop, which go out together, or thousands, of which each turn takes some.
 */
export class Broadcasts {
  readonly #memory: DroppableMemory;
  readonly #onDropped: () => void;
  /** [Q55] */
  #updates: Uint8Array[] = [];
  /** One for each update [Q55]. */
  #authors: (Author | undefined)[] = [];
  #bytes = 0;
  #head: Seq = 0;

  /** @param onDropped all that waited is too much: whoever follows has to fetch it from the log */
  constructor(memory: DroppableMemory, onDropped: () => void) {
    this.#memory = memory;
    this.#onDropped = onDropped;
  }

  get isEmpty(): boolean {
    return this.#updates.length === 0;
  }

  add({ updates, authors, head }: DurableBatch): void {
    // What came in between was told to nobody, and numbers of a broadcast have no gaps.
    if (!this.isEmpty && head - updates.length !== this.#head) this.#drop();
    for (const update of updates) {
      this.#updates.push(update);
      this.#bytes += update.byteLength;
    }
    for (const author of authors) this.#authors.push(author);
    this.#head = head;
    if (this.#bytes > MAX_BYTES) return this.#drop();
    this.#memory.set(this.#bytes, () => this.#drop());
  }

  /** What goes out in this turn. */
  take(): Batch | undefined {
    if (this.isEmpty) return undefined;
    const count = countOfRun(this.#updates);
    const updates = this.#updates.splice(0, count);
    const authors = this.#authors.splice(0, count);
    for (const { byteLength } of updates) this.#bytes -= byteLength;
    this.#memory.set(this.#bytes, () => this.#drop());
    return new Batch(updates, authors, this.#head - this.#updates.length);
  }

  clear(): void {
    this.#updates = [];
    this.#authors = [];
    this.#bytes = 0;
    this.#memory.end();
  }

  #drop(): void {
    this.clear();
    this.#onDropped();
  }
}

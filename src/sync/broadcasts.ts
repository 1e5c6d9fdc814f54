import type { Author } from "../documents/author.ts";
import type { DurableBatch } from "../documents/document-listener.ts";
import type { Seq } from "../documents/outline-log.ts";
import { Batch } from "./batch.ts";
import { countOfRun } from "./merged-update.ts";

/**
 * What became durable and has not been broadcast: a few small updates in most turns of the event
 * loop, which go out together, or thousands, of which each turn takes some.
 */
export class Broadcasts {
  #updates: Uint8Array[] = [];
  #authors: (Author | undefined)[] = [];
  #head: Seq = 0;

  get isEmpty(): boolean {
    return this.#updates.length === 0;
  }

  add({ updates, authors, head }: DurableBatch): void {
    for (const update of updates) this.#updates.push(update);
    for (const author of authors) this.#authors.push(author);
    this.#head = head;
  }

  /** What goes out in this turn. */
  take(): Batch | undefined {
    if (this.isEmpty) return undefined;
    const count = countOfRun(this.#updates);
    const updates = this.#updates.splice(0, count);
    const authors = this.#authors.splice(0, count);
    return new Batch(updates, authors, this.#head - this.#updates.length);
  }

  clear(): void {
    this.#updates = [];
    this.#authors = [];
  }
}

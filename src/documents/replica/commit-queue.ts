import type { Author } from "./author.ts";
import { Deferred } from "../turns/deferred.ts";
import type {
  Append,
  ChangeRecord,
  ClientBinding,
  Receipt,
  ReceiptPlace,
  Seq,
} from "../log/outline-log.ts";
import { UnavailableError } from "../log/unavailable-error.ts";

/** What is appended together. */
interface Batch {
  /** Of updates and requests that wait to be answered, each of which is counted [Q53]. */
  readonly updates: Uint8Array[];
  readonly authors: (Author | undefined)[];
  /** [Q58] */
  readonly bindings: ClientBinding[];
  /** The same, and [Q77]. */
  readonly receipts: { readonly added: Receipt[]; readonly removed: ReceiptPlace[] };
  /** The same, and [Q78]. */
  readonly changes: { readonly added: ChangeRecord[]; readonly removed: number[] };
  readonly addedAt: number;
  /** Resolves with the log's head when the batch is durable. */
  readonly durable: Deferred<Seq>;
}

/** What becomes durable with updates. */
interface Beside {
  readonly receipts?: Append["receipts"] | undefined;
  readonly changes?: Append["changes"] | undefined;
}

export interface Commit {
  readonly updates: readonly Uint8Array[];
  readonly authors: readonly (Author | undefined)[];
  readonly receipts: readonly Receipt[];
  readonly head: Seq;
  /** Since the first of them was added. */
  readonly latencyMs: number;
}

export interface CommitQueueOptions {
  readonly head: Seq;
  readonly now: () => number;
  readonly append: (append: Append) => Promise<Seq>;
  readonly onCommit: (commit: Commit) => void;
  /** An append failed, or the log grew by something else: the replica is of no use any more. */
  readonly onFailure: (error: Error) => void;
}

/**
 * Makes the updates of one replica durable, in their order. One append is under way at a time; all
 * that is added meanwhile goes into the next. An append that fails ends the queue: nothing behind
 * it may reach the log, since it would be built on what is missing there.
 */
export class CommitQueue {
  readonly #options: CommitQueueOptions;
  #head: Seq;
  #lastSeq: Seq;
  /** The first one is under way while `#isFlushing` [Q53]. */
  #sealed: Batch[] = [];
  /** Takes what is added. */
  #open: Batch | undefined;
  #holds = 0;
  #isFlushing = false;
  #hasEnded = false;
  /** What everybody gets once it has ended. */
  readonly #refusal = new Deferred<never>();

  constructor(options: CommitQueueOptions) {
    this.#options = options;
    this.#head = options.head;
    this.#lastSeq = options.head;
  }

  /** The number of the last durable update. */
  get head(): Seq {
    return this.#head;
  }

  /** The number that the last update added has, or will have. */
  get lastSeq(): Seq {
    return this.#lastSeq;
  }

  get isSettled(): boolean {
    return this.#open === undefined && this.#sealed.length === 0;
  }

  /** Resolves when all that was added so far is durable; rejects when that can't be. */
  settled(): Promise<Seq> {
    const last = this.#open ?? this.#sealed.at(-1);
    if (last !== undefined) return last.durable.promise;
    return this.#hasEnded ? this.#refusal.promise : Promise.resolve(this.#head);
  }

  /**
   * Adds updates that are appended together, one behind the other: an author's first, then what the
   * server made of it. Resolves with the log's head when they are durable.
   */
  add(
    updates: readonly Uint8Array[],
    author: Author | undefined,
    bindings: readonly ClientBinding[],
    { receipts, changes }: Beside = {},
  ): Promise<Seq> {
    if (this.#hasEnded) return this.#refusal.promise;
    const batch = (this.#open ??= {
      updates: [],
      authors: [],
      bindings: [],
      receipts: { added: [], removed: [] },
      changes: { added: [], removed: [] },
      addedAt: this.#options.now(),
      durable: new Deferred(),
    });
    for (const [index, update] of updates.entries()) {
      batch.updates.push(update);
      batch.authors.push(index === 0 ? author : undefined);
    }
    batch.bindings.push(...bindings);
    if (receipts !== undefined) {
      batch.receipts.added.push(...receipts.added);
      batch.receipts.removed.push(...receipts.removed);
    }
    if (changes !== undefined) {
      batch.changes.added.push(...changes.added);
      batch.changes.removed.push(...changes.removed);
    }
    this.#lastSeq += updates.length;
    this.#flushSoon();
    return batch.durable.promise;
  }

  /** Keeps all that is added from now on, and by who holds it already, for one append: until `release`. */
  hold(): void {
    if (this.#holds === 0) this.#seal();
    this.#holds++;
  }

  /** Ends one hold. */
  release(): void {
    this.#holds--;
    this.#flushSoon();
  }

  /** Takes nothing more, and gives up what is held; the rest is appended. */
  end(error: Error): void {
    if (this.#hasEnded) return;
    if (this.#holds === 0) this.#seal();
    this.#hasEnded = true;
    this.#refusal.reject(error);
    this.#open?.durable.reject(error);
    this.#open = undefined;
  }

  /** Gives up all that is not durable: whoever waits for it gets the error. */
  abort(error: Error): void {
    this.end(error);
    for (const { durable } of this.#sealed) durable.reject(error);
    this.#sealed = [];
  }

  #seal(): void {
    if (this.#open !== undefined) this.#sealed.push(this.#open);
    this.#open = undefined;
  }

  /** At the end of the running job, so that what one turn adds shares an append. */
  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    for (;;) {
      if (this.#sealed.length === 0 && this.#holds === 0) this.#seal();
      const [batch] = this.#sealed;
      if (batch === undefined) break;
      const { updates, bindings, receipts, changes } = batch;
      try {
        const head = await this.#options.append({ updates, bindings, receipts, changes });
        this.#commit(batch, head);
      } catch (error) {
        if (this.#sealed[0] === batch) this.#fail(error as Error);
      }
    }
    this.#isFlushing = false;
  }

  #commit(batch: Batch, head: Seq): void {
    // Given up meanwhile: the next replica finds out what is in the log.
    if (this.#sealed[0] !== batch) return;
    const { updates, authors, receipts, addedAt, durable } = batch;
    const isAlone = head === this.#head + updates.length;
    this.#head = head;
    this.#sealed.shift();
    durable.resolve(head);
    const latencyMs = this.#options.now() - addedAt;
    this.#options.onCommit({ updates, authors, receipts: receipts.added, head, latencyMs });
    if (!isAlone) this.#fail(new UnavailableError("the log has grown by what is not known here"));
  }

  #fail(error: Error): void {
    this.abort(error);
    this.#options.onFailure(error);
  }
}

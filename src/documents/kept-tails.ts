import { LRUCache } from "lru-cache";
import type { OutlineId } from "../core/node-key.ts";
import type { Author } from "./replica/author.ts";
import { memoryOf, UPDATE_BYTES } from "./log/byte-length.ts";
import type { DocumentEvents } from "./document-events.ts";
import { type KeptReceipt, memoryOfReceipts } from "./replica/kept-receipts.ts";
import { joinedTail, type KeptTail } from "./replica/kept-tail.ts";
import type { OutlineDocument } from "./replica/outline-document.ts";
import type { Seq } from "./log/outline-log.ts";
import type { StoredReads } from "./log/stored-reads.ts";
import type { Timers } from "./turns/timers.ts";

const MAX_BYTES = 32 * 2 ** 20;
/** After which a process knows that another history has begun, if one has. */
const NEWS_MS = 60_000;
/** How often, and how long, it is tried to hand in what a new history lacks. */
const TRY_AGAIN_MS = 2_000;
const MOST_TRIES = 150;
/** Nobody's key: what is handed in was let in before. */
const KEY_ID = "an earlier history";

export interface KeptTailsOptions {
  readonly reads: StoredReads;
  readonly events: DocumentEvents;
  readonly timers: Pick<Timers, "setTimeout" | "clearTimeout">;
}

/**
 * What replicas had that were lost with the store, until it is known whether the store has it still. A
 * database that was failed over to a standby, or a disk, may have lost what it has confirmed: then a
 * new epoch begins, and what the log lacks is handed in, as a device hands it in. What a device wrote
 * comes back with the device, too; what came over the API comes back by this alone.
 */
export class KeptTails {
  readonly #reads: StoredReads;
  readonly #events: DocumentEvents;
  readonly #timers: KeptTailsOptions["timers"];
  #alarm: unknown;
  #isBringingBack = false;
  #isClosed = false;
  /** Of which the log has all, as long as its history goes on. [Q93] */
  readonly #safe = new Set<OutlineId>();
  /** [Q93] */
  readonly #tails = new LRUCache<OutlineId, KeptTail>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ updates, receipts }) =>
      memoryOf(updates) + memoryOfReceipts(receipts) + UPDATE_BYTES,
    dispose: (_, outline) => this.#safe.delete(outline),
    // Else what nobody asks for any more would stay.
    ttlAutopurge: true,
  });

  constructor({ reads, events, timers }: KeptTailsOptions) {
    this.#reads = reads;
    this.#events = events;
    this.#timers = timers;
  }

  get outlines(): readonly OutlineId[] {
    return [...this.#tails.keys()];
  }

  has(outline: OutlineId): boolean {
    return this.#tails.has(outline);
  }

  /** Those of which something may be lacking, as far as was looked. */
  get #doubtful(): readonly OutlineId[] {
    return this.outlines.filter((id) => !this.#safe.has(id));
  }

  /** Nothing is brought back any more. */
  close(): void {
    this.#isClosed = true;
    this.#timers.clearTimeout(this.#alarm);
  }

  /**
   * Sees to it that what another history lacks is handed in, again and again for as long as that is
   * too early for other processes.
   * @param load loads an outline here
   */
  async bringBack(load: (id: OutlineId) => Promise<void>): Promise<void> {
    this.#safe.clear();
    if (this.#isBringingBack) return;
    this.#isBringingBack = true;
    for (let tries = 0; tries < MOST_TRIES && !this.#isClosed; tries++) {
      for (const id of this.#doubtful) {
        try {
          if (await this.isLacking(id)) await load(id);
        } catch {
          // It is kept, and whoever loads it here hands it in.
        }
      }
      if (this.#doubtful.length === 0) break;
      await new Promise<void>((resolve) => {
        this.#alarm = this.#timers.setTimeout(resolve, TRY_AGAIN_MS);
      });
    }
    this.#isBringingBack = false;
  }

  /**
   * One of an epoch before that is not handed in yet stays as it is.
   * @param hasOwner whether another process seems to have the outline: then it is kept for a minute only
   */
  keep(outline: OutlineId, tail: KeptTail, hasOwner: boolean): void {
    if (tail.updates.length === 0) return;
    const kept = this.#tails.peek(outline);
    if (kept !== undefined && kept.epoch !== tail.epoch) return;
    const all = kept === undefined ? tail : joinedTail(kept, tail);
    this.#tails.set(outline, all, { ttl: hasOwner ? NEWS_MS : 0 });
  }

  /** What is there now is what is wanted: a backup was put back. */
  clear(): void {
    this.#tails.clear();
  }

  /**
   * Whether the log lacks something of it, or nobody can tell. What another history has is forgotten: a
   * log that has the last of the updates under its number has all before it, too.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async isLacking(outline: OutlineId): Promise<boolean> {
    const tail = this.#tails.peek(outline);
    if (tail === undefined) return false;
    const { epoch, head } = await this.#reads.of(outline).extent();
    // A history that is over is read by its name until another one has been begun.
    if (epoch === tail.epoch) return this.#isBehind(outline, tail, head);
    const range = { epoch, after: tail.head - 1, maxBytes: 1 };
    const last = await this.#reads.of(outline).tail(range);
    const isThere = isSame(last?.updates[0], tail.updates.at(-1));
    if (isThere) this.#tails.delete(outline);
    return !isThere;
  }

  /** Of the same history. What is not behind has all, and is kept: that history may end any moment. */
  #isBehind(outline: OutlineId, tail: KeptTail, head: Seq): boolean {
    if (head < tail.head) return true;
    if (this.#safe.has(outline)) return false;
    this.#tails.set(outline, tail, { ttl: NEWS_MS });
    this.#safe.add(outline);
    return false;
  }

  /** Hands in what a document lacks that was loaded anew, before anybody else has it. Never rejects. */
  async handIn(document: OutlineDocument): Promise<void> {
    const { id, epoch } = document;
    const tail = this.#tails.peek(id);
    if (tail === undefined) return;
    if (tail.epoch === epoch) return void this.#isBehind(id, tail, document.head);
    const before = document.head;
    const author: Author = { keyId: KEY_ID, session: {} };
    const judged = await Promise.all(
      tail.updates.map((update) => document.receive(update, author)),
    );
    try {
      let refused = 0;
      for (const each of judged) {
        if (each.kind === "applied") await each.durable;
        else refused += 1;
      }
      // What a request was to do may be in what was refused: then it is to be done again.
      if (refused === 0) await keepAgain(document, tail.receipts);
      this.#tails.delete(id);
      const updates = document.head - before;
      if (updates + refused > 0) this.#events.onHandedIn?.(id, { updates, refused });
    } catch {
      // The replica is lost: the next one gets it.
    }
  }
}

/** Notes what requests were answered whose changes have been handed in. */
async function keepAgain(
  document: OutlineDocument,
  receipts: readonly KeptReceipt[],
): Promise<void> {
  const lacking: KeptReceipt[] = [];
  for (const receipt of receipts) {
    if ((await document.receipt(receipt.id)) === undefined) lacking.push(receipt);
  }
  if (lacking.length === 0) return;
  await document.write((_, keeper) => {
    for (const { id, answer } of lacking) keeper.keep(id, answer);
  });
}

function isSame(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

import type { Payer } from "./payer.ts";

export interface MemoryLimits {
  /** What one payer may hold at most. */
  readonly bytesPerPayer: number;
  /** What all may hold together. */
  readonly bytesInAll: number;
}

/** Something that holds memory for a payer, from `open` to `end`. */
export interface Charge {
  /** What it holds now. Its holder may have to give it up at once, or others theirs. */
  set(bytes: number): void;
  /** It holds nothing any more. May be called more than once. */
  end(): void;
}

interface Entry {
  readonly payer: Payer;
  readonly giveUp: () => void;
  bytes: number;
}

/**
 * Counts the memory that is held for people outside: bodies, unfinished messages, broadcasts and
 * answers that wait to be read. Each byte is charged to the payer for whom it is held. Where a payer
 * has too much, that payer gives up its largest charge, and the oldest of equal ones; where all
 * together have too much, so does the payer with the most. Whoever holds little loses nothing.
 */
export class MemoryLedger {
  readonly #limits: MemoryLimits;
  /** In the order in which they were opened. [Q1] */
  readonly #byPayer = new Map<Payer, Set<Entry>>();
  /** [Q1] */
  readonly #bytesOf = new Map<Payer, number>();
  #bytes = 0;
  #givenUp = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  /** What is held in all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many charges had to be given up so far. */
  get givenUp(): number {
    return this.#givenUp;
  }

  bytesOf(payer: Payer): number {
    return this.#bytesOf.get(payer) ?? 0;
  }

  /** Whether a payer could hold so much more without anybody having to give something up. */
  hasRoomFor(payer: Payer, bytes: number): boolean {
    const { bytesPerPayer, bytesInAll } = this.#limits;
    return this.bytesOf(payer) + bytes <= bytesPerPayer && this.#bytes + bytes <= bytesInAll;
  }

  /**
   * Begins to count, at 0 bytes.
   * @param giveUp frees the memory, which counts no more when it is called; at most once, and possibly
   *   within `set`
   */
  open(payer: Payer, giveUp: () => void): Charge {
    const entry: Entry = { payer, giveUp, bytes: 0 };
    const entries = this.#byPayer.get(payer);
    if (entries === undefined) this.#byPayer.set(payer, new Set([entry]));
    else entries.add(entry);
    return {
      set: (bytes) => this.#set(entry, bytes),
      end: () => this.#end(entry),
    };
  }

  #set(entry: Entry, bytes: number): void {
    const { payer } = entry;
    if (this.#byPayer.get(payer)?.has(entry) !== true) return;
    const more = bytes - entry.bytes;
    entry.bytes = bytes;
    this.#count(payer, more);
    if (more > 0) this.#enforce(payer);
  }

  #enforce(payer: Payer): void {
    const { bytesPerPayer, bytesInAll } = this.#limits;
    while (this.bytesOf(payer) > bytesPerPayer) this.#giveUpLargestOf(payer);
    while (this.#bytes > bytesInAll) this.#giveUpLargestOf(this.#greatestPayer());
  }

  #giveUpLargestOf(payer: Payer): void {
    let largest: Entry | undefined;
    for (const entry of this.#byPayer.get(payer) ?? []) {
      if (largest === undefined || entry.bytes > largest.bytes) largest = entry;
    }
    if (largest === undefined) throw new Error("bytes are counted that nobody holds");
    this.#end(largest);
    this.#givenUp++;
    largest.giveUp();
  }

  #greatestPayer(): Payer {
    let greatest: Payer | undefined;
    let most = 0;
    for (const [payer, bytes] of this.#bytesOf) {
      if (bytes <= most) continue;
      most = bytes;
      greatest = payer;
    }
    if (greatest === undefined) throw new Error("bytes are counted that nobody pays for");
    return greatest;
  }

  #end(entry: Entry): void {
    const { payer } = entry;
    const entries = this.#byPayer.get(payer);
    if (entries?.delete(entry) !== true) return;
    if (entries.size === 0) this.#byPayer.delete(payer);
    this.#count(payer, -entry.bytes);
    entry.bytes = 0;
  }

  #count(payer: Payer, bytes: number): void {
    this.#bytes += bytes;
    const left = this.bytesOf(payer) + bytes;
    if (left === 0) this.#bytesOf.delete(payer);
    else this.#bytesOf.set(payer, left);
  }
}

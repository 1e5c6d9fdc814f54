import type { OutlineId, Random } from "../core/node-key.ts";
import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { DocumentPorts } from "./replica/document-ports.ts";
import { FairGate } from "./turns/fair-gate.ts";
import { LiveReplica } from "./replica/live-replica.ts";
import { loadReplica } from "./replica/load-replica.ts";
import { type MemoryBudget, type MemoryShare, noMemory } from "./memory/memory-budget.ts";
import { MemoryNeeds } from "./memory/memory-need.ts";
import { OutlineDocument } from "./replica/outline-document.ts";
import type { StoredExtent } from "./log/outline-log.ts";
import type { StoreHealth } from "./log/store-health.ts";
import type { StoredReads } from "./log/stored-reads.ts";
import { NotWantedError, OutlineTooLargeError } from "./log/unavailable-error.ts";

/** A log that takes long to apply, however small it is. */
const MANY_UPDATES = 4_000;
/** So much of a log that was taken for a small one shows that it is none. */
const MAX_SMALL_STORED_BYTES = 4 * 2 ** 20;

/** An outline in memory. */
export interface Loaded {
  readonly live: LiveReplica;
  readonly document: OutlineDocument;
}

/** An outline that is to be loaded. */
interface Loading {
  readonly id: OutlineId;
  readonly extent: StoredExtent;
  readonly share: MemoryShare;
  readonly isWanted: () => boolean;
  /** Stored bytes of which it may not have more, or it is loaded some other time. */
  readonly maxStoredBytes: number;
}

interface OutlineLoadsOptions {
  readonly limits: DocumentLimits;
  readonly events: DocumentEvents;
  readonly health: StoreHealth;
  readonly reads: StoredReads;
  readonly budget: MemoryBudget;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly random: Random;
  readonly portsOf: (id: OutlineId, share: MemoryShare) => DocumentPorts;
}

/**
 * Loads outlines, only some at one time, and none before there is memory for it: so many large ones,
 * so many small ones, and by itself one of which nobody knows how large it is.
 */
export class OutlineLoads {
  readonly #options: OutlineLoadsOptions;
  readonly #large: FairGate<OutlineId>;
  readonly #small: FairGate<OutlineId>;
  /** Of outlines of which nobody knows how large they are. */
  readonly #doubtful = new FairGate<OutlineId>(1);
  readonly #needs = new MemoryNeeds();

  constructor(options: OutlineLoadsOptions) {
    this.#options = options;
    this.#large = new FairGate(options.limits.largeLoadsAtOnce);
    this.#small = new FairGate(options.limits.smallLoadsAtOnce);
  }

  /**
   * Large ones wait for large ones only.
   * @param isWanted whether anybody still waits for it; otherwise it is given up
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async load(id: OutlineId, share: MemoryShare, isWanted: () => boolean): Promise<Loaded> {
    const { reads, budget, limits } = this.#options;
    const extent = await reads.of(id).extent();
    const { bytes, isKnown } = this.#needs.of(id, extent);
    const { most } = budget;
    if (isKnown && bytes > most) throw this.#tooLarge(id, bytes);
    const loading = { id, extent, share, isWanted, maxStoredBytes: Infinity };
    if (bytes > most) return this.#doubtful.pass(id, () => this.#loadOrLeave(loading));
    await budget.wait(share, bytes);
    const isSmall = bytes <= limits.smallOutlineBytes && !isLong(extent);
    if (!isSmall) return this.#large.pass(id, () => this.#loadOrLeave(loading));
    const small = { ...loading, maxStoredBytes: MAX_SMALL_STORED_BYTES };
    try {
      return await this.#small.pass(id, () => this.#loadOrLeave(small));
    } catch (error) {
      if (!(error instanceof LargerThanThoughtError)) throw error;
      return this.#doubtful.pass(id, () => this.#loadOrLeave(loading));
    }
  }

  /** What fails leaves its memory before the next one begins. */
  async #loadOrLeave(loading: Loading): Promise<Loaded> {
    try {
      return await this.#loadNow(loading);
    } catch (error) {
      loading.share.set(0);
      throw error;
    }
  }

  async #loadNow({ id, extent, share, isWanted, maxStoredBytes }: Loading): Promise<Loaded> {
    const { now, random, budget, health, limits, events, portsOf } = this.#options;
    let readBytes = 0;
    const { most } = budget;
    const onStep = (bytes: number, storedBytes: number): void => {
      if (!isWanted()) throw new NotWantedError();
      // What is stored is no part of the heap, but of the memory until all of it is applied.
      const needed = Math.max(bytes, Math.min(bytes + storedBytes, most));
      if (needed <= share.bytes || share.grow(needed)) return;
      this.#needs.learn(id, extent, needed);
      throw needed > most ? this.#tooLarge(id, needed) : noMemory();
    };
    health.require();
    onStep(0, 0);
    const startedAt = now();
    const ports = portsOf(id, share);
    // Before the load, which then has all that was written with earlier terms.
    const term = await ports.claim();
    const stored = await ports.load((bytes) => {
      readBytes += bytes;
      if (readBytes > maxStoredBytes) throw new LargerThanThoughtError();
      onStep(0, readBytes);
    });
    const replica = await loadReplica(stored, {
      id,
      now,
      random,
      turn: ports.turns.load,
      onStep,
      limits: limits.outline,
      mayTake: (bytes) => share.grow(bytes),
    });
    const live = new LiveReplica({ ...stored, term }, replica, ports);
    share.set(live.bytes);
    events.onLoad?.(now() - startedAt, readBytes);
    live.lost.tell();
    return { live, document: new OutlineDocument(live, ports) };
  }

  #tooLarge(id: OutlineId, bytes: number): OutlineTooLargeError {
    const { events, budget } = this.#options;
    events.onTooLarge?.(id, bytes);
    return new OutlineTooLargeError(id, bytes, budget.most);
  }
}

function isLong({ head, snapshot }: StoredExtent): boolean {
  return head - (snapshot?.seq ?? 0) > MANY_UPDATES;
}

/** What was taken for a small outline is none. */
class LargerThanThoughtError extends Error {
  override readonly name = "LargerThanThoughtError";
}

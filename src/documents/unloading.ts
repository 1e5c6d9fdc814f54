import type { OutlineId } from "../core/node-key.ts";
import type { Compaction } from "./replica/compaction.ts";
import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { LiveReplica } from "./replica/live-replica.ts";
import type { MemoryBudget, MemoryShare } from "./memory/memory-budget.ts";
import type { OutlineInMemory } from "./outline-in-memory.ts";
import type { SearchTexts } from "./memory/search-texts.ts";
import type { StoredReads } from "./log/stored-reads.ts";

export interface UnloadingOptions {
  /** The least recently used first. */
  readonly outlines: ReadonlyMap<OutlineId, OutlineInMemory>;
  readonly limits: DocumentLimits;
  readonly events: DocumentEvents;
  readonly budget: MemoryBudget;
  readonly reads: StoredReads;
  /** What `reads` keeps of stored outlines. */
  readonly keptChunks: MemoryShare;
  readonly searchTexts: SearchTexts;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Lets go of outlines that nobody has used for a while or that are in the way, and of all in a stop. */
export class Unloading {
  readonly #options: UnloadingOptions;

  constructor(options: UnloadingOptions) {
    this.#options = options;
  }

  unloadIdle(): void {
    const { outlines, now, limits } = this.#options;
    const idleSince = now() - limits.idleMs;
    for (const outline of outlines.values()) {
      const live = outline.usedAt > idleSince ? undefined : unusedReplicaOf(outline);
      // One of which a snapshot is written is in use: it goes with a later sweep.
      if (live?.compaction.startBeforeLetGo() === false) this.#unload(outline, live, "idle");
    }
    this.unloadUntilItFits();
  }

  unloadUntilItFits(): void {
    const { budget, limits } = this.#options;
    const excess = budget.bytes - limits.memoryBytes;
    if (excess > 0) this.makeRoom(excess);
  }

  /** What was read and folded for clients goes first, then the least recently used outlines. */
  makeRoom(bytes: number): void {
    const { outlines, reads, keptChunks, searchTexts } = this.#options;
    let left = bytes - keptChunks.bytes - searchTexts.clear();
    reads.forgetChunks();
    // No more are looked at than have to be: there may be very many.
    for (const outline of outlines.values()) {
      if (left <= 0) return;
      const live = unusedReplicaOf(outline);
      if (live === undefined) continue;
      left -= live.bytes;
      this.#unload(outline, live, "memory");
    }
  }

  /** Waits until all is durable, as far as it can be, and lets go of everything. */
  async unloadAll(): Promise<void> {
    const loadings = [...this.#options.outlines.values()].map(({ loading }) =>
      loading.then(({ live }) => live).catch(() => undefined),
    );
    const lives = (await Promise.all(loadings)).filter((live) => live !== undefined);
    await Promise.all(
      lives.map(async (live) => {
        await live.idle();
        await live.arrivals.record();
        await live.idle();
      }),
    );
    await this.#writeSnapshots(lives.map(({ compaction }) => compaction));
    await Promise.all(lives.map((live) => live.idle().then(() => live.unload())));
  }

  /**
   * Of those outlines for which that spares more than it takes, one after the other, where it spares most
   * first; as many as there is time for.
   */
  async #writeSnapshots(compactions: readonly Compaction[]): Promise<void> {
    const { now, limits } = this.#options;
    const until = now() + limits.stopSnapshotsMs;
    const cheap = compactions.filter((each) => each.isWorthIt && each.gain >= 1);
    for (const compaction of cheap.sort((one, other) => other.gain - one.gain)) {
      if (now() + compaction.makingMs > until) continue;
      compaction.startBeforeLetGo();
      await compaction.finished();
    }
  }

  /** One that has something to write down does that first, and goes then unless it is used meanwhile. */
  #unload(outline: OutlineInMemory, live: LiveReplica, reason: "idle" | "memory"): void {
    if (live.arrivals.isDue) void this.#recordAndLetGo(outline, live, reason);
    else this.#letGo(outline, live, reason);
  }

  async #recordAndLetGo(
    outline: OutlineInMemory,
    live: LiveReplica,
    reason: "idle" | "memory",
  ): Promise<void> {
    await live.arrivals.record();
    const isUnused = unusedReplicaOf(outline) !== undefined;
    if (isUnused && !live.arrivals.isDue) this.#letGo(outline, live, reason);
  }

  #letGo({ share }: OutlineInMemory, live: LiveReplica, reason: "idle" | "memory"): void {
    live.unload();
    share.end();
    this.#options.events.onEvict?.(reason);
  }
}

/** Undefined when letting go of it would lose something, or break something off. */
function unusedReplicaOf({ isPinned, loaded }: OutlineInMemory): LiveReplica | undefined {
  const live = isPinned ? undefined : loaded?.live;
  return live?.isOpen === true && !live.isInUse ? live : undefined;
}

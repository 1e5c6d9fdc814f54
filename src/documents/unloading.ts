import type { OutlineId } from "../core/node-key.ts";
import type { Compaction } from "./compaction.ts";
import type { DocumentEvents } from "./document-events.ts";
import type { DocumentLimits } from "./document-limits.ts";
import type { LiveReplica } from "./live-replica.ts";
import type { MemoryBudget, MemoryShare } from "./memory-budget.ts";
import type { OutlineInMemory } from "./outline-in-memory.ts";
import type { SearchTexts } from "./search-texts.ts";
import type { StoredReads } from "./stored-reads.ts";

export interface UnloadingOptions {
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
    const { now, limits } = this.#options;
    const idleSince = now() - limits.idleMs;
    for (const { live, usedAt } of this.#unloadable()) {
      if (usedAt > idleSince) continue;
      // One of which a snapshot is written is in use: it goes with a later sweep.
      if (!live.compaction.startBeforeLetGo()) this.#unload(live, "idle");
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
    const { reads, keptChunks, searchTexts } = this.#options;
    let left = bytes - keptChunks.bytes - searchTexts.clear();
    reads.forgetChunks();
    for (const { live } of this.#unloadable().sort((one, other) => one.usedAt - other.usedAt)) {
      if (left <= 0) break;
      left -= live.bytes;
      this.#unload(live, "memory");
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

  #unloadable(): { readonly live: LiveReplica; readonly usedAt: number }[] {
    return [...this.#options.outlines.values()].flatMap(({ isPinned, loaded, usedAt }) => {
      if (isPinned || loaded === undefined) return [];
      const { live } = loaded;
      return live.isOpen && !live.isInUse ? [{ live, usedAt }] : [];
    });
  }

  /** One that has something to write down does that first, and goes then unless it is used meanwhile. */
  #unload(live: LiveReplica, reason: "idle" | "memory"): void {
    if (live.arrivals.isDue) void this.#recordAndLetGo(live, reason);
    else this.#letGo(live, reason);
  }

  async #recordAndLetGo(live: LiveReplica, reason: "idle" | "memory"): Promise<void> {
    await live.arrivals.record();
    const isLeft = this.#unloadable().some((other) => other.live === live);
    if (isLeft && !live.arrivals.isDue) this.#letGo(live, reason);
  }

  #letGo(live: LiveReplica, reason: "idle" | "memory"): void {
    const { outlines, events } = this.#options;
    live.unload();
    outlines.get(live.outline.id)?.share.end();
    events.onEvict?.(reason);
  }
}

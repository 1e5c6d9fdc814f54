import { payingOutline } from "../charges/payer.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { DocumentEvents } from "./document-events.ts";
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from "./document-limits.ts";
import { type DocumentListener, type LossReason, TAKEN_OVER } from "./replica/document-listener.ts";
import type { DocumentPorts } from "./replica/document-ports.ts";
import type { DocumentsLoad, DocumentsOptions, DocumentStats } from "./documents-options.ts";
import { KeptTails } from "./kept-tails.ts";
import { logPorts } from "./log/log-ports.ts";
import { MemoryBudget, type MemoryShare } from "./memory/memory-budget.ts";
import { OutlineChannels } from "./outline-channels.ts";
import type { OutlineDocument } from "./replica/outline-document.ts";
import { type OpenDocument, OutlineInMemory } from "./outline-in-memory.ts";
import { type Loaded, OutlineLoads } from "./outline-loads.ts";
import type { Outline } from "../core/outline.ts";
import { type OutlineTurns, outlineTurns, requireTurns } from "./replica/outline-turns.ts";
import type { ReceiptKeeper } from "./replica/receipts.ts";
import { SearchTexts } from "./memory/search-texts.ts";
import { StoreHealth } from "./log/store-health.ts";
import { type IsWanted, StoredReads } from "./log/stored-reads.ts";
import { storedUpdates } from "./log/stored-updates.ts";
import { Sweep } from "./sweep.ts";
import { Turns } from "./turns/turns.ts";
import { Unloading } from "./unloading.ts";
import { UnopenedOutline } from "./log/unopened-outline.ts";
import { ThrownAwayError, UnavailableError } from "./log/unavailable-error.ts";

/**
 * The outlines in memory: loads them when they are needed, once however many ask, and lets go of
 * those that nobody has used for a while or that are in the way, unless something of them is not
 * durable. While the store fails, everybody is told so at once, until it works again.
 */
export class Documents {
  readonly #options: DocumentsOptions;
  readonly #limits: DocumentLimits;
  readonly #events: DocumentEvents;
  readonly #health: StoreHealth;
  readonly #turns: Turns;
  readonly #reads: StoredReads;
  readonly #loads: OutlineLoads;
  readonly #budget: MemoryBudget;
  readonly #unloading: Unloading;
  /** Of stored outlines, for clients. */
  readonly #keptChunks: MemoryShare;
  readonly #searched: MemoryShare;
  /** Of open outlines, for those who search them. */
  readonly searchTexts: SearchTexts;
  /** Those that are loaded or being loaded, the least recently used first [Q52]. */
  readonly #entries = new Map<OutlineId, OutlineInMemory>();
  readonly #channels = new OutlineChannels({
    isInMemory: (id) => this.#entries.has(id),
    onDefect: (error) => this.#events.onDefect?.(error),
  });
  /**
   * Outlines that were removed, by whoever runs the server: what is still under way for one must not
   * begin it anew [Q52].
   */
  readonly #dropped = new Set<OutlineId>();
  /** One for what delivers webhooks [Q52]. */
  readonly #loadListeners = new Set<(id: OutlineId) => void>();
  readonly #tails: KeptTails;
  readonly #sweep: Sweep;
  #compacting: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_DOCUMENT_LIMITS, ...options.limits };
    this.#events = options.events ?? {};
    this.#turns = options.turns ?? new Turns(options.timers, options.elapsed ?? options.now);
    this.#health = new StoreHealth({
      log: options.log,
      timers: options.timers,
      limits: this.#limits,
      events: this.#events,
    });
    this.#reads = new StoredReads({
      log: options.log,
      health: this.#health,
      limits: this.#limits,
      onKept: (bytes) => this.#setKept(this.#keptChunks, bytes, () => this.#reads.forgetChunks()),
    });
    const { timers } = options;
    this.#tails = new KeptTails({ reads: this.#reads, events: this.#events, timers });
    this.#budget = new MemoryBudget({
      limits: this.#limits,
      timers: options.timers,
      letGo: (bytes) => this.#unloading.makeRoom(bytes),
    });
    this.#loads = new OutlineLoads({
      limits: this.#limits,
      events: this.#events,
      health: this.#health,
      reads: this.#reads,
      budget: this.#budget,
      now: options.now,
      random: options.random,
      portsOf: (id, share) => this.#portsOf(id, share),
    });
    this.#keptChunks = this.#budget.open();
    this.#searched = this.#budget.open();
    this.searchTexts = new SearchTexts({
      maxBytes: this.#limits.searchTextBytes,
      share: {
        set: (bytes) => this.#setKept(this.#searched, bytes, () => this.searchTexts.clear()),
      },
    });
    this.#unloading = new Unloading({
      outlines: this.#entries,
      limits: this.#limits,
      events: this.#events,
      budget: this.#budget,
      reads: this.#reads,
      keptChunks: this.#keptChunks,
      searchTexts: this.searchTexts,
      now: options.now,
    });
    this.#sweep = new Sweep({
      outlines: this.#entries,
      unloading: this.#unloading,
      timers,
      everyMs: this.#limits.sweepMs,
    });
  }

  /**
   * Lets `fn` work with an outline, which stays in memory until it has ended.
   * @param isWanted as for `open`
   * @throws UnavailableError, StoreError `outline_corrupt`, and what `fn` throws
   */
  async use<T>(
    id: OutlineId,
    fn: (document: OutlineDocument) => Promise<T> | T,
    isWanted?: IsWanted,
  ): Promise<T> {
    const { document, release } = await this.open(id, isWanted);
    try {
      return await fn(document);
    } finally {
      release();
    }
  }

  /**
   * Changes an outline like `OutlineDocument.write`, and does so again whenever another write has
   * taken the replica along: each time that other one is gone.
   * @throws UnavailableError, StoreError `outline_corrupt`, and what `fn` throws
   */
  async write<T>(id: OutlineId, fn: (outline: Outline, receipts: ReceiptKeeper) => T): Promise<T> {
    for (;;) {
      try {
        // What is written to is in use: nobody lets go of it before that is durable.
        const document = this.peek(id);
        return await (document?.write(fn) ?? this.use(id, (opened) => opened.write(fn)));
      } catch (error) {
        if (!(error instanceof ThrownAwayError)) throw error;
      }
    }
  }

  /**
   * Opens an outline until it is released. Nobody gets it before all of it is loaded; an outline
   * that is in no log yet is empty, one that was removed is refused. Only some are loaded at one time.
   * @param isWanted whether whoever asks still waits: a load that nobody waits for is given up
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async open(id: OutlineId, isWanted: IsWanted = () => true): Promise<OpenDocument> {
    for (;;) {
      this.#require(id);
      const entry = this.#entries.get(id) ?? this.#load(id);
      const opened = await entry.open(isWanted);
      if (opened !== "gone") return opened;
    }
  }

  /**
   * An outline as its log has it; undefined when it is in memory, or about to be: then that costs
   * nothing more. See `UnopenedOutline` for what whoever asks has to do.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  unopened(id: OutlineId, isWanted: IsWanted): Promise<UnopenedOutline> | undefined {
    if (this.#entries.has(id)) return undefined;
    const parts = this.#reads.of(id);
    const turn = this.#turns.join(payingOutline(id), "difference");
    return UnopenedOutline.of({ parts, require: () => this.#require(id), turn }, isWanted);
  }

  /**
   * An outline that is in memory, for work that is done within this turn; undefined when it has to be
   * opened, or can't be any more. It counts as used.
   */
  peek(id: OutlineId): OutlineDocument | undefined {
    if (this.#isClosed) return undefined;
    const entry = this.#entries.get(id);
    if (entry?.loaded?.live.isOpen !== true || this.#dropped.has(id)) return undefined;
    entry.touch();
    return entry.loaded.document;
  }

  /** Follows an outline, in memory or not. Returns what ends that. */
  subscribe(id: OutlineId, listener: DocumentListener): () => void {
    return this.#channels.subscribe(id, listener);
  }

  /** Calls back with each outline that has been loaded. Must not throw. Returns what ends that. */
  onLoaded(listener: (id: OutlineId) => void): () => void {
    this.#loadListeners.add(listener);
    return () => void this.#loadListeners.delete(listener);
  }

  stats(): DocumentStats {
    const pinned = [...this.#entries.values()].filter(({ isPinned }) => isPinned).length;
    const { bytes } = this.#budget;
    return { open: this.#entries.size, pinned, bytes, isStoreWorking: !this.#health.isFailing };
  }

  get load(): DocumentsLoad {
    const inHand = [...this.#channels.outlines].filter((id) => this.isInHand(id));
    return { outlines: inHand.length, isFull: this.isFull };
  }

  /** Whether outlines that were used of late leave no room for others. O(1). */
  get isFull(): boolean {
    return this.#budget.isFull;
  }

  /** Whether an outline is in memory, or somebody follows it. */
  isInHand(id: OutlineId): boolean {
    return this.#entries.has(id) || this.#channels.isFollowed(id);
  }

  /** Whether something is under way that letting it go would break off. */
  isBusy(id: OutlineId): boolean {
    const entry = this.#entries.get(id);
    return entry !== undefined && entry.loaded?.live.isInUse !== false;
  }

  /**
   * All that is stored of an outline, whether or not it is open or could be: see `storedUpdates`.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  stored(id: OutlineId): AsyncGenerator<Uint8Array, void> {
    return storedUpdates(this.#reads.of(id), id);
  }

  /** Whether the store can be written, by trying it. @throws UnavailableError, StoreError */
  probe(): Promise<void> {
    return this.#health.probe();
  }

  /**
   * Removes an outline from memory and from the log, for good: from now on it can't be opened, unless
   * a backup is restored. Whoever follows it is told `removed`.
   * @throws UnavailableError
   */
  async drop(id: OutlineId): Promise<void> {
    this.#dropped.add(id);
    await this.#discard(id, "removed");
    // It sweeps all of it, which is as much as there was.
    await this.#health.attempt(() => this.#options.log.drop(id), this.#limits.snapshotTimeoutMs);
  }

  /**
   * Lets go of an outline that another process is to serve: resolves when what was written is durable
   * and nothing of it is in memory. Whoever follows it is told `another process may serve it`.
   */
  handOver(id: OutlineId): Promise<void> {
    return this.#discard(id, TAKEN_OVER);
  }

  /**
   * Throws all replicas away: the log is not what they were loaded from (a backup was restored), or may
   * not be any more. What is not durable is lost. Whoever follows any outline is told the reason.
   * @param isRestored whether outlines that were removed may be there again
   */
  evictAll(reason: LossReason, isRestored = true): void {
    if (isRestored) this.#dropped.clear();
    if (isRestored) this.#tails.clear();
    const told = new Set<OutlineId>();
    for (const { id, loaded, loading } of this.#entries.values()) {
      told.add(id);
      if (loaded !== undefined) loaded.live.lose(reason);
      // Loaded from what was there before: it goes before anybody gets it.
      else void loading.then(({ live }) => live.lose(reason)).catch(() => undefined);
    }
    this.#channels.allLost(reason, told);
  }

  /**
   * Hands in what lost replicas had and the log lacks, where another history has begun since.
   * @param bring has an outline served here
   */
  async bringBack(bring: (id: OutlineId) => Promise<void>): Promise<void> {
    await this.#tails.bringBack(async (id) => {
      await bring(id);
      (await this.open(id)).release();
    });
  }

  /** Waits until all is durable, as far as it can be, and lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sweep.end();
    this.#tails.close();
    await this.#unloading.unloadAll();
    this.#health.close();
  }

  /** @throws UnavailableError when nobody gets the outline any more */
  #require(id: OutlineId): void {
    if (this.#isClosed) throw new UnavailableError("the service is stopping");
    if (this.#dropped.has(id)) throw new UnavailableError("the outline was removed");
  }

  async #discard(id: OutlineId, reason: LossReason): Promise<void> {
    const loaded = await this.#entries.get(id)?.loading.catch(() => undefined);
    if (loaded === undefined) this.#channels.lost(id, reason);
    loaded?.live.discard(reason);
    await loaded?.live.ended;
  }

  #load(id: OutlineId): OutlineInMemory {
    this.#health.require();
    requireTurns(this.#turnsOf(id), "load");
    // What it is to take in before anybody has it must not be refused.
    if (this.#tails.has(id)) requireTurns(this.#turnsOf(id), "update", "repair");
    const share = this.#budget.open();
    const entry = new OutlineInMemory({
      id,
      outlines: this.#entries,
      share,
      now: this.#options.now,
      load: async (isWanted) => {
        const loaded = await this.#loads.load(id, share, () => !this.#isClosed && isWanted());
        await this.#tails.handIn(loaded.document);
        return loaded;
      },
    });
    this.#entries.set(id, entry);
    // Nothing is kept of a load that failed.
    entry.loading.then(
      (loaded) => this.#onLoaded(entry, loaded),
      () => this.#forget(entry),
    );
    this.#sweep.later();
    return entry;
  }

  #onLoaded(entry: OutlineInMemory, { live }: Loaded): void {
    void live.ended.finally(() => {
      if (live.isLost) this.#events.onEvict?.("lost");
      this.#forget(entry);
    });
    this.#unloading.unloadUntilItFits();
    for (const listener of this.#loadListeners) listener(entry.id);
  }

  #forget({ id, share }: OutlineInMemory): void {
    share.end();
    this.#entries.delete(id);
    this.#channels.forget(id);
  }

  #turnsOf(id: OutlineId): OutlineTurns {
    return outlineTurns(this.#turns, payingOutline(id));
  }

  #portsOf(id: OutlineId, share: MemoryShare): DocumentPorts {
    const { log, now, timers, holds = () => true } = this.#options;
    const limits = this.#limits;
    return {
      ...logPorts({ log, health: this.#health, reads: this.#reads, limits }, id),
      limits,
      timers,
      turns: this.#turnsOf(id),
      events: this.#events,
      channel: this.#channels.of(id),
      now,
      share,
      holds,
      keepTail: (tail, hasOwner) => this.#tails.keep(id, tail, hasOwner),
      whenFree: (work) => {
        const done = this.#compacting.then(work);
        this.#compacting = done.catch(() => undefined);
        return done;
      },
    };
  }

  /** What is kept for clients is not worth an outline. */
  #setKept(share: MemoryShare, bytes: number, forget: () => void): void {
    share.set(bytes);
    if (bytes > 0 && this.#budget.bytes > this.#limits.maxMemoryBytes) forget();
  }
}

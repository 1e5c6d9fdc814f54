import { payingOutline } from "../charges/payer.ts";
import type { OutlineId, Random } from "../core/node-key.ts";
import type { DocumentEvents } from "./document-events.ts";
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from "./document-limits.ts";
import type { DocumentListener, LossReason } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { logPorts } from "./log-ports.ts";
import { MemoryBudget, type MemoryShare } from "./memory-budget.ts";
import { OutlineChannel } from "./outline-channel.ts";
import type { OutlineDocument, ReceiptKeeper } from "./outline-document.ts";
import { type Loaded, OutlineLoads } from "./outline-loads.ts";
import type { Outline } from "../core/outline.ts";
import { type OutlineTurns, outlineTurns, requireTurns } from "./outline-turns.ts";
import type { OutlineLog } from "./outline-log.ts";
import { SearchTexts } from "./search-texts.ts";
import { StoreHealth } from "./store-health.ts";
import { type IsWanted, storedParts, StoredReads } from "./stored-reads.ts";
import { storedUpdates } from "./stored-updates.ts";
import type { Timers } from "./timers.ts";
import { Turns } from "./turns.ts";
import { type OutlineInMemory, Unloading } from "./unloading.ts";
import { UnopenedOutline } from "./unopened-outline.ts";
import { NotWantedError, ThrownAwayError, UnavailableError } from "./unavailable-error.ts";

export interface DocumentsOptions {
  readonly log: OutlineLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets, for turns of its own; else `now`. */
  readonly elapsed?: () => number;
  /** What it shares with whoever else has long work; without, turns of its own. */
  readonly turns?: Turns;
  /** As in `DocumentPorts`; for a store that no other process can take over, nothing. */
  readonly holds?: () => boolean;
  readonly random: Random;
  readonly timers: Timers;
  readonly limits?: Partial<DocumentLimits>;
  readonly events?: DocumentEvents;
}

export interface DocumentStats {
  /** Outlines in memory. */
  readonly open: number;
  /** Of them, those that somebody uses now. */
  readonly pinned: number;
  /** Memory that they take, estimated. */
  readonly bytes: number;
  /** False while the store fails. */
  readonly isStoreWorking: boolean;
}

/** A document that stays in memory until it is released. */
export interface OpenDocument {
  readonly document: OutlineDocument;
  /** May be called more than once. */
  readonly release: () => void;
}

const TAKEN_OVER: LossReason = "another process may serve it";

interface Entry extends OutlineInMemory {
  readonly id: OutlineId;
  readonly loading: Promise<Loaded>;
  /** Who waits for the loading, one for each that does [Q50]. */
  readonly askers: Set<IsWanted>;
  loaded: Loaded | undefined;
  pins: number;
  usedAt: number;
}

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
  /** Those that are loaded or being loaded [Q52]. */
  readonly #entries = new Map<OutlineId, Entry>();
  /** Of those that are loaded or followed [Q52]. */
  readonly #channels = new Map<OutlineId, OutlineChannel>();
  /**
   * Outlines that were removed, by whoever runs the server: what is still under way for one must not
   * begin it anew [Q52].
   */
  readonly #dropped = new Set<OutlineId>();
  #compacting: Promise<void> = Promise.resolve();
  #sweep: unknown;
  #isClosed = false;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_DOCUMENT_LIMITS, ...options.limits };
    this.#events = options.events ?? {};
    this.#turns = options.turns ?? new Turns(options.timers, options.elapsed ?? options.now);
    this.#health = new StoreHealth({
      log: options.log,
      timers: options.timers,
      probeMs: this.#limits.probeMs,
      longestProbeMs: this.#limits.longestProbeMs,
      timeoutMs: this.#limits.appendTimeoutMs,
      onFailing: (cause) => this.#events.onStoreFailing?.(cause),
      onWorking: () => this.#events.onStoreWorking?.(),
    });
    const { loadTimeoutMs, readsAtOnce, keptChunkBytes } = this.#limits;
    this.#reads = new StoredReads({
      log: options.log,
      health: this.#health,
      timeoutMs: loadTimeoutMs,
      atOnce: readsAtOnce,
      keptBytes: keptChunkBytes,
      onKept: (bytes) => this.#onKept(bytes),
    });
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
      share: { set: (bytes) => this.#onSearched(bytes) },
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
  }

  /**
   * Lets `fn` work with an outline, which stays in memory until it has ended.
   * @throws UnavailableError, StoreError `outline_corrupt`, and what `fn` throws
   */
  async use<T>(id: OutlineId, fn: (document: OutlineDocument) => Promise<T> | T): Promise<T> {
    const { document, release } = await this.open(id);
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
      const loaded = await this.#loaded(entry, isWanted);
      if (loaded === undefined) continue;
      if (loaded.live.isOpen) return this.#pinned(entry, loaded);
      entry.pins--;
      await loaded.live.ended;
    }
  }

  /**
   * An outline as its log has it; undefined when it is in memory, or about to be: then that costs
   * nothing more. See `UnopenedOutline` for what whoever asks has to do.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  unopened(id: OutlineId, isWanted: IsWanted): Promise<UnopenedOutline> | undefined {
    if (this.#entries.has(id)) return undefined;
    const parts = storedParts(this.#reads, id);
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
    entry.usedAt = this.#options.now();
    return entry.loaded.document;
  }

  /** Follows an outline, in memory or not. Returns what ends that. */
  subscribe(id: OutlineId, listener: DocumentListener): () => void {
    return this.#channelOf(id).subscribe(listener);
  }

  stats(): DocumentStats {
    let pinned = 0;
    for (const { pins } of this.#entries.values()) if (pins > 0) pinned++;
    const { bytes } = this.#budget;
    const isStoreWorking = !this.#health.isFailing;
    return { open: this.#entries.size, pinned, bytes, isStoreWorking };
  }

  /**
   * All that is stored of an outline, whether or not it is open or could be: see `storedUpdates`.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  stored(id: OutlineId): AsyncGenerator<Uint8Array, void> {
    return storedUpdates(this.#reads, id);
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
    const loaded = await this.#entries.get(id)?.loading.catch(() => undefined);
    if (loaded === undefined) this.#channels.get(id)?.lost("removed");
    loaded?.live.discard("removed");
    await loaded?.live.ended;
    // It sweeps all of it, which is as much as there was.
    await this.#health.attempt(() => this.#options.log.drop(id), this.#limits.snapshotTimeoutMs);
  }

  /**
   * Lets go of an outline that another process is to serve: resolves when what was written is durable
   * and nothing of it is in memory. Whoever follows it is told `another process may serve it`.
   */
  async handOver(id: OutlineId): Promise<void> {
    const loaded = await this.#entries.get(id)?.loading.catch(() => undefined);
    if (loaded === undefined) this.#channels.get(id)?.lost(TAKEN_OVER);
    loaded?.live.discard(TAKEN_OVER);
    await loaded?.live.ended;
  }

  /**
   * Throws all replicas away: the log is not what they were loaded from (a backup was restored), or may
   * not be any more. What is not durable is lost. Whoever follows any outline is told the reason.
   * @param isRestored whether outlines that were removed may be there again
   */
  evictAll(reason: LossReason, isRestored = true): void {
    if (isRestored) this.#dropped.clear();
    const told = new Set<OutlineId>();
    for (const { id, loaded, loading } of this.#entries.values()) {
      told.add(id);
      if (loaded !== undefined) loaded.live.lose(reason);
      // Loaded from what was there before: it goes before anybody gets it.
      else void loading.then(({ live }) => live.lose(reason)).catch(() => undefined);
    }
    for (const [id, channel] of this.#channels) if (!told.has(id)) channel.lost(reason);
  }

  /** Waits until all is durable, as far as it can be, and lets go of everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#options.timers.clearTimeout(this.#sweep);
    await this.#unloading.unloadAll();
    this.#health.close();
  }

  /** @throws UnavailableError when nobody gets the outline any more */
  #require(id: OutlineId): void {
    if (this.#isClosed) throw new UnavailableError("the service is stopping");
    if (this.#dropped.has(id)) throw new UnavailableError("the outline was removed");
  }

  /** Pinned; undefined when it was given up just before, and is to be loaded anew. */
  async #loaded(entry: Entry, isWanted: IsWanted): Promise<Loaded | undefined> {
    entry.pins++;
    // Each is one of its own, however often the same is given.
    const isAsking = (): boolean => isWanted();
    entry.askers.add(isAsking);
    try {
      return await entry.loading;
    } catch (error) {
      entry.pins--;
      if (error instanceof NotWantedError && isWanted()) return undefined;
      throw error;
    } finally {
      entry.askers.delete(isAsking);
    }
  }

  #pinned(entry: Entry, { document }: Loaded): OpenDocument {
    let isPinned = true;
    entry.usedAt = this.#options.now();
    return {
      document,
      release: () => {
        if (!isPinned) return;
        isPinned = false;
        entry.pins--;
        entry.usedAt = this.#options.now();
      },
    };
  }

  #load(id: OutlineId): Entry {
    this.#health.require();
    requireTurns(this.#turnsOf(id), "load");
    const askers = new Set<IsWanted>();
    const isWanted = (): boolean => !this.#isClosed && [...askers].some((isAsking) => isAsking());
    const share = this.#budget.open();
    const entry: Entry = {
      id,
      loading: this.#loads.load(id, share, isWanted),
      askers,
      share,
      loaded: undefined,
      pins: 0,
      usedAt: this.#options.now(),
    };
    this.#entries.set(id, entry);
    // Nothing is kept of a load that failed.
    entry.loading.then(
      (loaded) => this.#onLoaded(entry, loaded),
      () => this.#forget(entry),
    );
    this.#sweepLater();
    return entry;
  }

  #onLoaded(entry: Entry, loaded: Loaded): void {
    entry.loaded = loaded;
    void loaded.live.ended.then(() => this.#onEnded(entry, loaded));
    this.#unloading.unloadUntilItFits();
  }

  #onEnded(entry: Entry, { live }: Loaded): void {
    if (live.isLost) this.#events.onEvict?.("lost");
    this.#forget(entry);
  }

  #forget({ id, share }: Entry): void {
    share.end();
    this.#entries.delete(id);
    this.#forgetChannel(id);
  }

  #channelOf(id: OutlineId): OutlineChannel {
    let channel = this.#channels.get(id);
    if (channel === undefined) {
      channel = new OutlineChannel({
        onIdle: () => this.#forgetChannel(id),
        onDefect: (error) => this.#events.onDefect?.(error),
      });
      this.#channels.set(id, channel);
    }
    return channel;
  }

  #forgetChannel(id: OutlineId): void {
    if (!this.#entries.has(id) && this.#channels.get(id)?.isIdle === true) {
      this.#channels.delete(id);
    }
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
      channel: this.#channelOf(id),
      now,
      share,
      holds,
      whenFree: (work) => {
        const done = this.#compacting.then(work);
        this.#compacting = done.catch(() => undefined);
        return done;
      },
    };
  }

  #sweepLater(): void {
    if (this.#sweep !== undefined || this.#isClosed) return;
    this.#sweep = this.#options.timers.setTimeout(() => {
      this.#sweep = undefined;
      this.#unloading.unloadIdle();
      for (const { loaded } of this.#entries.values()) {
        loaded?.live.arrivals.recordIfDue();
        loaded?.live.purging.startIfDue();
      }
      if (this.#entries.size > 0) this.#sweepLater();
    }, this.#limits.sweepMs);
  }

  /** What is read for clients is not worth an outline. */
  #onKept(bytes: number): void {
    this.#keptChunks.set(bytes);
    if (bytes > 0 && this.#budget.bytes > this.#limits.maxMemoryBytes) this.#reads.forgetChunks();
  }

  #onSearched(bytes: number): void {
    this.#searched.set(bytes);
    if (bytes > 0 && this.#budget.bytes > this.#limits.maxMemoryBytes) this.searchTexts.clear();
  }
}

import type { OutlineId, Random } from "../core/node-key.ts";
import type { DocumentEvents } from "./document-events.ts";
import { DEFAULT_DOCUMENT_LIMITS, type DocumentLimits } from "./document-limits.ts";
import type { DocumentListener, LossReason } from "./document-listener.ts";
import type { DocumentPorts } from "./document-ports.ts";
import { LiveReplica } from "./live-replica.ts";
import { loadReplica } from "./load-replica.ts";
import { OutlineChannel } from "./outline-channel.ts";
import { OutlineDocument } from "./outline-document.ts";
import type { Outline } from "../core/outline.ts";
import type { LoadedOutline, OutlineLog } from "./outline-log.ts";
import { StoreHealth } from "./store-health.ts";
import type { Timers } from "./timers.ts";
import { Turns } from "./turns.ts";
import { ThrownAwayError, UnavailableError } from "./unavailable-error.ts";

export interface DocumentsOptions {
  readonly log: OutlineLog;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets, by which work is cut into slices; else `now`. */
  readonly elapsed?: () => number;
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

interface Loaded {
  readonly live: LiveReplica;
  readonly document: OutlineDocument;
}

interface Entry {
  readonly id: OutlineId;
  readonly loading: Promise<Loaded>;
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
  readonly #entries = new Map<OutlineId, Entry>();
  readonly #channels = new Map<OutlineId, OutlineChannel>();
  /** Outlines that were removed: what is still under way for one must not begin it anew. */
  readonly #dropped = new Set<OutlineId>();
  #compacting: Promise<void> = Promise.resolve();
  #sweep: unknown;
  #isClosed = false;

  constructor(options: DocumentsOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_DOCUMENT_LIMITS, ...options.limits };
    this.#events = options.events ?? {};
    this.#turns = new Turns(options.timers, options.elapsed ?? options.now);
    this.#health = new StoreHealth({
      log: options.log,
      timers: options.timers,
      probeMs: this.#limits.probeMs,
      longestProbeMs: this.#limits.longestProbeMs,
      timeoutMs: this.#limits.appendTimeoutMs,
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
  async write<T>(id: OutlineId, fn: (outline: Outline) => T): Promise<T> {
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
   * that is in no log yet is empty, one that was removed is refused.
   * @throws UnavailableError, StoreError `outline_corrupt`
   */
  async open(id: OutlineId): Promise<OpenDocument> {
    for (;;) {
      if (this.#isClosed) throw new UnavailableError("the service is stopping");
      if (this.#dropped.has(id)) throw new UnavailableError("the outline was removed");
      const entry = this.#entries.get(id) ?? this.#load(id);
      entry.pins++;
      const loaded = await entry.loading.catch((error: unknown) => {
        entry.pins--;
        throw error;
      });
      if (loaded.live.isOpen) return this.#pinned(entry, loaded);
      entry.pins--;
      await loaded.live.ended;
    }
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
    let bytes = 0;
    for (const { pins, loaded } of this.#entries.values()) {
      if (pins > 0) pinned++;
      bytes += loaded?.live.bytes ?? 0;
    }
    const isStoreWorking = !this.#health.isFailing;
    return { open: this.#entries.size, pinned, bytes, isStoreWorking };
  }

  /**
   * Removes an outline from memory and from the log, for good: from now on it can't be opened, unless
   * a backup is restored. Whoever follows it is told `removed`.
   * @throws UnavailableError
   */
  async drop(id: OutlineId): Promise<void> {
    this.#dropped.add(id);
    const loaded = await this.#entries.get(id)?.loading.catch(() => undefined);
    loaded?.live.discard("removed");
    await loaded?.live.ended;
    await this.#health.ask(() => this.#options.log.drop(id), this.#limits.loadTimeoutMs);
  }

  /**
   * Throws all replicas away: the log is not what they were loaded from (a backup was restored).
   * What is not durable is lost. Whoever follows any outline is told the reason.
   */
  evictAll(reason: LossReason): void {
    this.#dropped.clear();
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
    await Promise.all(
      [...this.#entries.values()].map(async ({ loading }) => {
        const loaded = await loading.catch(() => undefined);
        await loaded?.live.idle();
        loaded?.live.unload();
      }),
    );
    this.#health.close();
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
    const entry: Entry = {
      id,
      loading: this.#loadNow(id),
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

  async #loadNow(id: OutlineId): Promise<Loaded> {
    const { now, random } = this.#options;
    const startedAt = now();
    const ports = this.#portsOf(id);
    const stored = await ports.load();
    const replica = await loadReplica(stored, { id, now, random, turn: ports.turn });
    const live = new LiveReplica(stored, replica, ports);
    this.#events.onLoad?.(now() - startedAt, byteLengthOf(stored));
    return { live, document: new OutlineDocument(live, ports) };
  }

  #onLoaded(entry: Entry, loaded: Loaded): void {
    entry.loaded = loaded;
    void loaded.live.ended.then(() => this.#onEnded(entry, loaded));
    this.#unloadUntilItFits();
  }

  #onEnded(entry: Entry, { live }: Loaded): void {
    if (live.isLost) this.#events.onEvict?.("lost");
    this.#forget(entry);
  }

  #forget({ id }: Entry): void {
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

  #portsOf(id: OutlineId): DocumentPorts {
    const { log, now, timers } = this.#options;
    const { appendTimeoutMs, loadTimeoutMs, snapshotTimeoutMs } = this.#limits;
    const health = this.#health;
    return {
      limits: this.#limits,
      timers,
      turn: this.#turns.join(),
      events: this.#events,
      channel: this.#channelOf(id),
      now,
      requireStore: () => health.require(),
      append: (append) => health.ask(() => log.append(id, append), appendTimeoutMs),
      load: (after) => health.ask(() => log.load(id, after), loadTimeoutMs),
      saveSnapshot: (snapshot, epoch) =>
        health.ask(() => log.saveSnapshot(id, snapshot, epoch), snapshotTimeoutMs),
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
      this.#unloadIdle();
      for (const { loaded } of this.#entries.values()) loaded?.live.purging.startIfDue();
      if (this.#entries.size > 0) this.#sweepLater();
    }, this.#limits.sweepMs);
  }

  #unloadIdle(): void {
    const idleSince = this.#options.now() - this.#limits.idleMs;
    for (const { live, usedAt } of this.#unloadable()) {
      if (usedAt <= idleSince) this.#unload(live, "idle");
    }
    this.#unloadUntilItFits();
  }

  /** Least recently used ones go first. */
  #unloadUntilItFits(): void {
    let excess = this.stats().bytes - this.#limits.memoryBytes;
    if (excess <= 0) return;
    for (const { live } of this.#unloadable().sort((one, other) => one.usedAt - other.usedAt)) {
      if (excess <= 0) break;
      excess -= live.bytes;
      this.#unload(live, "memory");
    }
  }

  #unloadable(): { readonly live: LiveReplica; readonly usedAt: number }[] {
    return [...this.#entries.values()].flatMap(({ pins, loaded, usedAt }) => {
      if (pins > 0 || loaded === undefined) return [];
      const { live } = loaded;
      return live.isOpen && !live.isInUse ? [{ live, usedAt }] : [];
    });
  }

  #unload(live: LiveReplica, reason: "idle" | "memory"): void {
    live.unload();
    this.#events.onEvict?.(reason);
  }
}

function byteLengthOf({ snapshot, updates }: LoadedOutline): number {
  const chunks = snapshot?.chunks ?? [];
  const parts = [...chunks, ...updates.map(({ update }) => update)];
  return parts.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
}

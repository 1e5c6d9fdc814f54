import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { ClientPool } from "./client-pool.ts";
import { UnstoredKeeper } from "./last-words.ts";
import { FROM_ELSEWHERE } from "./load-replica.ts";
import type { LocalDeviceRecords } from "./local-device-records.ts";
import { type OwnEdit, tokensOf, updatesOf } from "./outbox.ts";
import { OwnEdits } from "./own-edits.ts";
import type { Platform } from "./platform.ts";
import { ReplicaDocument } from "./replica-document.ts";
import { ReplicaStatus } from "./replica-status.ts";
import type { ServerClock } from "./server-clock.ts";
import type { Leading } from "./leading.ts";
import {
  type ReplicaNews,
  type ReplicaPosition,
  type ReplicaStore,
  StoreError,
  type StoredReplica,
} from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";

export interface ReplicaCoreParts {
  readonly store: ReplicaStore;
  readonly tabs: TabGroup;
  readonly platform: Platform;
  readonly clock: ServerClock;
  readonly records: LocalDeviceRecords;
}

/**
 * The document of a replica with all that belongs to it: where it stands, what is on its way to the
 * store and the server, the client id that is written under, and the status.
 */
export abstract class ReplicaCore {
  readonly own: OwnEdits;
  readonly status: ReplicaStatus;
  /** What edits are dated with. */
  readonly clock: ServerClock;
  protected readonly platform: Platform;
  protected readonly store: ReplicaStore;
  protected readonly records: LocalDeviceRecords;
  protected readonly pool: ClientPool;
  readonly #keeper: UnstoredKeeper;
  readonly #replacedListeners = new Set<() => void>();
  #current: ReplicaDocument;
  #outlineId: OutlineId | undefined;
  #position: ReplicaPosition;

  /** @param outlineId whose outline it is, when that is known */
  constructor(
    parts: ReplicaCoreParts,
    outline: Outline,
    outlineId: OutlineId | undefined,
    stored: StoredReplica,
  ) {
    const { store, tabs, platform, clock, records } = parts;
    this.store = store;
    this.records = records;
    this.platform = platform;
    this.clock = clock;
    const tab = hexOf(platform.randomBytes(8));
    this.#keeper = new UnstoredKeeper(platform.lastWords, tab);
    this.own = new OwnEdits(store, platform, {
      onReady: (edits) => {
        this.#keeper.release(this.own.writer.unstored);
        this.onReady(edits);
      },
      onSettledBefore: (edits) => this.onSettledBefore(edits),
      onFailure: () => {
        this.status.renew();
        this.onStoreFailure();
      },
    });
    this.status = new ReplicaStatus(this.own, records, () => this.doc);
    this.#outlineId = outlineId;
    if (outlineId !== undefined && outlineId !== stored.outline) this.own.writer.outline(outlineId);
    this.#position = stored.position;
    this.pool = new ClientPool(outline.doc, stored.clients, tabs, platform.random, {
      onNew: (client) => this.onNewClient(client),
      onTaken: () => this.takeLeft(),
    });
    this.#current = this.#follow(outline);
  }

  /** The document that the replica is now. */
  get current(): ReplicaDocument {
    return this.#current;
  }

  get doc(): Y.Doc {
    return this.#current.doc;
  }

  get isOutdated(): boolean {
    return this.#current.isOutdated;
  }

  get outlineId(): OutlineId | undefined {
    return this.#outlineId;
  }

  /** What the document has of the server's log. */
  get position(): ReplicaPosition {
    return this.#position;
  }

  /** Called when `current` is another document. Answers how to stop. */
  onReplaced(listener: () => void): () => void {
    this.#replacedListeners.add(listener);
    return () => this.#replacedListeners.delete(listener);
  }

  /** It has become known whose outline it is. */
  onOutline(id: OutlineId): void {
    this.#outlineId = id;
    this.own.writer.outline(id);
    const { random } = this.platform;
    const { now } = this.clock;
    const { doc } = this;
    this.replaceBy(() => Outline.attach(doc, { id, now, random, isDevice: true }), this.#position);
  }

  /** Edits may be sent and told to others: they are stored, or can't be. */
  protected abstract onReady(edits: readonly OwnEdit[]): void;
  /** Edits that the server has are stored only now. */
  protected abstract onSettledBefore(edits: readonly OwnEdit[]): void;
  /** Whether the store works, or why not, has changed. */
  protected abstract onStoreFailure(): void;
  /** This tab holds a new client id, for itself and later tabs. */
  protected abstract onNewClient(client: number): void;
  /** How it stands with the server may have changed. */
  abstract onStanding(): void;

  standAt(position: ReplicaPosition): void {
    this.#position = position;
  }

  /** Takes in what was written elsewhere. */
  apply(update: Uint8Array): void {
    const wasOutdated = this.isOutdated;
    Y.applyUpdate(this.doc, update, FROM_ELSEWHERE);
    this.pool.guard();
    if (this.isOutdated !== wasOutdated) this.onStanding();
  }

  /** The program may end without further notice. */
  protected hide(): void {
    this.own.writer.flush();
    this.#keeper.keep(this.own.writer.unstored);
  }

  /**
   * Takes in what other tabs have stored, heard of or not. Answers what was read; undefined when the
   * store can't be read.
   */
  async readLeft(): Promise<ReplicaNews | undefined> {
    const known = new Set(tokensOf(this.own.outbox));
    try {
      const news = await this.readStored();
      this.onReady(this.own.outbox.filter(({ token }) => !known.has(token)));
      return news;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return undefined;
    }
  }

  /** Takes in what the store has. @throws StoreError `replaced` when it is of another replica too */
  protected async readStored(): Promise<ReplicaNews> {
    const { doc } = this;
    const news = await this.store.readNew();
    if (this.doc !== doc || this.own.writer.isReplacing) {
      throw new StoreError("replaced", "what was read is of the replica before");
    }
    for (const update of news.updates) this.apply(update);
    this.own.addStored(news.outbox, this.status.since ?? this.platform.now());
    return news;
  }

  /** Takes in all that other tabs have left, stored or not. Answers whether the store could be read. */
  protected async takeLeft(): Promise<boolean> {
    if ((await this.readLeft()) === undefined) return false;
    this.bringBack();
    return true;
  }

  /** Takes in what tabs that ended had no time to store. */
  protected bringBack(): void {
    this.#keeper.bringBack((update) => {
      this.apply(update);
      this.own.add(update);
      // That tab may have sent it.
      this.own.markSent();
      return this.own.writer.stored();
    });
  }

  /** Makes updates of this document once more in another one. */
  protected writeAnew(
    writeAnew: Leading["writeAnew"],
    updates: readonly Uint8Array[],
    fresh: Y.Doc,
  ): Uint8Array | undefined {
    const neverSent = new Set(updatesOf(this.own.neverSent));
    const nowSec = Math.floor(this.clock.now() / 1000);
    return writeAnew(this.doc, updates, fresh, { nowSec, neverSent });
  }

  /** Another document is the replica from now on. */
  protected replaceBy(next: () => Outline, position: ReplicaPosition): void {
    this.#current.leave();
    this.#position = position;
    this.#current = this.#follow(next());
    for (const listener of this.#replacedListeners) listener();
    this.onStanding();
    this.status.renew();
  }

  /** Nobody is told anything any more. */
  protected leave(): void {
    this.status.close();
    this.#replacedListeners.clear();
  }

  #follow(outline: Outline): ReplicaDocument {
    const seq = (): number => this.#position.seq;
    return new ReplicaDocument(outline, seq, this.platform, (update) => {
      this.own.add(update);
      void this.pool.renew();
      this.status.renew();
    });
  }
}

/** Bytes as a name. */
export function hexOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

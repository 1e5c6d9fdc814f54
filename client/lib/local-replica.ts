import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { stateChunks } from "../../src/core/state-chunks.ts";
import type { DeviceRecords } from "./device-records.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import { Leader, type LeaderHost } from "./leader.ts";
import { LeasePool } from "./lease-pool.ts";
import { applyInSlices, FROM_ELSEWHERE, outlineInSlices } from "./load-replica.ts";
import { LocalDeviceRecords } from "./local-device-records.ts";
import { DisconnectedError } from "./disconnected-error.ts";
import type { OwnEdit } from "./outbox.ts";
import { OwnEdits } from "./own-edits.ts";
import type { Platform } from "./platform.ts";
import { ReplicaDocument, type EditingOf } from "./replica-document.ts";
import type { Replica } from "./replica.ts";
import { writeAnew } from "./rewrite/write-anew.ts";
import { SavedWaits } from "./saved-waits.ts";
import type { Disconnection, Status } from "./status.ts";
import { type Contact, sameStatus, statusOf } from "./status-of.ts";
import {
  type ReplicaPosition,
  type ReplicaStore,
  StoreError,
  type StoredLease,
  type StoredReplica,
} from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";
import { isTabMessage, type TabMessage } from "./tab-message.ts";

export interface ReplicaParts {
  readonly store: ReplicaStore;
  readonly tabs: TabGroup;
  readonly platform: Platform;
  readonly editing: EditingOf;
  /** Whose outline it is, when the caller knows. */
  readonly outline?: OutlineId | undefined;
}

/** Names an outline nobody has, until it is known whose replica it is. */
const UNKNOWN_OUTLINE = "00000000000080008000" as OutlineId;
/** When the oldest edit was made that is in the outbox. */
const SINCE_RECORD = "unsent-since";

/** A replica over a store: what is done here is stored, then sent, and kept until acknowledged. */
export class LocalReplica implements Replica, LeaderHost {
  readonly #parts: ReplicaParts;
  readonly #records: LocalDeviceRecords;
  readonly #own: OwnEdits;
  readonly #pool: LeasePool;
  readonly #waits = new SavedWaits();
  readonly #statusListeners = new Set<(status: Status) => void>();
  readonly #replacedListeners = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  #current: ReplicaDocument;
  #outlineId: OutlineId | undefined;
  #position: ReplicaPosition;
  #leader: Leader | undefined;
  /** How it stands with the server, as the leading tab has told. */
  #told: { contact: Contact; obstacle: Disconnection | undefined } = START;
  #status: Status = { kind: "saved" };
  #since: number | undefined;
  /** What other tabs said while this one is busy reading the store. */
  #held: TabMessage[] | undefined;
  #isClosed = false;

  private constructor(parts: ReplicaParts, outline: Outline, stored: StoredReplica) {
    const { store, tabs, platform } = parts;
    this.#parts = parts;
    this.#records = new LocalDeviceRecords(store);
    this.#own = new OwnEdits(store, platform, hex(platform.randomBytes(8)), {
      onReady: (edits) => this.#onReady(edits),
      onFailure: () => this.onStanding(),
    });
    this.#outlineId = stored.outline ?? parts.outline;
    if (stored.outline === undefined && parts.outline !== undefined) {
      this.#own.writer.outline(parts.outline);
    }
    this.#position = stored.position;
    this.#pool = new LeasePool(outline.doc, stored.leases, tabs, platform.random, {
      onWanted: () => this.#onLeaseWanted(),
    });
    this.#current = this.#follow(outline);
  }

  /**
   * Reads the store, in slices, and begins to connect when no other tab does.
   * @throws StoreError when the store can't be read
   */
  static async open(parts: ReplicaParts): Promise<LocalReplica> {
    const { store, tabs, platform } = parts;
    const early: TabMessage[] = [];
    const stopListening = tabs.onMessage((message) => {
      if (isTabMessage(message)) early.push(message);
    });
    const stored = await store.read();
    const doc = new Y.Doc();
    await applyInSlices(doc, stored.updates, platform);
    const known = stored.outline ?? parts.outline ?? (await askOutline(platform));
    const outline = await outlineInSlices(doc, known ?? UNKNOWN_OUTLINE, platform);
    const replica = new LocalReplica({ ...parts, outline: known }, outline, stored);
    stopListening();
    await replica.#start(stored, early);
    return replica;
  }

  get outline(): Outline {
    return this.#current.outline;
  }

  get edits(): Edits {
    return this.#current.edits;
  }

  get history(): History {
    return this.#current.history;
  }

  get records(): DeviceRecords {
    return this.#records;
  }

  get seq(): number {
    return this.#position.seq;
  }

  get status(): Status {
    return this.#status;
  }

  onStatus(listener: (status: Status) => void): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  onReplaced(listener: () => void): () => void {
    this.#replacedListeners.add(listener);
    return () => this.#replacedListeners.delete(listener);
  }

  connect(): void {
    if (this.#leader === undefined) this.#post({ kind: "connect" });
    else this.#leader.connect();
  }

  stored(): Promise<void> {
    return this.#own.writer.stored();
  }

  async saved(): Promise<void> {
    if (this.#isClosed) throw new DisconnectedError("closed");
    const saved = this.#waits.on(tokensOf(this.#own.unsaved));
    this.#endWaits();
    return saved;
  }

  caughtUp(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new DisconnectedError("closed"));
    const caughtUp = this.#waits.on([CONNECTED]);
    this.#endWaits();
    return caughtUp;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#statusListeners.clear();
    this.#replacedListeners.clear();
    this.#leader?.close();
    this.#waits.failed(new DisconnectedError("closed"));
    const stored = this.#own.writer.stored();
    await Promise.allSettled([stored, this.#records.settled()]);
    this.#own.writer.rest();
    this.#current.leave();
    this.#parts.tabs.close();
    await this.#parts.store.close();
    await stored;
  }

  // What the leader asks and tells.

  get doc(): Y.Doc {
    return this.#current.doc;
  }

  get outlineId(): OutlineId | undefined {
    return this.#outlineId;
  }

  get position(): ReplicaPosition {
    return this.#position;
  }

  get leases(): readonly StoredLease[] {
    return this.#pool.leases;
  }

  get isOutdated(): boolean {
    return this.#current.isOutdated;
  }

  outbox(): readonly OwnEdit[] {
    return this.#own.outbox;
  }

  onReceived(update: Uint8Array, position: ReplicaPosition | undefined): void {
    this.#apply(update);
    if (position !== undefined) this.#position = position;
    this.#own.writer.received(update, position);
    this.#post({ kind: "received", update, position: this.#position });
    if (this.isOutdated) this.onStanding();
  }

  onPosition(position: ReplicaPosition): void {
    if (position.seq === this.#position.seq && position.epoch === this.#position.epoch) return;
    this.#position = position;
    this.#own.writer.position(position);
  }

  onSettled(edits: readonly OwnEdit[]): void {
    const settled = edits.map(({ token, number }) => ({ token, number }));
    this.#waits.settled(this.#own.settle(settled, true));
    this.#post({ kind: "settled", edits: settled });
    this.onStanding();
  }

  onLeases(leases: readonly StoredLease[]): void {
    this.#own.writer.leases(leases);
    void this.#pool.set(leases);
    this.#post({ kind: "leases", leases });
  }

  onOutline(id: OutlineId): void {
    this.#outlineId = id;
    this.#own.writer.outline(id);
    const { now, random } = this.#parts.platform;
    const { doc } = this;
    this.#current.leave();
    this.#current = this.#follow(Outline.attach(doc, { id, now, random, isDevice: true }));
    for (const listener of this.#replacedListeners) listener();
  }

  onStanding(): void {
    const leader = this.#leader;
    if (leader !== undefined) {
      const { contact, obstacle } = leader;
      this.#told = { contact, obstacle };
      this.#post({ kind: "standing", ...this.#told, position: this.#position });
    }
    this.#renewStatus();
    this.#endWaits();
  }

  async onFresh(
    doc: Y.Doc,
    position: ReplicaPosition,
    leases: readonly StoredLease[],
  ): Promise<void> {
    const outline = await outlineInSlices(doc, this.outline.id, this.#parts.platform);
    await this.#pool.follow(doc, leases);
    const unsaved = this.#own.unsaved;
    const update = this.#writeAnew(unsaved, doc);
    this.#position = position;
    this.#swap(outline);
    const included = tokensOf(unsaved);
    const edit = this.#own.replace(
      update,
      this.#since ?? this.#parts.platform.now(),
      () => ({
        updates: [...stateChunks(doc)],
        position: this.#position,
        leases: this.#pool.leases,
      }),
      () => this.#post({ kind: "replaced", included }),
    );
    this.#waits.replaced(included, edit === undefined ? [] : [edit.token]);
  }

  // What happens here.

  async #start(stored: StoredReplica, early: readonly TabMessage[]): Promise<void> {
    const { tabs, platform } = this.#parts;
    const since = await this.#records.read(SINCE_RECORD);
    this.#own.addStored(stored.outbox, typeof since === "number" ? since : platform.now());
    this.#stops.push(
      this.#own.writer.watch(),
      tabs.onMessage((message) => {
        if (isTabMessage(message)) this.#onTabMessage(message);
      }),
      tabs.onLeader(() => void this.#takeOver()),
      platform.onHide(() => this.#own.writer.flush()),
    );
    for (const message of early) this.#onTabMessage(message);
    await this.#pool.renew();
    if (tabs.isLeader) this.#lead();
    else this.#post({ kind: "opened" });
    this.#renewStatus();
    // What fails here is told by the replica's own writes.
    void this.#parts.store.compact().catch(() => undefined);
  }

  #follow(outline: Outline): ReplicaDocument {
    const editing = this.#parts.editing(outline, () => this.#position.seq);
    return new ReplicaDocument(outline, editing, (update) => {
      this.#own.add(update);
      void this.#pool.renew();
      this.#renewStatus();
    });
  }

  #apply(update: Uint8Array): void {
    Y.applyUpdate(this.doc, update, FROM_ELSEWHERE);
    this.#pool.guard();
  }

  #lead(): void {
    if (this.#leader !== undefined || this.#isClosed) return;
    this.#leader = new Leader(this, this.#parts.platform);
    if (this.#pool.isWanting) this.#leader.wantLease();
    this.#leader.connect();
  }

  /** The leading tab is gone: what it has stored, and was not heard of, is read first. */
  async #takeOver(): Promise<void> {
    const { store, platform } = this.#parts;
    try {
      for (const update of await store.readNew()) this.#apply(update);
      const { outbox, position, leases } = await store.read();
      this.#own.addStored(outbox, this.#since ?? platform.now());
      if (position.epoch === this.#position.epoch) {
        this.#position = { ...position, seq: Math.min(position.seq, this.#position.seq) };
      } else this.#position = position;
      await this.#pool.set(leases);
    } catch (error) {
      // It leads all the same: what it knows can be sent, and the server has the rest.
      if (!(error instanceof StoreError)) throw error;
    }
    this.#lead();
  }

  #onReady(edits: readonly OwnEdit[]): void {
    this.#post({ kind: "own", edits });
    this.#renewStatus();
    this.#leader?.pump();
  }

  #onLeaseWanted(): void {
    if (this.#leader === undefined) this.#post({ kind: "lease_wanted" });
    else this.#leader.wantLease();
  }

  #onTabMessage(message: TabMessage): void {
    if (this.#held !== undefined) {
      this.#held.push(message);
      return;
    }
    const leader = this.#leader;
    switch (message.kind) {
      case "opened":
        if (leader !== undefined) this.onStanding();
        return;
      case "own":
        return this.#onOthersEdits(message.edits);
      case "received":
        this.#apply(message.update);
        this.#position = message.position;
        return;
      case "settled":
        this.#waits.settled(this.#own.settle(message.edits, false));
        return this.#renewStatus();
      case "standing":
        if (leader !== undefined) return;
        this.#told = { contact: message.contact, obstacle: message.obstacle };
        this.#position = message.position;
        return this.onStanding();
      case "lease_wanted":
        return leader?.wantLease();
      case "leases":
        void this.#pool.set(message.leases);
        return;
      case "connect":
        return leader?.connect();
      case "replaced":
        void this.#reload(message.included);
    }
  }

  #onOthersEdits(edits: readonly OwnEdit[]): void {
    for (const { update, number } of edits) {
      this.#apply(update);
      // That tab's store fails; this one's may work.
      if (number === undefined && this.#leader !== undefined) {
        this.#own.writer.received(update, undefined);
      }
    }
    this.#own.addOthers(edits);
    this.#renewStatus();
    this.#leader?.pump();
  }

  /** Another tab has replaced what is stored; what it did not know of is written anew here. */
  async #reload(included: readonly string[]): Promise<void> {
    const { store, platform } = this.#parts;
    this.#held = [];
    try {
      const stored = await store.read();
      const doc = new Y.Doc();
      await applyInSlices(doc, stored.updates, platform);
      const outline = await outlineInSlices(doc, this.outline.id, platform);
      await this.#pool.follow(doc, stored.leases);
      const unsaved = this.#own.unsaved;
      const left = unsaved.filter(
        (edit) => this.#own.isMine(edit) && !included.includes(edit.token),
      );
      const update = this.#writeAnew(left, doc);
      this.#own.restart();
      this.#own.addStored(stored.outbox, this.#since ?? platform.now());
      this.#position = stored.position;
      this.#swap(outline);
      if (update !== undefined) this.#own.add(update);
      this.#waits.replaced(tokensOf(unsaved), tokensOf(this.#own.unsaved));
    } catch (error) {
      // The old replica stays, whose writes are refused: the status says that nothing is stored.
      if (!(error instanceof StoreError)) throw error;
    }
    const held = this.#held;
    this.#held = undefined;
    for (const message of held) this.#onTabMessage(message);
  }

  #writeAnew(edits: readonly OwnEdit[], fresh: Y.Doc): Uint8Array | undefined {
    const updates = edits.map(({ update }) => update);
    return writeAnew(this.doc, updates, fresh, Math.floor(this.#parts.platform.now() / 1000));
  }

  #swap(outline: Outline): void {
    this.#current.leave();
    this.#current = this.#follow(outline);
    for (const listener of this.#replacedListeners) listener();
    this.onStanding();
  }

  #post(message: TabMessage): void {
    this.#parts.tabs.post(message);
  }

  #renewStatus(): void {
    const { contact, obstacle } = this.#told;
    const { count, since } = this.#own.unsent;
    if (since !== this.#since && this.#leader !== undefined)
      this.#records.write(SINCE_RECORD, since);
    this.#since = since;
    const failure = this.#own.failure?.code;
    // What is not stored yet is no claim to make: "on this device" is said of what is in the store.
    const isOnDevice = contact.kind === "away" && failure === undefined;
    const unsent = isOnDevice ? count : this.#own.unsaved.length;
    const status = statusOf({ contact, obstacle, failure, unsent, since });
    if (sameStatus(status, this.#status)) return;
    this.#status = status;
    for (const listener of this.#statusListeners) listener(status);
  }

  #endWaits(): void {
    const { contact, obstacle } = this.#told;
    if (contact.kind === "live") this.#waits.settled([CONNECTED]);
    const cause = obstacle ?? (contact.kind === "away" ? contact.cause : undefined);
    if (cause === undefined || cause === "unreachable" || cause === "unavailable") return;
    this.#waits.failed(new DisconnectedError(cause));
  }
}

/** Whose outline the key opens: asked for a new store, which does not know. */
async function askOutline({ askSession }: Platform): Promise<OutlineId | undefined> {
  const reply = await askSession();
  return reply.kind === "signed_in" ? reply.outline : undefined;
}

/** What is waited for besides edits: that there is a connection, and everything has come over it. */
const CONNECTED = "connected";
const START = { contact: { kind: "joining" }, obstacle: undefined } as const;

function tokensOf(edits: readonly OwnEdit[]): readonly string[] {
  return edits.map(({ token }) => token);
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { Outline } from "../../src/core/outline.ts";
import { stateChunks } from "../../src/core/state-chunks.ts";
import type { DeviceRecords } from "./device-records.ts";
import { DisconnectedError } from "./disconnected-error.ts";
import type { Edits } from "./edit/edits.ts";
import type { History } from "./edit/history.ts";
import { Leader, type LeaderHost } from "./leader.ts";
import { LeasePool } from "./lease-pool.ts";
import { applyInSlices, FROM_ELSEWHERE, outlineInSlices } from "./load-replica.ts";
import { LocalDeviceRecords } from "./local-device-records.ts";
import type { OwnEdit } from "./outbox.ts";
import { OwnEdits } from "./own-edits.ts";
import type { Platform } from "./platform.ts";
import { ReplicaDocument, type EditingOf } from "./replica-document.ts";
import { ReplicaStatus } from "./replica-status.ts";
import type { Replica } from "./replica.ts";
import { writeAnew } from "./rewrite/write-anew.ts";
import type { Status } from "./status.ts";
import {
  type ReplicaPosition,
  type ReplicaStore,
  StoreError,
  type StoredLease,
  type StoredReplica,
} from "./store/replica-store.ts";
import type { TabGroup } from "./tab-group.ts";
import { TabLink } from "./tab-link.ts";
import type { TabMessage } from "./tab-message.ts";

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

/** A replica over a store: what is done here is stored, then sent, and kept until acknowledged. */
export class LocalReplica implements Replica, LeaderHost {
  readonly records: DeviceRecords;
  readonly #parts: ReplicaParts;
  readonly #link: TabLink;
  readonly #records: LocalDeviceRecords;
  readonly #own: OwnEdits;
  readonly #pool: LeasePool;
  readonly #status: ReplicaStatus;
  readonly #replacedListeners = new Set<() => void>();
  readonly #stops: (() => void)[] = [];
  #current: ReplicaDocument;
  #outlineId: OutlineId | undefined;
  #position: ReplicaPosition;
  /** Whether the document has all that came before what the leader tells. */
  #isInStep = false;
  #leader: Leader | undefined;
  #isClosed = false;

  private constructor(parts: ReplicaParts, link: TabLink, outline: Outline, stored: StoredReplica) {
    const { store, tabs, platform } = parts;
    this.#parts = parts;
    this.#link = link;
    this.#records = new LocalDeviceRecords(store);
    this.records = this.#records;
    this.#own = new OwnEdits(store, platform, hex(platform.randomBytes(8)), {
      onReady: (edits) => this.#onReady(edits),
      onFailure: () => this.#status.renew(),
    });
    this.#status = new ReplicaStatus(this.#own, this.#records);
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
    const link = new TabLink(tabs);
    try {
      const stored = await store.read();
      const doc = new Y.Doc();
      await applyInSlices(doc, stored.updates, platform);
      const known = stored.outline ?? parts.outline ?? (await askOutline(platform));
      const outline = await outlineInSlices(doc, known ?? UNKNOWN_OUTLINE, platform);
      const replica = new LocalReplica({ ...parts, outline: known }, link, outline, stored);
      await replica.#start(stored);
      return replica;
    } catch (error) {
      link.close();
      throw error;
    }
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

  get seq(): number {
    return this.#position.seq;
  }

  get status(): Status {
    return this.#status.status;
  }

  onStatus(listener: (status: Status) => void): () => void {
    return this.#status.onStatus(listener);
  }

  onReplaced(listener: () => void): () => void {
    this.#replacedListeners.add(listener);
    return () => this.#replacedListeners.delete(listener);
  }

  connect(): void {
    if (this.#leader === undefined) this.#link.post({ kind: "connect" });
    else this.#leader.connect();
  }

  stored(): Promise<void> {
    return this.#own.writer.stored();
  }

  saved(): Promise<void> {
    return this.#isClosed ? alreadyClosed() : this.#status.saved();
  }

  caughtUp(): Promise<void> {
    return this.#isClosed ? alreadyClosed() : this.#status.caughtUp();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#link.pause();
    this.#status.close();
    this.#replacedListeners.clear();
    this.#leader?.close();
    const stored = this.#own.writer.stored();
    await Promise.allSettled([stored, this.#records.settled()]);
    this.#own.writer.rest();
    this.#current.leave();
    this.#link.close();
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
    this.#link.post({ kind: "received", update, position: this.#position });
  }

  onPosition(position: ReplicaPosition): void {
    if (position.seq === this.#position.seq && position.epoch === this.#position.epoch) return;
    this.#position = position;
    this.#own.writer.position(position);
  }

  onSettled(edits: readonly OwnEdit[]): void {
    const settled = edits.map(({ token, number }) => ({ token, number }));
    this.#status.waits.settled(this.#own.settle(settled, true));
    this.#link.post({ kind: "settled", edits: settled, position: this.#position });
    this.#status.renew();
  }

  onLeases(leases: readonly StoredLease[]): void {
    this.#own.writer.leases(leases);
    void this.#pool.set(leases);
    this.#link.post({ kind: "leases", leases });
  }

  onOutline(id: OutlineId): void {
    this.#outlineId = id;
    this.#own.writer.outline(id);
    const { now, random } = this.#parts.platform;
    const { doc } = this;
    this.#current.leave();
    this.#swap(Outline.attach(doc, { id, now, random, isDevice: true }));
  }

  onStanding(): void {
    const { generation } = this.#link;
    if (this.#leader === undefined || generation === undefined) return;
    const { contact, obstacle } = this.#leader;
    this.#link.post({ kind: "standing", generation, contact, obstacle });
    this.#status.renew({ contact, obstacle });
  }

  async onFresh(
    doc: Y.Doc,
    position: ReplicaPosition,
    leases: readonly StoredLease[],
  ): Promise<void> {
    const { platform } = this.#parts;
    const outline = await outlineInSlices(doc, this.outline.id, platform);
    await this.#pool.follow(doc, leases);
    // Other tabs hear of nothing that is in the new replica before they hear of the replica itself.
    const generation = this.#newGeneration();
    this.#link.hush();
    const unsaved = this.#own.unsaved;
    const update = this.#writeAnew(unsaved, doc);
    const included = tokensOf(unsaved);
    this.#current.leave();
    this.#position = position;
    const edit = this.#own.replace(
      update,
      this.#status.since ?? platform.now(),
      () => ({
        updates: [...stateChunks(doc)],
        position: this.#position,
        leases: this.#pool.leases,
      }),
      () => this.#link.speak({ kind: "replaced", generation, included }),
    );
    this.#status.waits.replaced(included, edit === undefined ? [] : [edit.token]);
    this.#swap(outline);
  }

  // What happens here.

  async #start(stored: StoredReplica): Promise<void> {
    const { tabs, store, platform } = this.#parts;
    const since = await ReplicaStatus.storedSince(this.#records);
    this.#own.addStored(stored.outbox, since ?? platform.now());
    this.#stops.push(
      this.#own.writer.watch(),
      tabs.onLeader(() => void this.#takeOver()),
      platform.onHide(() => this.#own.writer.flush()),
    );
    this.#link.listen((message) => this.#onTabMessage(message));
    await this.#pool.renew();
    if (tabs.isLeader) this.#lead();
    else this.#link.post({ kind: "opened" });
    this.#status.renew();
    // What fails here is told by the replica's own writes.
    void store.compact().catch(() => undefined);
  }

  #follow(outline: Outline): ReplicaDocument {
    const editing = this.#parts.editing(outline, () => this.#position.seq);
    return new ReplicaDocument(outline, editing, (update) => {
      this.#own.add(update);
      void this.#pool.renew();
      this.#status.renew();
    });
  }

  #apply(update: Uint8Array): void {
    const wasOutdated = this.isOutdated;
    Y.applyUpdate(this.doc, update, FROM_ELSEWHERE);
    this.#pool.guard();
    if (this.isOutdated !== wasOutdated) this.onStanding();
  }

  #lead(): void {
    if (this.#leader !== undefined || this.#isClosed) return;
    this.#isInStep = true;
    this.#newGeneration();
    this.#leader = new Leader(this, this.#parts.platform);
    if (this.#pool.isWanting) this.#leader.wantLease();
    this.#leader.connect();
  }

  #newGeneration(): string {
    const generation = hex(this.#parts.platform.randomBytes(8));
    this.#link.generation = generation;
    return generation;
  }

  /** The leading tab is gone: what it has stored, and was not heard of, is read first. */
  async #takeOver(): Promise<void> {
    const { store, platform } = this.#parts;
    try {
      for (const update of await store.readNew()) this.#apply(update);
      const { outbox, position, leases } = await store.read();
      this.#own.addStored(outbox, this.#status.since ?? platform.now());
      const isSame = position.epoch === this.#position.epoch;
      const seq = isSame ? Math.min(position.seq, this.#position.seq) : position.seq;
      this.#position = { ...position, seq };
      await this.#pool.set(leases);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // Otherwise it leads all the same: what it knows can be sent, and the server has the rest.
      if (error.code === "replaced") await this.#reload([]);
    }
    this.#lead();
  }

  #onReady(edits: readonly OwnEdit[]): void {
    this.#postOwn(edits);
    this.#status.renew();
    this.#leader?.pump();
  }

  #postOwn(edits: readonly OwnEdit[]): void {
    const { generation } = this.#link;
    // Until a leader was heard, it is not known whether it would understand them: they wait.
    if (generation === undefined || edits.length === 0) return;
    this.#link.post({ kind: "own", generation, edits });
  }

  #onLeaseWanted(): void {
    if (this.#leader === undefined) this.#link.post({ kind: "lease_wanted" });
    else this.#leader.wantLease();
  }

  #onTabMessage(message: TabMessage): void {
    switch (message.kind) {
      case "opened":
        if (this.#leader !== undefined) void this.#welcome();
        return;
      case "own":
        if (message.generation === this.#link.generation) this.#onOthersEdits(message.edits);
        return;
      case "received":
        this.#apply(message.update);
        return this.#toldPosition(message.position);
      case "stored":
        void this.#catchUp(message.position);
        return;
      case "settled":
        this.#status.waits.settled(this.#own.settle(message.edits, false));
        this.#toldPosition(message.position);
        return this.#status.renew();
      case "standing":
        if (this.#leader === undefined) this.#onLeaderHeard(message);
        return;
      case "lease_wanted":
        return this.#leader?.wantLease();
      case "leases":
        void this.#pool.set(message.leases);
        return;
      case "connect":
        return this.#leader?.connect();
      case "replaced":
        this.#link.generation = message.generation;
        void this.#reload(message.included);
    }
  }

  /** Tells a tab that has opened how it stands, and when the store has what it did not hear of. */
  async #welcome(): Promise<void> {
    this.onStanding();
    const position = this.#position;
    try {
      await this.#own.writer.stored();
      this.#link.post({ kind: "stored", position });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async #catchUp(position: ReplicaPosition): Promise<void> {
    if (this.#isInStep) return;
    try {
      for (const update of await this.#parts.store.readNew()) this.#apply(update);
      this.#isInStep = true;
      this.#toldPosition(position);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #toldPosition(position: ReplicaPosition): void {
    const { epoch, seq } = this.#position;
    if (this.#isInStep && (position.epoch !== epoch || position.seq > seq)) {
      this.#position = position;
    }
  }

  #onLeaderHeard({
    generation,
    contact,
    obstacle,
  }: Extract<TabMessage, { kind: "standing" }>): void {
    this.#status.renew({ contact, obstacle });
    if (generation === this.#link.generation) return;
    this.#link.generation = generation;
    this.#postOwn(this.#own.outbox.filter((edit) => this.#own.isMine(edit)));
    if (this.#pool.isWanting) this.#onLeaseWanted();
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
    this.#status.renew();
    this.#leader?.pump();
  }

  /** Another tab has replaced what is stored; what it did not know of is written anew here. */
  async #reload(included: readonly string[]): Promise<void> {
    const { store, platform } = this.#parts;
    this.#link.pause();
    try {
      const stored = await store.read();
      const doc = new Y.Doc();
      await applyInSlices(doc, stored.updates, platform);
      const outline = await outlineInSlices(doc, this.outline.id, platform);
      await this.#pool.follow(doc, stored.leases);
      const unsaved = this.#own.unsaved;
      const isLeft = (edit: OwnEdit): boolean =>
        this.#own.isMine(edit) && !included.includes(edit.token);
      const update = this.#writeAnew(unsaved.filter(isLeft), doc);
      this.#current.leave();
      this.#own.restart();
      this.#own.addStored(stored.outbox, this.#status.since ?? platform.now());
      this.#position = stored.position;
      this.#isInStep = true;
      if (update !== undefined) this.#own.add(update);
      this.#status.waits.replaced(tokensOf(unsaved), tokensOf(this.#own.unsaved));
      this.#swap(outline);
    } catch (error) {
      // The old replica stays, whose writes are refused: the status says that nothing is stored.
      if (!(error instanceof StoreError)) throw error;
    }
    if (!this.#isClosed) this.#link.listen((message) => this.#onTabMessage(message));
  }

  #writeAnew(edits: readonly OwnEdit[], fresh: Y.Doc): Uint8Array | undefined {
    const updates = edits.map(({ update }) => update);
    return writeAnew(this.doc, updates, fresh, Math.floor(this.#parts.platform.now() / 1000));
  }

  #swap(outline: Outline): void {
    this.#current = this.#follow(outline);
    for (const listener of this.#replacedListeners) listener();
    this.onStanding();
    this.#status.renew();
  }
}

/** Whose outline the key opens: asked for a new store, which does not know. */
async function askOutline({ askSession }: Platform): Promise<OutlineId | undefined> {
  const reply = await askSession();
  return reply.kind === "signed_in" ? reply.outline : undefined;
}

function alreadyClosed(): Promise<never> {
  return Promise.reject(new DisconnectedError("closed"));
}

function tokensOf(edits: readonly OwnEdit[]): readonly string[] {
  return edits.map(({ token }) => token);
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

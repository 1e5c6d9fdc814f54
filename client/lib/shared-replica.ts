import type { OutlineId } from "../../src/core/node-key.ts";
import type { Outline } from "../../src/core/outline.ts";
import { AnswerWatch } from "./answer-watch.ts";
import type { Leader, LeaderHost } from "./leader.ts";
import { type EditName, namesOf, type OwnEdit, tokensOf, updatesOf } from "./outbox.ts";
import { Repeated } from "./repeated.ts";
import { ReplacementReader } from "./replacement-reader.ts";
import { ReplaceableReplica, type ReplaceableReplicaParts } from "./replaceable-replica.ts";
import type { ClientChange } from "./store/client-changes.ts";
import { type ReplicaPosition, StoreError, type StoredReplica } from "./store/replica-store.ts";
import { TabCatchUp } from "./tab-catch-up.ts";
import type { TabGroup } from "./tab-group.ts";
import { isOfLeader, type Replacement, type TabMessage } from "./tab-message.ts";
import type { ServerStanding } from "./replica-status.ts";

/** How often the connected tab looks for what another one had no time to tell, or to store. */
const LOOK_EVERY_MS = 60_000;

export interface SharedReplicaParts extends ReplaceableReplicaParts {
  /** Called once when what it takes to lead can't be had; it is tried again. */
  readonly onPartMissing?: (() => void) | undefined;
}

/**
 * The replica that all tabs of a store have together, as one of them has it: it leads, or follows the
 * one that leads.
 */
export class SharedReplica extends ReplaceableReplica implements LeaderHost {
  readonly #tabs: TabGroup;
  readonly #stops: (() => void)[] = [];
  readonly #catchUp: TabCatchUp;
  readonly #replacement: ReplacementReader;
  readonly #onPartMissing: (() => void) | undefined;
  #isLeading = false;
  /** What a tab that leads does with the server, from when it is there. */
  #leader: Leader | undefined;
  /** What the other tabs were told last of how it stands. */
  #said = "";
  /** How it stands before. */
  #unconnected: ServerStanding = { contact: { kind: "joining" }, obstacle: undefined };
  /** The same, as another tab that leads has told it last. */
  #told: ServerStanding | undefined;
  /** Whether that one answers when it is told of edits. */
  readonly #answer: AnswerWatch;
  /** For edits of tabs that ended unheard, while this one leads and is connected. */
  readonly #look: Repeated;

  /** @param outlineId whose outline it is, when that is known */
  constructor(
    parts: SharedReplicaParts,
    outline: Outline,
    outlineId: OutlineId | undefined,
    stored: StoredReplica,
  ) {
    super(parts, outline, outlineId, stored);
    const { store, platform, clock } = parts;
    this.#tabs = parts.tabs;
    this.#look = new Repeated(platform, LOOK_EVERY_MS, () => void this.takeLeft());
    this.#replacement = new ReplacementReader(store, platform, clock, stored.generation);
    this.#onPartMissing = parts.onPartMissing;
    this.#answer = new AnswerWatch(platform, this.own, (isSilent) => this.#onAnswering(isSilent));
    this.#stops.push(
      () => this.#replacement.stop(),
      () => this.#answer.stop(),
      () => this.leading.close(),
      () => this.lostStore.close(),
    );
    this.#catchUp = new TabCatchUp(this, {
      link: parts.link,
      postOwn: (edits) => this.#postOwn(edits),
      stateOf: async (doc) => (await this.leading.loaded).stateChunks(doc),
    });
  }

  protected override onLeadingMissing(): void {
    const isNews = this.#unconnected.contact.kind === "joining";
    this.#unconnected = { contact: { kind: "away", cause: "unreachable" }, obstacle: undefined };
    this.onStanding();
    if (isNews) this.#onPartMissing?.();
  }

  connect(): void {
    if (this.#isLeading) this.#leader?.connect();
    else this.link.post({ kind: "connect" });
  }

  /** Ends everything but the store. */
  async close(): Promise<void> {
    this.isClosed = true;
    for (const stop of this.#stops) stop();
    this.#look.isOn = false;
    this.link.pause();
    this.leave();
    this.#leader?.close();
    try {
      await this.own.writer.stored();
    } finally {
      this.own.writer.rest();
      this.current.leave();
      this.link.close();
    }
  }

  // What the leader asks and tells.

  onReceived(update: Uint8Array, position: ReplicaPosition | undefined): void {
    const ownClocks = this.pool.clocks();
    this.apply(update);
    // This device has not written that: a copy of its store has, or it has lost what it wrote.
    this.#giveUp(this.pool.grownSince(ownClocks));
    if (position !== undefined) this.standAt(position);
    this.own.writer.received(update, position);
    this.link.post({ kind: "received", update, position: this.position });
  }

  onPosition(position: ReplicaPosition): void {
    if (position.seq === this.position.seq && position.epoch === this.position.epoch) return;
    this.standAt(position);
    this.own.writer.position(position);
  }

  onSettled(edits: readonly OwnEdit[]): void {
    this.#settle(edits, true);
    this.#tellSettled(edits);
    this.status.renew();
  }

  #tellSettled(edits: readonly EditName[]): void {
    this.link.post({ kind: "settled", edits: namesOf(edits), position: this.position });
  }

  /** The server may have lost what was written under them last, and others may bring that back. */
  onOtherHistory(): void {
    this.#giveUp(this.pool.clients);
  }

  #giveUp(clients: readonly number[]): void {
    if (clients.length === 0) return;
    const changes = clients.map((client) => ({ client, isKept: false }));
    this.#tellClients(changes);
    void this.pool.change(changes);
  }

  onClock(): void {
    this.link.post({ kind: "clock", offsetMs: this.clock.offsetMs });
  }

  override onStanding(): void {
    const { generation } = this.link;
    if (!this.#isLeading || generation === undefined) return;
    const { contact, obstacle } = this.#leader ?? this.#unconnected;
    const unstored = this.own.writer.isReplacing ? this.included : undefined;
    this.#tellStanding({ kind: "standing", generation, contact, obstacle, unstored });
    this.status.renew({ contact, obstacle });
    const isLive = contact.kind === "live";
    this.own.writer.isLive = isLive;
    this.#look.isOn = isLive && !this.isClosed;
  }

  /** Who types is connected as before with each letter: the tabs are told what is new. */
  #tellStanding(standing: Extract<TabMessage, { kind: "standing" }>): void {
    const text = JSON.stringify(standing);
    if (text === this.#said) return;
    this.#said = text;
    this.link.post(standing);
  }

  /**
   * Begins to hear other tabs, and to connect when none of them does.
   * @param since when the oldest edit of the stored outbox was made
   */
  async start(stored: StoredReplica, since: number | undefined): Promise<void> {
    const { platform } = this;
    const { outbox, sentUpTo } = stored;
    this.own.addStored(outbox, since ?? platform.now(), sentUpTo);
    this.own.writer.knows(outbox.some(({ number }) => number > sentUpTo));
    this.#stops.push(
      this.own.writer.watch(),
      this.#tabs.onLeader(() => void this.#takeOver()),
      platform.onHide(() => this.hide()),
    );
    this.link.listen((message) => this.#onTabMessage(message));
    this.bringBack();
    await this.pool.renew();
    if (this.#tabs.isLeader) this.#lead();
    else this.link.post({ kind: "opened" });
    this.status.renew();
    // What fails here is told by the replica's own writes.
    void this.store.compact().catch(() => undefined);
  }

  /** The server has these. Answers whether any of them was unsent here. */
  #settle(edits: readonly EditName[], tellsStore: boolean): boolean {
    const settled = this.own.settle(edits, tellsStore);
    this.status.waits.settled(tokensOf(settled));
    return settled.length > 0;
  }

  #lead(): void {
    if (this.#isLeading || this.isClosed) return;
    this.#isLeading = true;
    this.#catchUp.isInStep = true;
    this.#replacement.stop();
    this.#answer.stop();
    this.newGeneration();
    this.own.keepOthers();
    this.onStoreFailure();
    void this.#beginToConnect();
  }

  async #beginToConnect(): Promise<void> {
    const { lead } = await this.leading.loaded;
    if (this.isClosed) return;
    this.#leader = lead(this, this.platform);
    this.#leader.connect();
  }

  /** The leading tab is gone: what it has stored, and was not heard of, is read first. */
  async #takeOver(): Promise<void> {
    this.own.markSent();
    try {
      const { position, clients } = await this.readStored();
      const { epoch, seq } = this.position;
      const isAhead = position.epoch !== epoch || position.seq < seq;
      this.standAt(isAhead ? position : { epoch, seq });
      // The server sends nothing once more that is here.
      if (isAhead) await this.#storeAll();
      await this.pool.set(clients);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "replaced") await this.#reload({ generation: undefined, included: [] });
      else await this.#storeAll();
    }
    this.#lead();
  }

  /**
   * Before this tab leads and has what the store lacks, or may lack: it stores all that is here with
   * where it stands, as soon as it can, so that the store is never said to be where it is not.
   */
  async #storeAll(): Promise<void> {
    const { stateChunks } = await this.leading.loaded;
    for (const update of stateChunks(this.doc)) this.own.writer.received(update, this.position);
  }

  protected override onStoreFailure(): void {
    if (this.#isLeading && this.own.failure?.code === "lost") this.lostStore.begin();
  }

  protected override onReady(edits: readonly OwnEdit[]): void {
    this.#postOwn(edits);
    this.status.renew();
    this.#leader?.pump();
  }

  #postOwn(edits: readonly OwnEdit[]): void {
    const { generation } = this.link;
    // Until a leader was heard, it is not known whether it would understand them: they wait.
    if (generation === undefined || edits.length === 0) return;
    if (!this.#isLeading) {
      this.own.markSent();
      this.#answer.expect();
    }
    this.link.post({ kind: "own", generation, edits });
  }

  /** Nothing is on its way when the tab that would send it does not answer. */
  #onAnswering(isSilent: boolean): void {
    const told = this.#told;
    if (told?.contact.kind !== "live" || told.obstacle !== undefined) return;
    const contact = { kind: "away", cause: "unreachable" } as const;
    this.status.renew(isSilent ? { ...told, contact } : told);
  }

  protected override onSettledBefore(edits: readonly OwnEdit[]): void {
    this.link.post({ kind: "settled_before", edits: namesOf(edits) });
  }

  protected override onNewClient(client: number): void {
    this.#tellClients([{ client, isKept: true }]);
  }

  /** Stores, and tells other tabs, which client ids this device has from now on. */
  #tellClients(changes: readonly ClientChange[]): void {
    this.own.writer.clients(changes);
    this.link.post({ kind: "clients", changes });
  }

  #onTabMessage(message: TabMessage): void {
    if (isOfLeader(message)) this.#answer.heard();
    // What is told of another replica makes no sense in this one.
    const isOfAny = message.kind === "standing" || message.kind === "replaced";
    if (this.#replacement.isMissing && !isOfAny) return;
    switch (message.kind) {
      case "opened":
        if (!this.#isLeading) return;
        this.#said = "";
        this.onStanding();
        void this.#catchUp.welcome();
        return;
      case "own":
        if (message.generation === this.link.generation) this.#onOthersEdits(message.edits);
        return;
      case "received":
        this.apply(message.update);
        return this.#catchUp.toldPosition(message.position);
      case "stored":
        void this.#catchUp.readStored(message.position);
        return;
      case "state_wanted":
        if (this.#isLeading) void this.#catchUp.tellState();
        return;
      case "complete":
        return this.#catchUp.toldState(message.position);
      case "settled":
        this.#settle(message.edits, false);
        this.#catchUp.toldPosition(message.position);
        return this.status.renew();
      case "settled_before":
        // The leader may have read them in the store, and told of them as edits that are not sent.
        if (this.#settle(message.edits, false) && this.#isLeading) this.#tellSettled(message.edits);
        return this.status.renew();
      case "standing":
        if (!this.#isLeading) this.#onLeaderHeard(message);
        return;
      case "clients":
        void this.pool.change(message.changes);
        return;
      case "connect":
        return this.#leader?.connect();
      case "clock":
        return this.clock.set(message.offsetMs);
      case "replaced":
        if (message.generation !== this.link.generation) void this.#reload(message);
    }
  }

  #onLeaderHeard(standing: Extract<TabMessage, { kind: "standing" }>): void {
    const { generation, contact, obstacle, unstored } = standing;
    this.#told = { contact, obstacle };
    this.status.renew(this.#told);
    if (unstored === undefined) this.#replacement.onStored(generation);
    if (this.#replacement.isMissing || generation === this.link.generation) return;
    if (unstored !== undefined) return void this.#reload({ generation, included: unstored });
    this.own.writer.isLive = true;
    this.link.generation = generation;
    this.#postOwn(this.own.outbox.filter((edit) => this.own.isMine(edit)));
  }

  #onOthersEdits(edits: readonly OwnEdit[]): void {
    for (const { update } of edits) this.apply(update);
    this.own.addOthers(edits);
    if (this.#isLeading) this.own.keepOthers(edits);
    else this.#answer.expect();
    this.status.renew();
    this.#leader?.pump();
  }

  /**
   * Another tab has replaced what is stored; what it did not know of is written anew here. Until it is
   * read the old replica stays, edits are of that one, and nobody is told of them.
   */
  async #reload(replacement: Replacement): Promise<void> {
    const { platform } = this;
    this.link.generation = undefined;
    this.link.pause();
    const { id } = this.current.outline;
    const { writeAnew } = await this.leading.loaded;
    const loaded = await this.#replacement.read(replacement, id, () => {
      void this.#reload(replacement);
    });
    if (loaded !== undefined) {
      const { stored, doc, outline, isLate } = loaded;
      this.pool.follow(doc, stored.clients);
      const unsaved = this.own.unsaved;
      const isLeft = (edit: OwnEdit): boolean =>
        this.own.isMine(edit) && !replacement.included.includes(edit.token);
      const update = this.writeAnew(writeAnew, updatesOf(unsaved.filter(isLeft)), doc);
      this.link.generation = replacement.generation;
      this.own.restart(stored.outbox, this.status.since ?? platform.now(), update);
      this.#catchUp.isInStep = !isLate;
      if (isLate) this.link.post({ kind: "opened" });
      this.status.waits.replaced(tokensOf(unsaved), tokensOf(this.own.unsaved));
      this.replaceBy(() => outline, stored.position);
      void this.pool.renew();
    }
    if (!this.isClosed) this.link.listen((message) => this.#onTabMessage(message));
  }
}

import type { Payer } from "../charges/payer.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { Author } from "../documents/replica/author.ts";
import { Deferred } from "../documents/turns/deferred.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import type { DurableBatch, LossReason } from "../documents/replica/document-listener.ts";
import { encodeInParts } from "../protocol/encode-message.ts";
import type { Batch } from "./batch.ts";
import { Broadcasts } from "./broadcasts.ts";
import { DocumentPin } from "./document-pin.ts";
import { DroppableMemory } from "./droppable-memory.ts";
import { DurableOutline } from "./durable-outline.ts";
import { type Failure, failureOfLoss } from "./failure.ts";
import { RoomPresence } from "./room-presence.ts";
import { RoomWriters, type Writer } from "./room-writers.ts";
import { SharedReading } from "./shared-reading.ts";
import type { SyncContext } from "./sync-context.ts";
import type { SyncDocument } from "./sync-document.ts";
import { type Frame, websocketFrame } from "./websocket-frame.ts";

/** A session, as its room sees it. */
export interface RoomMember extends Writer {
  /** Takes what became durable. */
  deliver(batch: Batch): void;
  /** The end of a turn: says what became durable of the client's own. */
  acknowledge(): void;
  /** Something that became durable, up to a number if one is given, is not broadcast: it is to be fetched. */
  miss(head?: Seq): void;
  /** Whether its client has to read before it is told who is there. */
  readonly hasToRead: boolean;
  /** Takes awareness updates of all presences. */
  showPresences(updates: readonly Uint8Array[]): void;
  /** Takes frames of presences that changed. */
  deliverPresences(frames: readonly Frame[]): void;
  /** Looks at the clock (ms), once a second or so. */
  tick(now: number): void;
  /** The document can't be had, or was thrown away: nothing of the session counts any more. */
  fail(failure: Failure): void;
}

export interface RoomOptions {
  readonly outline: OutlineId;
  /** The outline's user. */
  readonly payer: Payer;
  /** The last session has left. */
  readonly onEmpty: () => void;
}

/** Until it is looked whether presences that wait can go on. */
const LOOK_AGAIN_MS = 100;

/** So many are told at once whenever something becomes durable. */
const FEW = 6;
/** To tell more is many writes to sockets: it rests behind that, and what comes meanwhile goes out together. */
const REST_MS_FOR_EACH = 0.33;
/** Two frames of a display. */
const LONGEST_REST_MS = 33;
/** At the end of a rest what was written during it becomes durable, so that it is told with the rest's end. */
const COMMIT_MS = 4;

/** The sessions of one outline, and what they share. There is one while there are sessions. */
export class Room {
  readonly pin: DocumentPin;
  readonly durable: DurableOutline;
  readonly presence: RoomPresence;
  readonly writers = new RoomWriters();
  readonly reading: SharedReading;
  readonly #context: SyncContext;
  readonly #payer: Payer;
  /** [Q56] */
  readonly #sessions = new Set<RoomMember>();
  /** Those that are to be told who is there [Q56]. */
  readonly #newcomers = new Set<RoomMember>();
  readonly #onEmpty: () => void;
  readonly #unsubscribe: () => void;
  readonly #broadcasts: Broadcasts;
  #isTurnEnding = false;
  /** Whether it has told many just now [S81]. */
  #isResting = false;
  /** Meanwhile, but for the last milliseconds: what is written waits. */
  #holding: Deferred<void> | undefined;
  #isLooking = false;

  constructor(context: SyncContext, { outline, payer, onEmpty }: RoomOptions) {
    this.#context = context;
    this.#onEmpty = onEmpty;
    this.#payer = payer;
    this.reading = new SharedReading(context.timers);
    this.#broadcasts = new Broadcasts(new DroppableMemory(context.memory, payer), () => {
      for (const session of this.#sessions) session.miss();
    });
    this.presence = new RoomPresence(context.limits, (client, author) =>
      this.#isClientOf(client, author, this.pin.openNow),
    );
    this.pin = new DocumentPin({
      documents: context.documents,
      outline,
      now: () => context.now(),
      onOpen: (document) => this.#onOpen(document),
    });
    this.durable = new DurableOutline({ documents: context.documents, outline, pin: this.pin });
    this.#unsubscribe = context.documents.subscribe(outline, {
      onDurable: (batch) => this.#onDurable(batch),
      onLost: (reason) => this.#onLost(reason),
    });
  }

  /**
   * Resolves when what is written is taken again; undefined when it is taken at once. During a rest it
   * waits to be taken together: one transaction and one commit, as it is one message to each.
   */
  rested(): Promise<void> | undefined {
    return this.#holding?.promise;
  }

  join(session: RoomMember): void {
    this.#sessions.add(session);
  }

  leave(session: RoomMember): void {
    if (!this.#sessions.delete(session)) return;
    this.writers.leave(session);
    this.#newcomers.delete(session);
    this.presence.leave(session);
    if (this.#sessions.size > 0) return this.endTurnSoon();
    this.pin.close();
    this.#broadcasts.clear();
    this.#unsubscribe();
    this.#onEmpty();
  }

  /** Shows a session all presences, once however often it asks, as soon as its client has read. */
  tellWhoIsThere(session: RoomMember): void {
    this.#newcomers.add(session);
    this.endTurnSoon();
  }

  /** What is to be told goes out together: at the end of this turn of the event loop, or of a rest. */
  endTurnSoon(): void {
    if (this.#isTurnEnding) return;
    this.#isTurnEnding = true;
    if (this.#isResting) return;
    void this.#context.timers.yieldNow().then(() => this.#endTurn());
  }

  /** Looks at the clock, once a second or so. */
  tick(now: number): void {
    for (const session of this.#sessions) session.tick(now);
    this.pin.releaseIdle(this.#context.limits.idleDocumentMs);
  }

  #onOpen(document: SyncDocument): void {
    this.presence.review((client, author) => this.#isClientOf(client, author, document));
    // What arrived late in the log was told to nobody.
    this.durable.reach(document.head);
    for (const session of this.#sessions) session.miss(document.head);
  }

  #isClientOf(client: number, author: Author, document?: SyncDocument): boolean | undefined {
    return this.writers.isOf(client, author) ?? document?.isClientOf(client, author);
  }

  #onDurable(batch: DurableBatch): void {
    if (batch.updates.length === 0) return;
    this.durable.reach(batch.head);
    this.#broadcasts.add(batch);
    this.endTurnSoon();
  }

  /** What is not acknowledged may never become durable: nobody goes on as if it had. */
  #onLost(reason: LossReason): void {
    this.pin.release();
    this.durable.forget();
    this.#broadcasts.clear();
    const failure = failureOfLoss(reason);
    for (const session of this.#sessions) session.fail(failure);
  }

  #endTurn(): void {
    this.#context.watchdog.run(
      this.#payer,
      "broadcast",
      () => this.#sessions.size,
      () => this.#tellAll(),
    );
  }

  #tellAll(): void {
    this.#isTurnEnding = false;
    const batch = this.#broadcasts.take();
    if (batch !== undefined) {
      for (const session of this.#sessions) session.deliver(batch);
      this.#restIfMany();
    }
    if (!this.#broadcasts.isEmpty) this.endTurnSoon();
    for (const session of this.#sessions) session.acknowledge();
    this.#passOnPresences();
  }

  #restIfMany(): void {
    if (this.#sessions.size <= FEW) return;
    const ms = Math.min(LONGEST_REST_MS, Math.floor(REST_MS_FOR_EACH * this.#sessions.size));
    const { timers } = this.#context;
    this.#isResting = true;
    timers.setTimeout(() => {
      this.#isResting = false;
      if (this.#isTurnEnding) this.#endTurn();
    }, ms);
    if (ms <= COMMIT_MS) return;
    const holding = new Deferred<void>();
    this.#holding = holding;
    timers.setTimeout(() => {
      this.#holding = undefined;
      holding.resolve();
    }, ms - COMMIT_MS);
  }

  #passOnPresences(): void {
    const now = this.#context.now();
    for (const session of this.#newcomers) {
      if (!this.presence.mayTell(now)) break;
      if (session.hasToRead) continue;
      this.#newcomers.delete(session);
      session.showPresences(this.presence.everybody(now));
    }
    const changes = this.presence.takeChanges(now, this.#sessions.size);
    if (this.presence.hasChanges || this.#newcomers.size > 0) this.#passOnLater();
    if (changes === undefined) return;
    const frames = changes.updates.map((update) =>
      websocketFrame(encodeInParts({ kind: "awareness", update })),
    );
    for (const session of this.#sessions) {
      if (session !== changes.loneAuthor) session.deliverPresences(frames);
    }
  }

  #passOnLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#context.timers.setTimeout(() => {
      this.#isLooking = false;
      this.endTurnSoon();
    }, LOOK_AGAIN_MS);
  }
}

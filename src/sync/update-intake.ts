import type { Author } from "../documents/replica/author.ts";
import type { Seq } from "../documents/log/outline-log.ts";
import type { Receipt } from "../documents/replica/received-updates.ts";
import type { HeldMemory } from "./held-memory.ts";
import type { Refusal } from "./refusal.ts";
import { refusalOfFull, REFUSALS } from "./refusal.ts";
import type { SyncDocument } from "./sync-document.ts";
import type { SyncEvents } from "./sync-events.ts";
import type { SyncLimits } from "./sync-limits.ts";

/** What the intake needs of its session. */
export interface IntakeSession {
  readonly canWrite: boolean;
  /** Says that an update was refused; `isFinal` closes the session with it. */
  refuse(number: number, refusal: Refusal, isFinal: boolean): void;
  /** Resolves when updates are taken again; undefined when they are taken at once. */
  rested(): Promise<void> | undefined;
  /** Asks the client for all that the document lacks. */
  ask(stateVector: Uint8Array): void;
  /** More has become durable: what the log holds up to `head` is, at least. */
  settled(head: Seq): void;
}

/** Below that a connection is no burden, whatever else is held for its user. */
const SMALL_BYTES = 64 * 1024;

/**
 * The updates of one session on their way into the document: numbered, counted until they are
 * durable, refused one by one.
 */
export class UpdateIntake {
  readonly #session: IntakeSession;
  readonly #limits: SyncLimits;
  readonly #events: SyncEvents;
  readonly #held: HeldMemory;
  readonly #refusalsAllowed: number;
  #received = 0;
  #acknowledged = 0;
  #pending = 0;
  #pendingBytes = 0;
  #refused = 0;
  #missingInARow = 0;
  /** The update that was received last. */
  #last: Promise<unknown> = Promise.resolve();

  /** @param refusalsAllowed how many refused updates the session outlives */
  constructor(
    session: IntakeSession,
    options: {
      readonly limits: SyncLimits;
      readonly events: SyncEvents;
      readonly held: HeldMemory;
      readonly refusalsAllowed: number;
    },
  ) {
    this.#session = session;
    this.#limits = options.limits;
    this.#events = options.events;
    this.#held = options.held;
    this.#refusalsAllowed = options.refusalsAllowed;
  }

  /** That many of the first updates are durable or were refused. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** True while so much is not durable that no more should be read. */
  get isFull(): boolean {
    const { unacknowledgedUpdates, unacknowledgedBytes, messageBytes } = this.#limits;
    if (this.#pending >= unacknowledgedUpdates) return true;
    if (this.#pendingBytes >= unacknowledgedBytes) return true;
    return this.#pendingBytes >= SMALL_BYTES && !this.#held.hasRoomFor(messageBytes);
  }

  /** Resolves when all that was received so far is judged. */
  judged(): Promise<unknown> {
    return this.#last;
  }

  /**
   * Hands an update to the document, or refuses it.
   * @param had what the client had when it made the update; undefined when that is not known
   */
  receive(
    document: SyncDocument,
    update: Uint8Array,
    author: Author,
    had?: ReadonlyMap<number, number>,
  ): void {
    const number = ++this.#received;
    if (!this.#session.canWrite) return this.#refuse(number, REFUSALS.read_only);
    this.#pending++;
    this.#pendingBytes += update.length;
    this.#held.set("pending", this.#pendingBytes);
    const taken = (): Promise<Receipt> => document.receive(update, author, had);
    const judged = this.#session.rested()?.then(taken) ?? taken();
    // In their order: one that is told late was refused before those behind it count as durable.
    this.#last = this.#last
      .then(() => judged)
      .then((receipt) => this.#take(number, update.length, receipt, document));
  }

  /** Takes an update that says nothing new: it is as durable as what the log holds up to `head`. */
  receiveKnown(head: Seq): void {
    const number = ++this.#received;
    this.#pending++;
    this.#last = this.#last.then(() => this.#settle(number, 0, head));
  }

  /** Refuses a message that was too long to be looked at, as the update that it would have been. */
  refuseUnread(refusal: Refusal): void {
    this.#refuse(++this.#received, refusal);
  }

  #take(number: number, bytes: number, receipt: Receipt, document: SyncDocument): void {
    if (receipt.kind === "applied") {
      receipt.durable.then(
        (head) => this.#settle(number, bytes, head),
        // The document is lost then, and tells every session of it.
        () => this.#letGo(bytes),
      );
      return;
    }
    this.#letGo(bytes);
    if (receipt.kind === "refused") return this.#refuse(number, REFUSALS[receipt.reason]);
    if (receipt.kind === "outline_full") return this.#refuse(number, refusalOfFull(receipt));
    // Whoever types while connecting sends many of these before the one answer that has it all.
    if (++this.#missingInARow === 1) this.#session.ask(document.stateVector());
    this.#tell(number, REFUSALS.missing, this.#missingInARow > this.#limits.missing);
  }

  #settle(number: number, bytes: number, head: Seq): void {
    this.#letGo(bytes);
    // As late as what is missing is told of.
    this.#missingInARow = 0;
    this.#acknowledged = this.#pending === 0 ? this.#received : number;
    this.#session.settled(head);
  }

  #letGo(bytes: number): void {
    this.#pending--;
    this.#pendingBytes -= bytes;
    this.#held.set("pending", this.#pendingBytes);
  }

  #refuse(number: number, refusal: Refusal): void {
    this.#refused++;
    this.#tell(number, refusal, this.#refused > this.#refusalsAllowed);
  }

  #tell(number: number, refusal: Refusal, isFinal: boolean): void {
    this.#events.onRefused?.(refusal.code);
    if (this.#pending === 0) this.#acknowledged = number;
    this.#session.refuse(number, refusal, isFinal);
  }
}

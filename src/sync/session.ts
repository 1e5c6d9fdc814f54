import type { Seq } from "../documents/outline-log.ts";
import { isInForce, type Principal } from "../accounts/principal.ts";
import { Allowance } from "../charges/allowance.ts";
import { type Payer, payingUser } from "../charges/payer.ts";
import type { Author } from "../documents/author.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";
import { decodeClientMessage } from "../protocol/decode-message.ts";
import type { ClientMessage, Hello, LeaseQuestion, ServerMessage } from "../protocol/message.ts";
import type { Batch } from "./batch.ts";
import { ConnectionWatch } from "./connection-watch.ts";
import { Delivery } from "./delivery.ts";
import { DocumentInbox } from "./document-inbox.ts";
import type { Dialect } from "./dialect.ts";
import type { Failure } from "./failure.ts";
import { busyFailure, failureOf } from "./failure.ts";
import { HeldMemory } from "./held-memory.ts";
import { answerOfLease } from "./lease-answer.ts";
import type { Refusal } from "./refusal.ts";
import { REFUSALS } from "./refusal.ts";
import type { Room, RoomMember } from "./room.ts";
import { StateExchange } from "./state-exchange.ts";
import type { SyncContext } from "./sync-context.ts";
import type { SyncDocument } from "./sync-document.ts";
import type { SyncSocket, SyncSocketListener } from "./sync-socket.ts";
import type { IntakeSession } from "./update-intake.ts";
import { UpdateIntake } from "./update-intake.ts";
import type { Frame } from "./websocket-frame.ts";

type Phase =
  /** Nothing has come yet that starts a session. */
  | { readonly kind: "greeting" }
  | { readonly kind: "open" }
  /** Whatever the socket still does is of no interest. */
  | { readonly kind: "closed" };

/** A message whose handling needs the document, or comes in its turn with those. */
type DocumentMessage =
  | Exclude<ClientMessage, { kind: "awareness" | "query_awareness" | "time_question" }>
  /** Too long to be looked at. */
  | { readonly kind: "unread"; readonly isUpdate: boolean };

export interface SessionOptions {
  readonly context: SyncContext;
  readonly room: Room;
  readonly principal: Principal;
  readonly dialect: Dialect;
  /** The socket has closed. What came before is still to be judged until `judged` resolves. */
  onGone(session: Session, code: number, judged: Promise<unknown>): void;
}

/** One client of an outline, from the accepted websocket to its end. */
export class Session implements SyncSocketListener, IntakeSession, RoomMember {
  /** Hands in what anybody may have written. */
  readonly author: Author;
  /** The same, when it sends what it has written itself. */
  readonly #writing: Author;
  readonly canWrite: boolean;
  /** Unix seconds at which the session's key ends. */
  readonly expiresAt: number | undefined;
  readonly #options: SessionOptions;
  readonly #socket: SyncSocket;
  readonly #held: HeldMemory;
  readonly #inbox: DocumentInbox<DocumentMessage>;
  readonly #delivery: Delivery;
  readonly #states: StateExchange;
  readonly #intake: UpdateIntake;
  readonly #requests: Allowance;
  readonly #watch: ConnectionWatch;
  readonly #openedAt: number;
  readonly #payer: Payer;
  #phase: Phase = { kind: "greeting" };
  #instance = "";
  /** The log's head when the client's last update became durable; undefined when that was told. */
  #settledAt: Seq | undefined;

  constructor(options: SessionOptions, connect: (listener: SyncSocketListener) => SyncSocket) {
    const { context, room, principal, dialect } = options;
    const { limits, events } = context;
    this.#options = options;
    const writesAnew = dialect.name === "extended";
    const mayWrite = (): boolean => this.canWrite && isInForce(principal, context.now());
    const { writers } = room;
    const author = { keyId: principal.keyId, session: this, writesAnew, mayWrite };
    this.author = { ...author, writers: writers.for(this, false) };
    this.#writing = writesAnew ? { ...author, writers: writers.for(this, true) } : this.author;
    this.canWrite = principal.scope === "write";
    this.expiresAt = principal.expiresAt;
    this.#payer = payingUser(principal.user);
    this.#held = new HeldMemory(context.memory, this.#payer, () => this.#giveUp());
    this.#socket = connect(this);
    this.#inbox = new DocumentInbox({
      pin: room.pin,
      held: this.#held,
      handle: (document, message) => this.#handle(document, message),
      handleUnopened: (message) => this.#handleUnopened(message),
      onEmptied: () => this.#pauseOrResume(),
      onFailed: (error) => this.#failed(error),
    });
    this.#delivery = new Delivery({
      socket: this.#socket,
      dialect,
      session: this,
      pin: room.pin,
      durable: room.durable,
      tail: room.tail,
      timers: context.timers,
      queuedBytes: limits.queuedBytes,
      onFellBehind: () => events.onFellBehind?.(),
      onCaughtUp: () => this.#caughtUp(),
      onFailed: (error) => this.#failed(error),
    });
    this.#intake = new UpdateIntake(this, {
      limits,
      events,
      held: this.#held,
      refusalsAllowed: dialect.name === "stock" ? 0 : limits.refusals,
    });
    this.#states = new StateExchange({
      dialect,
      delivery: this.#delivery,
      durable: room.durable,
      canWrite: this.canWrite,
      maxMessageBytes: limits.messageBytes,
      isHere: () => this.isHere,
    });
    const perSecond = limits.requestsPerSecond;
    this.#requests = new Allowance({ count: 4 * perSecond, windowMs: 4000 });
    const now = context.now();
    this.#openedAt = now;
    this.#watch = new ConnectionWatch(limits, now);
  }

  get instance(): string {
    return this.#instance;
  }

  get isHere(): boolean {
    return this.#phase.kind !== "closed";
  }

  /** Bytes that wait for the client to read them. */
  get queuedBytes(): number {
    return this.#socket.queuedBytes;
  }

  // What the socket tells.

  onMessage(bytes: Uint8Array): void {
    if (this.#phase.kind === "closed") return;
    const { watchdog } = this.#options.context;
    const busyMs = watchdog?.refusedMs(this.#payer, "message") ?? 0;
    if (busyMs > 0) return this.fail(busyFailure(busyMs));
    if (watchdog === undefined) return this.#onMessage(bytes);
    const size = (): number => bytes.length;
    watchdog.run(this.#payer, "message", size, () => this.#onMessage(bytes));
  }

  #onMessage(bytes: Uint8Array): void {
    const isTooLong = bytes.length > this.#options.context.limits.messageBytes;
    const message = isTooLong ? unreadMessage(bytes) : decodeClientMessage(bytes);
    switch (message.kind) {
      case "malformed":
        return this.close(CLOSE_CODE.malformed, message.detail);
      case "awareness":
        return this.#onAwareness(message.update);
      case "query_awareness":
        if (this.#mayAsk() && this.#delivery.isLive) this.#options.room.tellWhoIsThere(this);
        return;
      case "time_question":
        return this.#onTimeQuestion();
      default:
        this.#inbox.push(message, bytes.length);
        return this.#pauseOrResume();
    }
  }

  onText(): void {
    this.close(CLOSE_CODE.malformed, "text messages are no part of the protocol");
  }

  onTooLong(): void {
    this.#hangUp(CLOSE_CODE.tooLarge, "the message is too long");
  }

  onHeld(): void {
    this.#held.unfinished = this.#socket.unfinishedBytes;
    this.#held.unread = this.#socket.isFull ? this.#socket.queuedBytes : 0;
  }

  onClosed(code: number): void {
    this.#leave();
    const judged = this.#intake.judged();
    void judged.then(() => this.#held.end());
    this.#options.onGone(this, code, judged);
  }

  // What the room tells.

  deliver(batch: Batch): void {
    this.#delivery.deliver(batch);
  }

  miss(head?: Seq): void {
    this.#delivery.miss(head);
  }

  acknowledge(): void {
    if (this.#settledAt === undefined || !this.#delivery.isListening) return;
    // What is much goes out over several turns: told before, the client would stand behind its own
    // updates, and what it deletes then would not have been seen by it.
    if (this.#delivery.seq < this.#settledAt) return;
    this.#settledAt = undefined;
    this.#send(this.#options.dialect.acknowledged(this.#intake.acknowledged, this.#delivery.seq));
  }

  get hasToRead(): boolean {
    return this.#socket.isFull;
  }

  showPresences(updates: readonly Uint8Array[]): void {
    if (!this.#delivery.isLive) return;
    for (const update of updates) this.#delivery.send({ kind: "awareness", update });
  }

  deliverPresences(frames: readonly Frame[]): void {
    this.#delivery.sendIfLive(frames);
  }

  tick(now: number): void {
    const { limits } = this.#options.context;
    if (this.#phase.kind === "closed") return;
    if (this.#isSilent && now - this.#openedAt > limits.handshakeMs) {
      return this.close(CLOSE_CODE.timeout, "nothing came that starts a session");
    }
    if (this.expiresAt !== undefined && now >= this.expiresAt * 1000) {
      return this.close(CLOSE_CODE.unauthorized, "the key has expired");
    }
    if (this.#socket.isLate(now)) {
      return this.#hangUp(CLOSE_CODE.tryAgainLater, "a message took too long to come");
    }
    this.onHeld();
    switch (this.#watch.look(now, this.#socket)) {
      case "ok":
        return;
      case "stalled":
        return this.#hangUp(CLOSE_CODE.tryAgainLater, "nothing was read for too long");
      case "beat":
        if (!this.#socket.beat()) return this.#socket.terminate();
        if (this.#delivery.isLive || this.#inbox.isWaiting) {
          this.#send(this.#options.dialect.heartbeat());
        }
    }
  }

  /** Nothing has begun to come that starts a session. Who has said it waits for us, not we for them. */
  get #isSilent(): boolean {
    const hasBegun = this.#inbox.isWaiting || this.#socket.unfinishedBytes > 0;
    return this.#phase.kind === "greeting" && !hasBegun;
  }

  fail({ closeCode, reason, retryAfterMs }: Failure): void {
    if (retryAfterMs !== undefined) this.#send(this.#options.dialect.unavailable(retryAfterMs));
    this.close(closeCode, reason);
  }

  close(code: CloseCode, reason: string): void {
    if (this.#phase.kind === "closed") return;
    this.#leave();
    this.#socket.close(code, reason);
  }

  // What the intake tells.

  refuse(number: number, refusal: Refusal, isFinal: boolean): void {
    if (this.#phase.kind === "closed") return;
    this.#send(this.#options.dialect.refused(number, refusal, isFinal));
    if (!isFinal) return this.#pauseOrResume();
    const comesAgain = refusal.passes === true && this.#options.dialect.name === "extended";
    this.close(comesAgain ? CLOSE_CODE.tryAgainLater : refusal.closeCode, refusal.reason);
  }

  ask(stateVector: Uint8Array): void {
    this.#states.ask(stateVector);
  }

  settled(head: Seq): void {
    this.#settledAt = head;
    this.#options.room.endTurnSoon();
    this.#pauseOrResume();
  }

  #onAwareness(update: Uint8Array): void {
    const { presence } = this.#options.room;
    const receipt = presence.receive(this.author, update);
    switch (receipt.kind) {
      case "ok":
        if (presence.hasChanges) this.#options.room.endTurnSoon();
        return;
      case "outdated":
        // Who says more than they read is told of the last one.
        if (!this.#socket.isFull) {
          this.#delivery.send({ kind: "awareness", update: receipt.answer });
        }
        return;
      case "malformed":
        return this.close(CLOSE_CODE.malformed, "the presence is malformed");
      case "too_large":
        return this.close(CLOSE_CODE.tooLarge, "the presence is too large");
    }
  }

  #handle(document: SyncDocument, message: DocumentMessage): void {
    if (this.#phase.kind === "closed") return;
    const isExtended = this.#options.dialect.name === "extended";
    if (message.kind === "unread") return this.#onUnread(message);
    if (isExtended && (this.#phase.kind === "greeting") !== (message.kind === "hello")) {
      return this.close(CLOSE_CODE.malformed, "hello comes first, and once");
    }
    switch (message.kind) {
      case "step1":
        return this.#onStep1(document.stateVector(), message.stateVector);
      case "step2":
        return this.#intake.receive(document, message.update, this.author, this.#states.answered());
      case "update":
        return this.#intake.receive(document, message.update, this.#writing);
      case "hello":
      case "lease_request":
      case "lease_claim":
        if (!isExtended) return this.close(CLOSE_CODE.malformed, "not asked for at the handshake");
        if (message.kind !== "hello") return this.#onLeaseQuestion(message);
        if (this.canWrite) document.expectDevice(this.author);
        this.#states.hello(document, message);
        return this.#onHello(message);
    }
  }

  /** What needs nothing but the log: who comes back causes no outline to be opened. */
  async #handleUnopened(message: DocumentMessage): Promise<boolean> {
    const isFirst = this.#phase.kind === "greeting";
    const mayStart = isFirst && this.#options.dialect.name === "extended" ? "hello" : "step1";
    switch (message.kind) {
      case "hello":
        if (mayStart !== "hello" || !(await this.#states.helloUnopened(message))) return false;
        this.#onHello(message);
        return this.isHere;
      case "step1": {
        const ours = mayStart === "step1" ? await this.#states.stateVectorUnopened() : undefined;
        if (ours === undefined) return false;
        this.#onStep1(ours, message.stateVector);
        return this.isHere;
      }
      case "step2": {
        const head = await this.#states.answeredUnopened(message.update);
        if (head !== undefined) this.#intake.receiveKnown(head);
        return head !== undefined && this.isHere;
      }
      default:
        return false;
    }
  }

  /** Answered at once, past what waits for the document: the client measures by it. */
  #onTimeQuestion(): void {
    const { context, dialect } = this.#options;
    if (dialect.name !== "extended" || this.#phase.kind === "greeting") {
      return this.close(CLOSE_CODE.malformed, "not asked for at the handshake, or before hello");
    }
    // Who does not read what is sent would measure nothing.
    if (!this.#mayAsk() || this.#socket.isFull) return;
    this.#delivery.send({ kind: "time_answer", now: Math.max(0, Math.floor(context.now())) });
  }

  #onUnread({ isUpdate }: { readonly isUpdate: boolean }): void {
    if (isUpdate && this.#phase.kind === "open") this.#intake.refuseUnread(REFUSALS.too_large);
    else this.close(CLOSE_CODE.tooLarge, "the message is too long");
  }

  #onStep1(ours: Uint8Array, stateVector: Uint8Array): void {
    if (!this.#mayAsk()) return;
    const isFirst = this.#phase.kind === "greeting";
    if (!this.#states.step1(ours, stateVector, isFirst)) {
      return this.close(CLOSE_CODE.malformed, "the state vector is malformed");
    }
    this.#open();
  }

  #onHello({ instance }: Hello): void {
    this.#instance = Buffer.from(instance).toString("hex");
    this.#open();
  }

  #open(): void {
    if (this.#phase.kind !== "closed") this.#phase = { kind: "open" };
  }

  #onLeaseQuestion(question: LeaseQuestion): void {
    if (this.#mayAsk()) this.#delivery.send(answerOfLease(question));
  }

  #caughtUp(): void {
    this.#send(this.#options.dialect.caughtUp(this.#delivery.seq));
    this.acknowledge();
    this.#states.caughtUp().catch((error: unknown) => this.#failed(error));
    this.#options.room.tellWhoIsThere(this);
  }

  #send(messages: readonly ServerMessage[]): void {
    for (const message of messages) this.#delivery.send(message);
  }

  /** Counts a question; when there are too many the session ends. */
  #mayAsk(): boolean {
    if (this.#requests.take(this.#options.context.now()) === 0) return true;
    this.close(CLOSE_CODE.tooMany, "too many questions");
    return false;
  }

  #pauseOrResume(): void {
    if (this.#phase.kind === "closed") return;
    this.#socket.setPaused(this.#inbox.isWaiting || this.#intake.isFull);
  }

  #failed(error: unknown): void {
    const failure = failureOf(error);
    if (failure.closeCode === CLOSE_CODE.internalError && this.#phase.kind !== "closed") {
      this.#options.context.logger.error({ err: error }, "a session failed");
    }
    this.fail(failure);
  }

  /** More is held for the user than may be, and most of it here. */
  #giveUp(): void {
    this.#hangUp(CLOSE_CODE.tryAgainLater, "too much is held for this user");
  }

  #hangUp(code: CloseCode, reason: string): void {
    this.#leave();
    this.#socket.hangUp(code, reason);
  }

  #leave(): void {
    if (this.#phase.kind === "closed") return;
    this.#phase = { kind: "closed" };
    this.#inbox.clear();
    this.#delivery.end();
    this.#options.room.leave(this);
  }
}

function unreadMessage(bytes: Uint8Array): DocumentMessage {
  return { kind: "unread", isUpdate: bytes[0] === 0 && (bytes[1] === 1 || bytes[1] === 2) };
}

import type { Seq } from "../documents/log/outline-log.ts";
import { isInForce, type Principal } from "../accounts/principal.ts";
import { type Payer, payingUser } from "../charges/payer.ts";
import type { Author } from "../documents/replica/author.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";
import type { ServerMessage } from "../protocol/message.ts";
import type { Batch } from "./batch.ts";
import { ConnectionWatch } from "./connection-watch.ts";
import { Conversation } from "./conversation.ts";
import { Delivery } from "./delivery.ts";
import type { Dialect } from "./dialect.ts";
import type { Failure } from "./failure.ts";
import { busyFailure, failureOf } from "./failure.ts";
import { HeldMemory } from "./held-memory.ts";
import type { Refusal } from "./refusal.ts";
import type { Room, RoomMember } from "./room.ts";
import { StateExchange } from "./state-exchange.ts";
import type { SyncContext } from "./sync-context.ts";
import type { SyncSocket, SyncSocketListener } from "./sync-socket.ts";
import type { IntakeSession } from "./update-intake.ts";
import { UpdateIntake } from "./update-intake.ts";
import type { Frame } from "./websocket-frame.ts";

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
  readonly canWrite: boolean;
  /** Unix seconds at which the session's key ends. */
  readonly expiresAt: number | undefined;
  readonly #options: SessionOptions;
  readonly #socket: SyncSocket;
  readonly #held: HeldMemory;
  readonly #conversation: Conversation;
  readonly #delivery: Delivery;
  readonly #states: StateExchange;
  readonly #intake: UpdateIntake;
  readonly #watch: ConnectionWatch;
  readonly #openedAt: number;
  readonly #payer: Payer;
  /** Whatever the socket still does is of no interest. */
  #isClosed = false;
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
    this.canWrite = principal.scope === "write";
    this.expiresAt = principal.expiresAt;
    this.#payer = payingUser(principal.user);
    this.#held = new HeldMemory(context.memory, this.#payer, () => this.#giveUp());
    this.#socket = connect(this);
    this.#delivery = new Delivery({
      socket: this.#socket,
      dialect,
      session: this,
      pin: room.pin,
      durable: room.durable,
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
      held: this.#held,
      canWrite: this.canWrite,
      maxMessageBytes: limits.messageBytes,
      isHere: () => this.isHere,
    });
    this.#conversation = new Conversation({
      context,
      room,
      dialect,
      author: this.author,
      writing: writesAnew ? { ...author, writers: writers.for(this, true) } : this.author,
      canWrite: this.canWrite,
      held: this.#held,
      delivery: this.#delivery,
      states: this.#states,
      intake: this.#intake,
      isHere: () => this.isHere,
      hasToRead: () => this.#socket.isFull,
      tellWhoIsThere: () => room.tellWhoIsThere(this),
      close: (code, reason) => this.close(code, reason),
      onWaiting: () => this.#pauseOrResume(),
      onFailed: (error) => this.#failed(error),
    });
    const now = context.now();
    this.#openedAt = now;
    this.#watch = new ConnectionWatch(limits, now);
  }

  get instance(): string {
    return this.#conversation.instance;
  }

  get isHere(): boolean {
    return !this.#isClosed;
  }

  /** Bytes that wait for the client to read them. */
  get queuedBytes(): number {
    return this.#socket.queuedBytes;
  }

  // What the socket tells.

  onMessage(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const { watchdog } = this.#options.context;
    const busyMs = watchdog.refusedMs(this.#payer, "message");
    if (busyMs > 0) return this.fail(busyFailure(busyMs));
    const size = (): number => bytes.length;
    watchdog.run(this.#payer, "message", size, () => this.#conversation.take(bytes));
  }

  onText(): void {
    this.close(CLOSE_CODE.malformed, "text messages are no part of the protocol");
  }

  onTooLong(): void {
    this.#hangUp(CLOSE_CODE.tooLarge, "the message is too long");
  }

  onHeld(): void {
    this.#held.set("unfinished", this.#socket.unfinishedBytes);
    this.#held.set("unread", this.#socket.isFull ? this.#socket.queuedBytes : 0);
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
    if (this.#isClosed) return;
    const isSilent = this.#conversation.isSilent && this.#socket.unfinishedBytes === 0;
    if (isSilent && now - this.#openedAt > limits.handshakeMs) {
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
        this.#send(this.#options.dialect.heartbeat());
    }
  }

  fail({ closeCode, reason, retryAfterMs }: Failure): void {
    if (retryAfterMs !== undefined) this.#send(this.#options.dialect.unavailable(retryAfterMs));
    this.close(closeCode, reason);
  }

  close(code: CloseCode, reason: string): void {
    if (this.#isClosed) return;
    this.#leave();
    this.#socket.close(code, reason);
  }

  // What the intake tells.

  refuse(number: number, refusal: Refusal, isFinal: boolean): void {
    if (this.#isClosed) return;
    this.#send(this.#options.dialect.refused(number, refusal, isFinal));
    if (!isFinal) return this.#pauseOrResume();
    const comesAgain = refusal.passes === true && this.#options.dialect.name === "extended";
    this.close(comesAgain ? CLOSE_CODE.tryAgainLater : refusal.closeCode, refusal.reason);
  }

  rested(): Promise<void> | undefined {
    return this.#options.room.rested();
  }

  ask(stateVector: Uint8Array): void {
    this.#states.ask(stateVector);
  }

  settled(head: Seq): void {
    this.#settledAt = head;
    this.#options.room.endTurnSoon();
    this.#pauseOrResume();
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

  #pauseOrResume(): void {
    if (this.#isClosed) return;
    this.#socket.setPaused(this.#conversation.isWaiting || this.#intake.isFull);
  }

  #failed(error: unknown): void {
    const failure = failureOf(error);
    if (failure.closeCode === CLOSE_CODE.internalError && !this.#isClosed) {
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
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#conversation.end();
    this.#delivery.end();
    this.#options.room.leave(this);
  }
}

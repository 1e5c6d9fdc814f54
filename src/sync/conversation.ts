import { Allowance } from "../charges/allowance.ts";
import type { Author } from "../documents/replica/author.ts";
import { CLOSE_CODE, type CloseCode } from "../protocol/close-code.ts";
import { decodeClientMessage } from "../protocol/decode-message.ts";
import type { ClientMessage, Hello, LeaseQuestion } from "../protocol/message.ts";
import type { Delivery } from "./delivery.ts";
import type { Dialect } from "./dialect.ts";
import { DocumentInbox } from "./document-inbox.ts";
import type { HeldMemory } from "./held-memory.ts";
import { answerOfLease } from "./lease-answer.ts";
import { REFUSALS } from "./refusal.ts";
import type { Room } from "./room.ts";
import type { StateExchange } from "./state-exchange.ts";
import type { SyncContext } from "./sync-context.ts";
import type { SyncDocument } from "./sync-document.ts";
import type { UpdateIntake } from "./update-intake.ts";

/** A message whose handling needs the document, or comes in its turn with those. */
type DocumentMessage =
  | Exclude<ClientMessage, { kind: "awareness" | "query_awareness" | "time_question" }>
  /** Too long to be looked at. */
  | { readonly kind: "unread"; readonly isUpdate: boolean };

export interface ConversationParts {
  readonly context: SyncContext;
  readonly room: Room;
  readonly dialect: Dialect;
  /** Hands in what anybody may have written. */
  readonly author: Author;
  /** The same, when it sends what it has written itself. */
  readonly writing: Author;
  readonly canWrite: boolean;
  readonly held: HeldMemory;
  readonly delivery: Delivery;
  readonly states: StateExchange;
  readonly intake: UpdateIntake;
  /** Whether the client is still there. */
  readonly isHere: () => boolean;
  /** Whether it has to read before it is sent more. */
  readonly hasToRead: () => boolean;
  readonly tellWhoIsThere: () => void;
  readonly close: (code: CloseCode, reason: string) => void;
  /** Whether messages wait is another thing than before. */
  readonly onWaiting: () => void;
  readonly onFailed: (error: unknown) => void;
}

/** What a client says: which message may come when, and what is done about it. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #inbox: DocumentInbox<DocumentMessage>;
  readonly #requests: Allowance;
  readonly #isExtended: boolean;
  /** A message has come that starts a session. */
  #hasBegun = false;
  #instance = "";

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    const { context, room, held, dialect, onWaiting, onFailed } = parts;
    this.#isExtended = dialect.name === "extended";
    this.#inbox = new DocumentInbox({
      pin: room.pin,
      held,
      handle: (document, message) => this.#handle(document, message),
      handleUnopened: (message) => this.#handleUnopened(message),
      onEmptied: onWaiting,
      onFailed,
    });
    const perSecond = context.limits.requestsPerSecond;
    this.#requests = new Allowance({ count: 4 * perSecond, windowMs: 4000 });
  }

  /** What tells a program from a copy of its store; empty as long as it has not said so. */
  get instance(): string {
    return this.#instance;
  }

  /** True while messages wait: no more should be read meanwhile. */
  get isWaiting(): boolean {
    return this.#inbox.isWaiting;
  }

  /** Nothing has come that starts a session. Who has said it waits for us, not we for them. */
  get isSilent(): boolean {
    return !this.#hasBegun && !this.isWaiting;
  }

  take(bytes: Uint8Array): void {
    const { context, delivery, tellWhoIsThere, close, onWaiting } = this.#parts;
    const isTooLong = bytes.length > context.limits.messageBytes;
    const message = isTooLong ? unreadMessage(bytes) : decodeClientMessage(bytes);
    switch (message.kind) {
      case "malformed":
        return close(CLOSE_CODE.malformed, message.detail);
      case "awareness":
        return this.#onAwareness(message.update);
      case "query_awareness":
        if (this.#mayAsk() && delivery.isLive) tellWhoIsThere();
        return;
      case "time_question":
        return this.#onTimeQuestion();
      default:
        this.#inbox.push(message, bytes.length);
        return onWaiting();
    }
  }

  /** Forgets what waits. */
  end(): void {
    this.#inbox.clear();
  }

  #onAwareness(update: Uint8Array): void {
    const { author, room, delivery, hasToRead, close } = this.#parts;
    const receipt = room.presence.receive(author, update);
    switch (receipt.kind) {
      case "ok":
        if (room.presence.hasChanges) room.endTurnSoon();
        return;
      case "outdated":
        // Who says more than they read is told of the last one.
        if (!hasToRead()) delivery.send({ kind: "awareness", update: receipt.answer });
        return;
      case "malformed":
        return close(CLOSE_CODE.malformed, "the presence is malformed");
      case "too_large":
        return close(CLOSE_CODE.tooLarge, "the presence is too large");
    }
  }

  #handle(document: SyncDocument, message: DocumentMessage): void {
    const { author, writing, canWrite, states, intake, isHere, close } = this.#parts;
    if (!isHere()) return;
    if (message.kind === "unread") return this.#onUnread(message);
    if (this.#isExtended && this.#hasBegun === (message.kind === "hello")) {
      return close(CLOSE_CODE.malformed, "hello comes first, and once");
    }
    switch (message.kind) {
      case "step1":
        return this.#onStep1(document.stateVector(), message.stateVector);
      case "step2":
        return intake.receive(document, message.update, author, states.answered());
      case "update":
        return intake.receive(document, message.update, writing);
      case "hello":
      case "lease_request":
      case "lease_claim":
        if (!this.#isExtended) return close(CLOSE_CODE.malformed, "not asked for at the handshake");
        if (message.kind !== "hello") return this.#onLeaseQuestion(message);
        if (canWrite) document.expectDevice(author);
        states.hello(document, message);
        return this.#onHello(message);
    }
  }

  /** What needs nothing but the log: who comes back causes no outline to be opened. */
  async #handleUnopened(message: DocumentMessage): Promise<boolean> {
    const { states, intake, isHere } = this.#parts;
    const mayStart = !this.#hasBegun && this.#isExtended ? "hello" : "step1";
    switch (message.kind) {
      case "hello":
        if (mayStart !== "hello" || !(await states.helloUnopened(message))) return false;
        this.#onHello(message);
        return isHere();
      case "step1": {
        const ours = mayStart === "step1" ? await states.stateVectorUnopened() : undefined;
        if (ours === undefined) return false;
        this.#onStep1(ours, message.stateVector);
        return isHere();
      }
      case "step2": {
        const head = await states.answeredUnopened(message.update);
        if (head !== undefined) intake.receiveKnown(head);
        return head !== undefined && isHere();
      }
      default:
        return false;
    }
  }

  /** Answered at once, past what waits for the document: the client measures by it. */
  #onTimeQuestion(): void {
    const { context, delivery, hasToRead, close } = this.#parts;
    if (!this.#isExtended || !this.#hasBegun) {
      return close(CLOSE_CODE.malformed, "not asked for at the handshake, or before hello");
    }
    // Who does not read what is sent would measure nothing.
    if (!this.#mayAsk() || hasToRead()) return;
    delivery.send({ kind: "time_answer", now: Math.max(0, Math.floor(context.now())) });
  }

  #onUnread({ isUpdate }: { readonly isUpdate: boolean }): void {
    const { intake, close } = this.#parts;
    if (isUpdate && this.#hasBegun) intake.refuseUnread(REFUSALS.too_large);
    else close(CLOSE_CODE.tooLarge, "the message is too long");
  }

  #onStep1(ours: Uint8Array, stateVector: Uint8Array): void {
    const { states, close } = this.#parts;
    if (!this.#mayAsk()) return;
    if (!states.step1(ours, stateVector, !this.#hasBegun)) {
      return close(CLOSE_CODE.malformed, "the state vector is malformed");
    }
    this.#hasBegun = true;
  }

  #onHello({ instance }: Hello): void {
    this.#instance = Buffer.from(instance).toString("hex");
    this.#hasBegun = true;
  }

  #onLeaseQuestion(question: LeaseQuestion): void {
    if (this.#mayAsk()) this.#parts.delivery.send(answerOfLease(question));
  }

  /** Counts a question; when there are too many the session ends. */
  #mayAsk(): boolean {
    const { context, close } = this.#parts;
    if (this.#requests.take(context.now()) === 0) return true;
    close(CLOSE_CODE.tooMany, "too many questions");
    return false;
  }
}

function unreadMessage(bytes: Uint8Array): DocumentMessage {
  return { kind: "unread", isUpdate: bytes[0] === 0 && (bytes[1] === 1 || bytes[1] === 2) };
}

import * as Y from "yjs";
import type {
  ClientMessage,
  Refused,
  ServerMessage,
  StateSource,
} from "../../src/protocol/message.ts";
import { PROTOCOL_VERSION } from "../../src/protocol/message.ts";
import { readStateVector } from "../../src/protocol/state-vector.ts";
import { GatheredUpdates } from "./gathered-updates.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";
import { UnsentStructs } from "./rewrite/unsent-structs.ts";
import { Sending } from "./sending.ts";
import type { Disconnection } from "./status.ts";
import type { ReplicaPosition } from "./store/replica-store.ts";

/** Why the server would not have edits that are as they should be under their ids. */
export type RefusalCause = Extract<Disconnection, "refused" | "full">;

/** What a session works on. */
export interface SessionHost {
  /** The document that is kept up with the server. */
  readonly doc: Y.Doc;
  /** What it has of the server's log. */
  readonly position: ReplicaPosition;
  readonly outbox: readonly OwnEdit[];
  /**
   * The state vector of what the document has from the server, or what is saved there: without its
   * unsaved edits, whose ids the server may have something else under.
   */
  got(): Uint8Array;
  /** False for a document that has nothing yet, and so nothing to send. */
  readonly maySend: boolean;
  /** The position holds once the update is applied; undefined while parts are missing. */
  onReceived(update: Uint8Array, position: ReplicaPosition | undefined): void;
  onPosition(position: ReplicaPosition): void;
  onCaughtUp(): void;
  /** What has been edited so far may be sent from now on. */
  onSending(): void;
  onSettled(edits: readonly OwnEdit[]): void;
  /** The server would not have something of the outbox: for what it is, or for want of room. */
  onRefused(cause: RefusalCause): void;
  /**
   * What is unsent can't be saved under the ids that it has: the server has other content there, or
   * has lost what it builds on.
   * @param lost what the server has lost, whoever wrote it, besides what is in the outbox
   */
  onContradicted(lost: readonly Uint8Array[]): void;
  /** The server's history is another one than this device's. */
  onOtherHistory(): void;
  /** So long is the message that is to be acknowledged next; 0 when none is. */
  onAwaited(bytes: number): void;
  /** As in `Platform`. */
  yieldNow(): Promise<void>;
}

/** What is said in one connection to the server, from hello on (docs/sync-protocol.md). */
export class SyncSession {
  readonly #host: SessionHost;
  readonly #send: (message: ClientMessage) => number;
  #epoch = "";
  #sending: Sending | undefined;
  #mayWrite = false;
  #isCaughtUp = false;
  #isBlocked = false;
  #isOver = false;
  /**
   * The server's history is another one, and it has not yet what it may have lost: until then the
   * device stays in its own, or after a break nobody would ask it again.
   */
  #owesAnswer = false;
  /** What the server last said it has, when it asked for what it lacks. */
  #theirState: Uint8Array | undefined;

  #sendsState: boolean;
  readonly #isAfterRefusal: boolean;
  readonly #gathered: GatheredUpdates;

  /**
   * @param isAfterRefusal what is unsent goes in small parts and as it is in the document now, not as it
   *   was made: it may have been too much at once, or what the server would not have is deleted since
   */
  constructor(
    host: SessionHost,
    send: (message: ClientMessage) => number,
    isAfterRefusal: boolean,
  ) {
    this.#host = host;
    this.#send = send;
    this.#sendsState = isAfterRefusal;
    this.#isAfterRefusal = isAfterRefusal;
    this.#gathered = new GatheredUpdates(
      () => host.yieldNow(),
      ({ update, seq }) => host.onReceived(update, this.#positionAt(seq)),
    );
  }

  /** Whether the server may have lost any part of the document, and has not got it back. */
  get owesAnswer(): boolean {
    return this.#owesAnswer;
  }

  greet(instance: Uint8Array): void {
    const { epoch, seq } = this.#host.position;
    this.#send({ kind: "hello", version: PROTOCOL_VERSION, instance, epoch, seq });
  }

  /** Sends what waits in the outbox, as far as it may be sent now. */
  pump(): void {
    const sending = this.#sending;
    if (sending === undefined || !this.#maySend) return;
    const { outbox } = this.#host;
    if (outbox.length === 0) return;
    this.#host.onSending();
    const isTooLong = !this.#sendsState && sending.edits(outbox) === "too_long";
    if (this.#sendsState || isTooLong) this.#sendState(sending, outbox);
    this.#host.onAwaited(sending.awaited);
  }

  /** The connection is over: nothing is taken in any more. */
  end(): void {
    this.#isOver = true;
    this.#gathered.drop();
  }

  onMessage(message: ServerMessage): void {
    // Parts of a state, which lead nowhere in the log, are long: each is taken in by itself, at once.
    if (message.kind === "sequenced" && message.seq !== 0) return this.#gathered.add(message);
    this.#gathered.flush();
    // What was taken in may have ended this connection.
    if (this.#isOver) return;
    const host = this.#host;
    switch (message.kind) {
      case "welcome":
        this.#epoch = message.epoch;
        this.#mayWrite = message.access === "write";
        if (!["", message.epoch].includes(host.position.epoch)) {
          this.#owesAnswer = this.#mayWrite;
          host.onOtherHistory();
        }
        this.#sending = new Sending(message.maxMessageBytes, this.#send, this.#isAfterRefusal);
        return this.#onSource(message.from);
      case "sequenced":
        return host.onReceived(message.update, this.#positionAt(message.seq));
      case "caught_up":
        this.#isCaughtUp = true;
        this.#reach(message.seq);
        host.onCaughtUp();
        return this.pump();
      case "acknowledged":
        return this.#onAcknowledged(message.count, message.seq);
      case "refused":
        return this.#onRefused(message);
      case "step1":
        return this.#answer(message.stateVector);
      // The others are for stock clients and those of before, or are the connection's business.
      case "lease_granted":
      case "lease_kept":
      case "awareness":
      case "query_awareness":
      case "permission_denied":
      case "step2":
      case "time_answer":
      case "unavailable":
      case "update":
        return;
    }
  }

  get #maySend(): boolean {
    return this.#mayWrite && this.#isCaughtUp && !this.#isBlocked && this.#host.maySend;
  }

  #positionAt(seq: number): ReplicaPosition | undefined {
    return seq === 0 || this.#owesAnswer ? undefined : { epoch: this.#epoch, seq };
  }

  #onSource(from: StateSource): void {
    const { position } = this.#host;
    if (from === "rest") this.#send({ kind: "step1", stateVector: this.#host.got() });
    // From now on parts of this history are here: after a break the others are enough.
    if (from === "state" && position.epoch === "") this.#reach(0);
  }

  #reach(seq: number): void {
    if (!this.#owesAnswer) this.#host.onPosition({ epoch: this.#epoch, seq });
  }

  #onAcknowledged(count: number, seq: number): void {
    const sending = this.#sending;
    if (sending === undefined) return;
    const settled = sending.acknowledged(count);
    if (this.#owesAnswer && sending.hasAnswered) this.#owesAnswer = false;
    if (seq !== 0 && this.#isCaughtUp) this.#reach(seq);
    if (settled.length > 0) this.#host.onSettled(settled);
    this.pump();
    this.#host.onAwaited(sending.awaited);
  }

  #onRefused(refusal: Refused): void {
    const sending = this.#sending;
    const part = sending?.refused(refusal);
    if (sending === undefined || part === undefined) return this.pump();
    switch (refusal.code) {
      case "missing":
        // The server asks for what it lacks, and the answer has these edits too.
        if (part.kind === "step2") this.#contradicted();
        break;
      case "foreign_client":
      case "conflict":
        this.#contradicted();
        break;
      default:
        // What was written behind it under the same id can't be saved without it.
        this.#isBlocked = true;
        this.#host.onRefused(refusal.code === "outline_full" ? "full" : "refused");
    }
    this.#host.onAwaited(sending.awaited);
  }

  /** When it was asked for what the server lacks, nobody else may ever bring it back. */
  #contradicted(): void {
    const { doc } = this.#host;
    const theirs = this.#theirState;
    this.#host.onContradicted(theirs === undefined ? [] : [Y.encodeStateAsUpdate(doc, theirs)]);
  }

  /** The server lacks something, after a backup was put back: whoever wrote it, it gets it. */
  #answer(stateVector: Uint8Array): void {
    this.#theirState = stateVector;
    const theirs = readStateVector(stateVector);
    if (theirs !== undefined && this.#host.maySend) this.#sendBehind("step2", theirs);
  }

  /** What is too long for a message goes with everything else in smaller updates. */
  #sendState(sending: Sending, outbox: readonly OwnEdit[]): void {
    this.#sendsState = false;
    const unsent = new UnsentStructs(updatesOf(outbox));
    const known = unsent.clocksBefore(this.#host.doc);
    sending.everything("update", sending.chunksOf(this.#host.doc, known), outbox);
  }

  #sendBehind(kind: "update" | "step2", known: ReadonlyMap<number, number>): void {
    const sending = this.#sending;
    if (sending === undefined) return;
    const { doc, outbox } = this.#host;
    this.#host.onSending();
    sending.everything(kind, sending.updatesOf(doc, known), outbox);
    this.#host.onAwaited(sending.awaited);
  }
}

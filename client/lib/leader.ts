import * as Y from "yjs";
import type { OutlineId } from "../../src/core/node-key.ts";
import { applyUnfollowed } from "../../src/core/yjs/apply-stored-update.ts";
import { contradictsKnown } from "../../src/core/updates/struct-contradiction.ts";
import type { ClientMessage, ServerMessage } from "../../src/protocol/message.ts";
import { VERSION_WITH_TIME } from "../../src/protocol/message.ts";
import { Connection, type ConnectionListener } from "./connection/connection.ts";
import type { ConnectionState, SessionAnswer } from "./connection/connection-state.ts";
import { FROM_ELSEWHERE } from "./load-replica.ts";
import { type OwnEdit, updatesOf } from "./outbox.ts";
import type { OwnEdits } from "./own-edits.ts";
import { displacesUnsent } from "./rewrite/displaces-unsent.ts";
import { takesUnsentIds } from "./rewrite/takes-unsent-ids.ts";
import { UnsentStructs } from "./rewrite/unsent-structs.ts";
import { whatDiffers } from "./rewrite/what-differs.ts";
import type { Platform } from "./platform.ts";
import type { ServerClock } from "./server-clock.ts";
import type { Disconnection } from "./status.ts";
import { contactOf, type Contact } from "./status-of.ts";
import type { ReplicaPosition } from "./store/replica-store.ts";
import { type RefusalCause, SyncSession, type SessionHost } from "./sync-session.ts";

/** The replica, as the leader needs it. */
export interface LeaderHost {
  readonly doc: Y.Doc;
  readonly outlineId: OutlineId | undefined;
  readonly position: ReplicaPosition;
  readonly isOutdated: boolean;
  readonly clock: ServerClock;
  /** The edits that the server has not acknowledged. */
  readonly own: Pick<OwnEdits, "outbox" | "unsaved" | "unsavedCount" | "neverSent" | "markSent">;
  onReceived(update: Uint8Array, position: ReplicaPosition | undefined): void;
  onPosition(position: ReplicaPosition): void;
  onSettled(edits: readonly OwnEdit[]): void;
  /** The server's history is another one than the replica's. */
  onOtherHistory(): void;
  onOutline(outline: OutlineId): void;
  /** The device's clock is corrected otherwise than before. */
  onClock(): void;
  /** How it stands with the server has changed. */
  onStanding(): void;
  /** Puts a document that has what the server has in the place of the replica's, edits written anew. */
  onFresh(fresh: FreshReplica): Promise<void>;
}

/** A replica that is fetched anew, because edits can't be saved under the ids that they have. */
export interface FreshReplica {
  readonly doc: Y.Doc;
  /**
   * Takes in what has come since; answers what the document has of the server's log then. To be called
   * when edits are written anew, in the same turn: they must not displace what others have written.
   */
  readonly catchUp: () => ReplicaPosition;
  /** To be written anew besides what the server has not acknowledged. */
  readonly lost: readonly Uint8Array[];
}

interface Fresh {
  readonly doc: Y.Doc;
  position: ReplicaPosition;
  /** What the server has lost; or else all in which the two documents differ. */
  readonly lost: readonly Uint8Array[] | "all";
  /** What came while the replica is being replaced. */
  held: Received[];
  isComplete: boolean;
}

interface Received {
  readonly update: Uint8Array;
  readonly position: ReplicaPosition | undefined;
}

const NOWHERE: ReplicaPosition = { epoch: "", seq: 0 };
const TOKEN_BYTES = 32;
/** What was refused twice is tried again so much later, when something was edited or has come. */
const REFUSED_MS = 30_000;

/** What the leading tab does for all tabs: it is connected to the server. */
export class Leader implements ConnectionListener, SessionHost {
  readonly #host: LeaderHost;
  readonly #platform: Platform;
  readonly #connection: Connection;
  /** By it the server knows that it is this process that comes again. */
  readonly #instance: Uint8Array;
  readonly #stopOnline: () => void;
  #session: SyncSession | undefined;
  #fresh: Fresh | undefined;
  /** Why edits were refused, and nothing was acknowledged since. */
  #refusal: RefusalCause | undefined;
  /** Whether they were refused again, as small parts of what is there now. */
  #isRefusedForGood = false;
  #refusedAt = 0;
  /** Whether the server of this connection can be asked for its time. */
  #knowsTime = false;

  constructor(host: LeaderHost, platform: Platform) {
    this.#host = host;
    this.#platform = platform;
    this.#instance = platform.randomBytes(TOKEN_BYTES);
    const { elapsed, random } = platform;
    this.#connection = new Connection(
      {
        elapsed,
        random,
        setTimer: (callback, ms) => platform.setTimer(callback, ms),
        openSocket: (listener) => platform.openSocket(host.outlineId, listener),
        askSession: () => this.#askSession(),
      },
      this,
    );
    this.#stopOnline = platform.onOnline(() => this.#connection.dispatch({ kind: "online" }));
  }

  get contact(): Contact {
    return contactOf(this.#connection.state);
  }

  /** Why edits are not sent although the server is there. */
  get obstacle(): Disconnection | undefined {
    if (this.#host.isOutdated) return "outdated";
    if (this.#isRefusedForGood) return this.#refusal;
    const { state } = this.#connection;
    return state.kind === "live" && state.access === "read" ? "read_only" : undefined;
  }

  /** Connects, or tries again now. */
  connect(): void {
    if (this.#refusal !== undefined) this.#connection.dispatch({ kind: "disconnect" });
    this.#connection.dispatch({ kind: "connect" });
  }

  /** Something waits in the outbox. */
  pump(): void {
    this.#session?.pump();
    // The edit may have put right what the server would not have.
    if (this.#refusal !== undefined) this.#tryAgain();
  }

  close(): void {
    this.#stopOnline();
    this.#connection.dispatch({ kind: "disconnect" });
  }

  // What the connection tells.

  onState(state: ConnectionState): void {
    if (state.kind === "greeting") this.#greet();
    else if (state.kind !== "catching_up" && state.kind !== "live") this.#endSession();
    if (state.kind === "live" && this.#host.outlineId === undefined) void this.#askSession();
    this.#host.onStanding();
  }

  onMessage(message: ServerMessage): void {
    if (message.kind === "welcome") {
      this.#knowsTime = message.version >= VERSION_WITH_TIME;
      if (this.#isOfAnother(message.epoch)) return this.#connectAnew();
    }
    this.#session?.onMessage(message);
    const { clock } = this.#host;
    if (message.kind === "time_answer" && clock.answered(message.now)) this.#host.onClock();
    // When little else is on the line, so that it takes the answer no longer than the question.
    if (message.kind === "caught_up" || clock.hasJumped) this.#askTime();
  }

  // What the session asks and tells.

  get doc(): Y.Doc {
    return this.#fresh?.doc ?? this.#host.doc;
  }

  get position(): ReplicaPosition {
    return this.#fresh?.position ?? this.#host.position;
  }

  get outbox(): readonly OwnEdit[] {
    return this.#host.own.outbox;
  }

  got(): Uint8Array {
    const { doc } = this;
    if (this.#fresh !== undefined) return Y.encodeStateVector(doc);
    const unsaved = new UnsentStructs(updatesOf(this.#host.own.unsaved));
    return Y.encodeStateVector(unsaved.clocksBefore(doc));
  }

  get maySend(): boolean {
    return this.#fresh === undefined && !this.#host.isOutdated;
  }

  onReceived(update: Uint8Array, position: ReplicaPosition | undefined): void {
    const fresh = this.#fresh;
    if (fresh === undefined) {
      if (this.#isContradicted(update)) return this.#fetchAnew(this.#mayBeLost ? "all" : []);
      this.#host.onReceived(update, position);
      // Another device, or the server, may have made room.
      if (this.#refusal === "full") this.#tryAgain();
    } else if (fresh.isComplete) fresh.held.push({ update, position });
    else takeIn(fresh, { update, position });
  }

  onPosition(position: ReplicaPosition): void {
    if (this.#fresh === undefined) this.#host.onPosition(position);
    else if (!this.#fresh.isComplete) this.#fresh.position = position;
  }

  onSending(): void {
    this.#host.own.markSent();
  }

  onCaughtUp(): void {
    this.#connection.dispatch({ kind: "caught_up" });
    const fresh = this.#fresh;
    if (fresh !== undefined && !fresh.isComplete) {
      fresh.isComplete = true;
      void this.#replaceBy(fresh);
    }
  }

  onSettled(edits: readonly OwnEdit[]): void {
    this.#refusal = undefined;
    this.#isRefusedForGood = false;
    this.#host.onSettled(edits);
  }

  onRefused(cause: RefusalCause): void {
    const wasRefused = this.#refusal !== undefined;
    this.#refusal = cause;
    this.#isRefusedForGood = wasRefused;
    this.#refusedAt = this.#platform.elapsed();
    this.#host.onStanding();
    // It may have been too much at once, or what is wrong with it may have been deleted since.
    if (!wasRefused) this.connect();
  }

  onContradicted(lost: readonly Uint8Array[]): void {
    this.#fetchAnew(lost);
  }

  #fetchAnew(lost: Fresh["lost"]): void {
    if (this.#fresh !== undefined) return;
    this.#fresh = {
      doc: new Y.Doc(),
      position: NOWHERE,
      lost,
      held: [],
      isComplete: false,
    };
    this.#connectAnew();
  }

  onOtherHistory(): void {
    this.#host.onOtherHistory();
  }

  yieldNow(): Promise<void> {
    return this.#platform.yieldNow();
  }

  onAwaited(bytes: number): void {
    this.#connection.dispatch({ kind: "awaited", bytes });
  }

  /** Whether the server may have lost what it had acknowledged: then anything may be unsaved. */
  get #mayBeLost(): boolean {
    return this.#session?.owesAnswer === true;
  }

  /**
   * Whether the server has other content under ids of what is unsaved, or another node under its key:
   * a copy of this store was there before, or is there now. Applied here, deletions would hit what
   * they were never meant for.
   */
  #isContradicted(update: Uint8Array): boolean {
    const host = this.#host;
    if (host.own.unsavedCount === 0 && !this.#mayBeLost) return false;
    const { structs } = Y.decodeUpdate(update);
    const items = structs.filter((struct) => struct instanceof Y.Item);
    return (
      takesUnsentIds(host.doc, structs, () => host.own.neverSent) ||
      items.some((item) => contradictsKnown(host.doc, item)) ||
      displacesUnsent(host.doc, items, () => host.own.unsaved)
    );
  }

  #askTime(): void {
    if (!this.#knowsTime || this.#connection.state.kind !== "live") return;
    this.#host.clock.asked();
    this.#connection.send({ kind: "time_question" });
  }

  #tryAgain(): void {
    if (this.#platform.elapsed() - this.#refusedAt > REFUSED_MS) this.connect();
  }

  #endSession(): void {
    this.#session?.end();
    this.#session = undefined;
  }

  #greet(): void {
    const fresh = this.#fresh;
    // An earlier connection may have brought something before it was known of which history.
    if (fresh?.isComplete === false && fresh.position.epoch === "") this.#beginAnew(fresh);
    const send = (message: ClientMessage): number => this.#connection.send(message);
    const session = new SyncSession(this, send, this.#refusal !== undefined);
    this.#session = session;
    session.greet(this.#instance);
  }

  #connectAnew(): void {
    this.#connection.dispatch({ kind: "disconnect" });
    this.#connection.dispatch({ kind: "connect" });
  }

  #beginAnew(fresh: Fresh): void {
    this.#fresh = { ...fresh, doc: new Y.Doc(), position: NOWHERE };
  }

  /** What an earlier connection brought may be of a server that has gone back to a backup since. */
  #isOfAnother(epoch: string): boolean {
    const fresh = this.#fresh;
    if (fresh === undefined || fresh.isComplete) return false;
    if (["", epoch].includes(fresh.position.epoch)) return false;
    this.#beginAnew(fresh);
    return true;
  }

  async #replaceBy(fresh: Fresh): Promise<void> {
    const { doc } = fresh;
    const lost = fresh.lost === "all" ? [whatDiffers(this.#host.doc, doc)] : fresh.lost;
    const catchUp = (): ReplicaPosition => {
      for (const received of fresh.held.splice(0)) takeIn(fresh, received);
      return fresh.position;
    };
    await this.#host.onFresh({ doc, catchUp, lost });
    this.#fresh = undefined;
    this.#host.onStanding();
    this.pump();
  }

  async #askSession(): Promise<SessionAnswer> {
    const reply = await this.#platform.askSession();
    if (reply.kind !== "signed_in") return reply.kind;
    const { outlineId } = this.#host;
    if (outlineId === undefined) this.#host.onOutline(reply.outline);
    // A key for somebody else's outline must not bring this replica there.
    else if (outlineId !== reply.outline) return "signed_out";
    return "signed_in";
  }
}

function takeIn(fresh: Fresh, { update, position }: Received): void {
  applyUnfollowed(fresh.doc, update, FROM_ELSEWHERE);
  if (position !== undefined) fresh.position = position;
}

import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";

import type { Accounts } from "../accounts/accounts.ts";
import { isInForce } from "../accounts/principal.ts";
import {
  forwardedOf,
  HERE,
  MOST_ATTEMPTS,
  MOST_HOPS,
  type Passing,
  type Place,
  UNKNOWN,
} from "../accounts/passing.ts";
import type { SignIns } from "../accounts/sign-ins.ts";
import type { MemoryLedger } from "../charges/memory-ledger.ts";
import { type Payer, payingUser } from "../charges/payer.ts";
import { UNWATCHED, type Watch } from "../charges/watchdog.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { Timers } from "../documents/turns/timers.ts";
import { CLOSE_CODE } from "../protocol/close-code.ts";
import { SUBPROTOCOL } from "../protocol/subprotocol.ts";
import type { Admitted } from "./admission.ts";
import { Admission, KEY_ENDED } from "./admission.ts";
import { Connections } from "./connections.ts";
import { EXTENDED, STOCK } from "./dialect.ts";
import { ReadingTurns } from "./reading-turns.ts";
import { Room } from "./room.ts";
import { Session } from "./session.ts";
import type { SyncContext, SyncLogger } from "./sync-context.ts";
import type { SyncDocuments } from "./sync-document.ts";
import type { SyncEvents } from "./sync-events.ts";
import type { SyncLimits } from "./sync-limits.ts";
import { DEFAULT_SYNC_LIMITS } from "./sync-limits.ts";
import { SyncSocket } from "./sync-socket.ts";
import { answerRefusal, type UpgradeRefusal, upgradeRefusal } from "./upgrade-refusal.ts";
import { answeredProtocol, offeredOf, subprotocolOf } from "./upgrade-request.ts";

export interface SyncOptions {
  readonly documents: SyncDocuments;
  readonly accounts: Pick<Accounts, "onRevoked">;
  /** Where other processes serve outlines beside this one. */
  readonly passing?: Passing | undefined;
  /** Shared with all that takes keys, so that guesses are counted together. */
  readonly signIns: SignIns;
  /** The name of the service, which its cookies have. */
  readonly name: string;
  readonly limits?: Partial<SyncLimits>;
  /** Counts what is held for clients, here and elsewhere in the process. */
  readonly memory: MemoryLedger;
  /** Sees which messages take long; without it nobody does. */
  readonly watchdog?: Watch;
  readonly timers: Timers;
  readonly logger: SyncLogger;
  readonly events?: SyncEvents;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that nobody sets, by which work is measured; else `now`. */
  readonly elapsed?: () => number;
}

/** Chromium sends a message in pieces of some 128 KB, on slow lines of much less. */
const MAX_FRAGMENTS = 1_024;
/** What of a message has come in so many pieces is no honest message any more. */
const MAX_PIECES = 16_384;

/** Twice a second: a key that has expired closes its sockets within one. */
const TICK_MS = 500;
const UNAVAILABLE = upgradeRefusal("unavailable", "The service is not available now.", 1000);
/** How long a client may take to answer a close before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;

/** The websocket side of the server. */
export class SyncServer {
  readonly #context: SyncContext;
  readonly #admission: Admission;
  readonly #connections = new Connections();
  /** Those with a connection [Q56]. */
  readonly #rooms = new Map<OutlineId, Room>();
  readonly #reading: ReadingTurns;
  readonly #websockets: WebSocketServer;
  readonly #passing: Passing | undefined;
  readonly #stopListening: () => void;
  #tick: unknown;
  #closing: (() => void) | undefined;

  constructor(options: SyncOptions) {
    const limits = { ...DEFAULT_SYNC_LIMITS, ...options.limits };
    const { documents, accounts, signIns, name, memory, watchdog = UNWATCHED, timers } = options;
    const { logger, events = {} } = options;
    const now = (): number => options.now();
    this.#context = { documents, limits, timers, logger, events, now, memory, watchdog };
    this.#passing = options.passing;
    this.#reading = new ReadingTurns(timers, options.elapsed ?? now);
    this.#admission = new Admission({ signIns, name, limits, connections: this.#connections });
    this.#stopListening = accounts.onRevoked((id) => this.#onRevoked(id));
    const websocketOptions = {
      noServer: true,
      clientTracking: false,
      // What inflates can be a bomb, and costs memory for each connection.
      perMessageDeflate: false,
      maxPayload: 2 * limits.messageBytes,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_PIECES,
      // One that does not read would get one for each of its pings.
      autoPong: false,
      // Younger than the types of the library.
      closeTimeout: CLOSE_TIMEOUT_MS,
      handleProtocols: answeredProtocol,
    };
    this.#websockets = new WebSocketServer(websocketOptions);
    this.#websockets.on("wsClientError", (error, socket) =>
      answerRefusal(socket, upgradeRefusal("invalid_request", `${error.message}.`)),
    );
  }

  /** How many websockets are open. */
  sessions(): number {
    return this.#connections.size;
  }

  /** Bytes that wait in this process for clients to read them. */
  queuedBytes(): number {
    return this.#connections.sessions().reduce((sum, session) => sum + session.queuedBytes, 0);
  }

  /**
   * For the `upgrade` event of the HTTP server: answers every such request, and owns its socket.
   * Resolves when it is answered.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on("error", destroyThis);
    return this.#upgrade({ request, socket, head });
  }

  /** Closes all with a code that makes clients come again; resolves when they are gone. */
  async close(): Promise<void> {
    if (this.#closing !== undefined) return;
    const { timers } = this.#context;
    this.#stopListening();
    timers.clearTimeout(this.#tick);
    const gone = new Promise<void>((resolve) => {
      this.#closing = resolve;
    });
    for (const session of this.#connections.sessions()) {
      session.close(CLOSE_CODE.restarting, "the server restarts");
    }
    if (this.#connections.size > 0) await gone;
    this.#websockets.close();
  }

  async #upgrade(upgrade: UpgradeAttempt): Promise<void> {
    const { request, socket, head } = upgrade;
    const { timers, limits, events, logger } = this.#context;
    const address = this.#admission.addressOf(request);
    const excess = this.#admission.excessOfAddress(address);
    if (excess !== undefined) {
      events.onRejected?.(excess.code);
      return answerRefusal(socket, excess);
    }
    const deadline = timers.setTimeout(() => socket.destroy(), limits.handshakeMs);
    const knocked = this.#connections.knock(address);
    let hasAnswer = knocked;
    try {
      const found = await this.#lookUp(request, address);
      const passed = await this.#passOn(upgrade, found, knocked);
      // One that is passed on counts for its address until it ends.
      if (passed === "passed") {
        hasAnswer = () => undefined;
        return;
      }
      const admission = this.#admitNow(passed);
      if (socket.destroyed) return;
      if (admission.kind === "refused") {
        events.onRejected?.(admission.code);
        return answerRefusal(socket, admission);
      }
      this.#websockets.handleUpgrade(request, socket, head, (websocket) =>
        this.#accept(websocket, upgrade, admission),
      );
    } catch (error) {
      logger.error({ err: error }, "a websocket request failed");
      socket.destroy();
    } finally {
      timers.clearTimeout(deadline);
      hasAnswer();
    }
  }

  /** Hands it to the process that serves the outline, when that is another one. */
  async #passOn(
    { request, socket, head }: UpgradeAttempt,
    found: Admitted | UpgradeRefusal,
    onEnd: () => void,
  ): Promise<"passed" | Admitted | UpgradeRefusal> {
    if (this.#passing === undefined || found.kind === "refused") return found;
    const { outline, address } = found;
    const { headers, socket: connection } = request;
    const before = forwardedOf(request);
    const forwarded = {
      address: address.split("/")[0] ?? "",
      isByTls: before?.isByTls ?? "encrypted" in connection,
      host: headers.host ?? "",
      hops: (before?.hops ?? 0) + 1,
    };
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      const place = await this.#placeOf(outline, before !== undefined);
      if (place.kind === "here" || socket.destroyed) return found;
      if (place.kind === "unknown" || forwarded.hops > MOST_HOPS) return UNAVAILABLE;
      const passed = { owner: place.owner, request, socket, head, forwarded };
      if ((await this.#passing.websocket(passed, onEnd)) === "passed") return "passed";
      this.#passing.forget(outline);
    }
    return UNAVAILABLE;
  }

  async #placeOf(outline: OutlineId, isPassedOn: boolean): Promise<Place> {
    try {
      return (await this.#passing?.place(outline, isPassedOn)) ?? HERE;
    } catch (error) {
      this.#context.logger.error({ err: error }, "nobody can tell where an outline is served");
      return UNKNOWN;
    }
  }

  /** What has changed since it was looked up, until the turn in which its session begins. */
  #admitNow(admission: Admitted | UpgradeRefusal): Admitted | UpgradeRefusal {
    if (this.#closing !== undefined) return UNAVAILABLE;
    if (admission.kind === "refused") return admission;
    return isInForce(admission.principal, this.#context.now())
      ? (this.#admission.excessOf(admission) ?? admission)
      : KEY_ENDED;
  }

  async #lookUp(request: IncomingMessage, address: string): Promise<Admitted | UpgradeRefusal> {
    if (this.#closing !== undefined) return UNAVAILABLE;
    try {
      return await this.#admission.admit(request, address);
    } catch (error) {
      this.#context.logger.error({ err: error }, "a websocket request could not be checked");
      return UNAVAILABLE;
    }
  }

  #accept(websocket: WebSocket, { request, socket }: UpgradeAttempt, admitted: Admitted): void {
    const { principal, outline, address } = admitted;
    const subprotocol = subprotocolOf(offeredOf(request.headers));
    const dialect = subprotocol === SUBPROTOCOL.extended ? EXTENDED : STOCK;
    const { events } = this.#context;
    const { user } = principal;
    const room = this.#room(outline, payingUser(user));
    const session = new Session(
      {
        context: this.#context,
        room,
        principal,
        dialect,
        onGone: (gone, code, judged) => {
          this.#connections.remove(gone, judged);
          events.onClosed?.(dialect.name, code);
          if (this.#connections.size === 0) this.#closing?.();
        },
      },
      (listener) => {
        const { limits } = this.#context;
        const reading = { turns: this.#reading, shared: room.reading, outline };
        return new SyncSocket({ ws: websocket, raw: socket, ...reading, limits }, listener);
      },
    );
    this.#connections.add(session, { shownId: principal.id, user, address });
    room.join(session);
    events.onOpened?.(dialect.name);
    this.#tick ??= this.#startTick();
  }

  #room(outline: OutlineId, payer: Payer): Room {
    let room = this.#rooms.get(outline);
    if (room === undefined) {
      const onEmpty = (): void => void this.#rooms.delete(outline);
      room = new Room(this.#context, { outline, payer, onEmpty });
      this.#rooms.set(outline, room);
    }
    return room;
  }

  #onRevoked(id: string): void {
    for (const session of this.#connections.shownBy(id)) {
      session.close(CLOSE_CODE.unauthorized, "the key or the session has ended");
    }
  }

  /** One timer for all sessions, while there are any. */
  #startTick(): unknown {
    return this.#context.timers.setTimeout(() => {
      const now = this.#context.now();
      for (const room of this.#rooms.values()) room.tick(now);
      this.#tick = this.#connections.size === 0 ? undefined : this.#startTick();
    }, TICK_MS);
  }
}

interface UpgradeAttempt {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

function destroyThis(this: Duplex): void {
  this.destroy();
}

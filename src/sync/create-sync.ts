import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type WebSocket } from "ws";

import type { Accounts } from "../accounts/accounts.ts";
import type { OutlineId } from "../core/node-key.ts";
import type { Timers } from "../documents/timers.ts";
import { CLOSE_CODE } from "../protocol/close-code.ts";
import { SUBPROTOCOL } from "../protocol/subprotocol.ts";
import type { Admitted } from "./admission.ts";
import { Admission } from "./admission.ts";
import { Connections } from "./connections.ts";
import { EXTENDED, STOCK } from "./dialect.ts";
import { PendingBytes } from "./pending-bytes.ts";
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
  readonly accounts: Pick<Accounts, "authenticate" | "onRevoked">;
  readonly limits?: Partial<SyncLimits>;
  readonly timers: Timers;
  readonly logger: SyncLogger;
  readonly events?: SyncEvents;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that nobody sets, by which work is measured; else `now`. */
  readonly elapsed?: () => number;
}

/** The websocket side of the server. */
export interface Sync {
  /** For the `upgrade` event of the HTTP server: answers every such request, and owns its socket. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** How many websockets are open. */
  sessions(): number;
  /** Bytes that wait in this process for clients to read them. */
  queuedBytes(): number;
  /** Closes all with a code that makes clients come again; resolves when they are gone. */
  close(): Promise<void>;
}

/** Twice a second: a key that has expired closes its sockets within one. */
const TICK_MS = 500;
const UNAVAILABLE = upgradeRefusal("unavailable", "The service is not available now.", 1000);
/** How long a client may take to answer a close before its socket is destroyed. */
const CLOSE_TIMEOUT_MS = 2000;

export function createSync(options: SyncOptions): Sync {
  return new SyncServer(options);
}

class SyncServer implements Sync {
  readonly #context: SyncContext;
  readonly #admission: Admission;
  readonly #connections = new Connections();
  readonly #rooms = new Map<OutlineId, Room>();
  readonly #reading: ReadingTurns;
  readonly #websockets: WebSocketServer;
  readonly #stopListening: () => void;
  /** Keys that were revoked while requests were looked at, which may have been let in before. */
  readonly #revoked = new Set<string>();
  #handshakes = 0;
  #tick: unknown;
  #closing: (() => void) | undefined;

  constructor(options: SyncOptions) {
    const limits = { ...DEFAULT_SYNC_LIMITS, ...options.limits };
    const { documents, accounts, timers, logger, events = {} } = options;
    const now = (): number => options.now();
    const pending = new PendingBytes(limits.unacknowledgedBytesInAll);
    this.#context = { documents, limits, timers, logger, events, now, pending };
    this.#reading = new ReadingTurns(timers, options.elapsed ?? now);
    this.#admission = new Admission({ accounts, limits, connections: this.#connections, now });
    this.#stopListening = accounts.onRevoked((keyId) => this.#onRevoked(keyId));
    const websocketOptions = {
      noServer: true,
      clientTracking: false,
      // What inflates can be a bomb, and costs memory for each connection.
      perMessageDeflate: false,
      maxPayload: 2 * limits.messageBytes,
      // Younger than the types of the library.
      closeTimeout: CLOSE_TIMEOUT_MS,
      handleProtocols: answeredProtocol,
    };
    this.#websockets = new WebSocketServer(websocketOptions);
    this.#websockets.on("wsClientError", (error, socket) =>
      answerRefusal(socket, upgradeRefusal("invalid_request", `${error.message}.`)),
    );
  }

  sessions(): number {
    return this.#connections.size;
  }

  queuedBytes(): number {
    return this.#connections.sessions().reduce((sum, session) => sum + session.queuedBytes, 0);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", destroyThis);
    void this.#upgrade({ request, socket, head });
  }

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
    const deadline = timers.setTimeout(() => socket.destroy(), limits.handshakeMs);
    this.#handshakes++;
    try {
      const admission = this.#admitNow(await this.#lookUp(request));
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
      if (--this.#handshakes === 0) this.#revoked.clear();
    }
  }

  /** What has changed since it was looked up, until the turn in which its session begins. */
  #admitNow(admission: Admitted | UpgradeRefusal): Admitted | UpgradeRefusal {
    if (this.#closing !== undefined) return UNAVAILABLE;
    if (admission.kind === "refused") return admission;
    return this.#revoked.has(admission.principal.keyId)
      ? upgradeRefusal("unauthorized", "The API key is not valid.")
      : (this.#admission.excessOf(admission) ?? admission);
  }

  async #lookUp(request: IncomingMessage): Promise<Admitted | UpgradeRefusal> {
    if (this.#closing !== undefined) return UNAVAILABLE;
    try {
      return await this.#admission.admit(request);
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
    const room = this.#room(outline);
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
      (listener) =>
        new SyncSocket(websocket, socket, listener, {
          elapsed: this.#reading.elapsed,
          isMuch: (bytes, costMs) => this.#reading.isMuch(bytes, costMs),
          wait: (costMs, resume) => this.#reading.wait(outline, costMs, resume),
        }),
    );
    this.#connections.add(session, { keyId: principal.keyId, address });
    room.join(session);
    events.onOpened?.(dialect.name);
    this.#tick ??= this.#startTick();
  }

  #room(outline: OutlineId): Room {
    let room = this.#rooms.get(outline);
    if (room === undefined) {
      room = new Room(this.#context, outline, () => this.#rooms.delete(outline));
      this.#rooms.set(outline, room);
    }
    return room;
  }

  #onRevoked(keyId: string): void {
    if (this.#handshakes > 0) this.#revoked.add(keyId);
    for (const session of this.#connections.ofKey(keyId)) {
      session.close(CLOSE_CODE.unauthorized, "the key was revoked");
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

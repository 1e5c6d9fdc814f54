import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { noteForwarded } from "../accounts/passing.ts";
import { isOutlineId, type OutlineId } from "../core/node-key.ts";
import { ALIVE_PATH, HAND_OVER_PATH, readClusterHeaders, takerIn } from "./cluster-headers.ts";

/** Longer than other processes keep a connection on which they ask nothing. */
const KEEP_ALIVE_MS = 120_000;
/** What a client may send, and what the process that it has reached says with it. */
const HEAD_BYTES = maxHeaderSize + 4 * 1024;

export interface InternalHandlers {
  readonly secret: string;
  readonly request: (request: IncomingMessage, response: ServerResponse) => void;
  /** Lets go of an outline. @param to the process that is to have it; else whoever is asked next */
  readonly handOver: (outline: OutlineId, to: number | undefined) => Promise<void>;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/**
 * Where the other processes of the service reach this one. It believes what they say of a client, and
 * answers nobody who does not know their secret.
 */
export class InternalListener {
  readonly #server: Server;
  /** Of other processes. [Q92] */
  readonly #sockets = new Set<Socket>();
  /** Requests that are being answered, one for each of these connections. [Q92] */
  readonly #underWay = new Set<ServerResponse>();
  #onIdle: (() => void) | undefined;
  readonly address: string;
  #handlers: InternalHandlers | undefined;

  /** @param address host and port; port 0 takes a free one. @throws Error of the system */
  static async open({ host, port }: { readonly host: string; readonly port: number }) {
    const server = createServer({
      requireHostHeader: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: HEAD_BYTES,
      // The process that the client has reached sees to it.
      requestTimeout: 0,
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port }, () => resolve());
    });
    return new InternalListener(server, host);
  }

  private constructor(server: Server, host: string) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.once("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => this.#onRequest(request, response));
    server.on("upgrade", (request, socket, head) => this.#onUpgrade(request, socket, head));
    server.on("clientError", (_error, socket) => socket.destroy());
  }

  /** From now on requests are answered. */
  begin(handlers: InternalHandlers): void {
    this.#handlers = handlers;
  }

  /** Resolves when nothing is being answered. */
  idle(): Promise<void> {
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#onIdle = resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#handlers === undefined) return void response.writeHead(503).end();
    if (!this.#isOfProcess(request, this.#handlers)) return void response.writeHead(403).end();
    if (request.url === ALIVE_PATH) return void response.writeHead(204).end();
    this.#underWay.add(response);
    response.once("close", () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === 0) this.#onIdle?.();
    });
    const { url = "" } = request;
    const outline = url.startsWith(HAND_OVER_PATH) ? url.slice(HAND_OVER_PATH.length) : undefined;
    if (outline === undefined) this.#handlers.request(request, response);
    else if (!isOutlineId(outline)) response.writeHead(404).end();
    else {
      this.#handlers.handOver(outline, takerIn(request)).then(
        () => response.writeHead(204).end(),
        () => response.writeHead(503).end(),
      );
    }
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on("error", () => socket.destroy());
    if (this.#handlers === undefined || !this.#isOfProcess(request, this.#handlers)) {
      socket.destroy();
    } else this.#handlers.upgrade(request, socket, head);
  }

  #isOfProcess(request: IncomingMessage, { secret }: InternalHandlers): boolean {
    const forwarded = readClusterHeaders(request, secret);
    if (forwarded !== undefined) noteForwarded(request, forwarded);
    return forwarded !== undefined;
  }
}

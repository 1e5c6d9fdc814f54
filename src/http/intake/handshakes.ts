import type { Socket } from "node:net";
import type { Server, TLSSocket } from "node:tls";
import { rawAnswer, refuseConnection } from "./broken-connection.ts";
import type { Connections } from "./connections.ts";
import { problem } from "../problem.ts";

const PLAIN_HTTP = rawAnswer(
  problem("invalid_request", "The server speaks TLS at this port: the address begins with https."),
);

/**
 * Connections that have not agreed on TLS yet. They count as those for requests on which nothing is
 * asked; once a connection has agreed, it is known by the socket that decrypts it.
 */
export class Handshakes {
  readonly #connections: Connections;
  /** By the addresses of both sides, which are all that the two sockets have in common. [Q10] */
  readonly #byAddresses = new Map<string, Socket>();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** How many are under way. */
  get size(): number {
    return this.#byAddresses.size;
  }

  /** Counts the connections of a server. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#begin(socket));
    server.on("secureConnection", (secured) => this.#finish(secured));
    // First, since the framework would answer by the TLS that there is not.
    server.prependListener("tlsClientError", (error: NodeJS.ErrnoException, secured) => {
      const socket = this.#byAddresses.get(addressesOf(secured));
      if (error.code === "ERR_SSL_HTTP_REQUEST" && socket) refuseConnection(socket, PLAIN_HTTP);
      else secured.destroy();
    });
  }

  /** Ends those under way. */
  endAll(): void {
    for (const socket of this.#byAddresses.values()) socket.destroy();
  }

  #begin(socket: Socket): void {
    if (!this.#connections.add(socket, false)) return;
    const addresses = addressesOf(socket);
    this.#byAddresses.set(addresses, socket);
    socket.once("close", () => {
      if (this.#byAddresses.get(addresses) === socket) this.#byAddresses.delete(addresses);
    });
  }

  #finish(secured: TLSSocket): void {
    // One that offers another protocol is handed over twice.
    if (this.#connections.of(secured) !== undefined) return;
    const addresses = addressesOf(secured);
    const socket = this.#byAddresses.get(addresses);
    this.#byAddresses.delete(addresses);
    if (socket === undefined || !this.#connections.replace(socket, secured)) secured.destroy();
  }
}

function addressesOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}

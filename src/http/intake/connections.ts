import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ClientAddresses } from "../../accounts/client-address.ts";
import { refuseConnection, rawAnswer } from "./broken-connection.ts";
import type { HttpLimits } from "../http-limits.ts";
import { problem } from "../problem.ts";

/** A request with the answer that it is to get. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A connection for requests, from its opening until it closes or becomes something else. */
export class Connection {
  readonly socket: Socket;
  /** From where it comes. */
  readonly network: string;
  /** It is a proxy's that is trusted: then each request says whose it is. */
  readonly isProxied: boolean;
  /** What is being answered. */
  current: Exchange | undefined;

  constructor(socket: Socket, network: string, isProxied: boolean) {
    this.socket = socket;
    this.network = network;
    this.isProxied = isProxied;
  }

  /** Whether it is the client that has to do something before anything can go on. */
  get waitsForClient(): boolean {
    const { current, socket } = this;
    return current === undefined || !current.request.complete || socket.writableLength > 0;
  }
}

/** The connections of one network. */
interface Group {
  /** [Q10] */
  readonly all: Set<Connection>;
  /** Those on which nothing is asked, the one that was left longest ago first. [Q10] */
  readonly idle: Set<Connection>;
}

type ConnectionsLimits = Pick<HttpLimits, "connectionsPerAddress" | "connectionsInAll">;

const RETRY_MS = 5000;
const TOO_MANY_OF_NETWORK = rawAnswer(
  problem("rate_limited", "There are too many connections from this address.", RETRY_MS),
);
const TOO_MANY_IN_ALL = rawAnswer(
  problem("unavailable", "The server has too many connections.", RETRY_MS),
);

/**
 * All connections for requests, so many for each network and in all. Where there would be more, one
 * goes on which nothing is asked, then one whose client keeps the server waiting, the oldest first:
 * of the network itself, or of the one that has most. Where all are at work, the new one is refused.
 */
export class Connections {
  readonly #limits: ConnectionsLimits;
  readonly #addresses: ClientAddresses;
  /** Open ones. [Q10] */
  readonly #bySocket = new Map<Socket, Connection>();
  /** Of networks with connections. [Q10] */
  readonly #byNetwork = new Map<string, Group>();
  #opened = 0;

  constructor(limits: ConnectionsLimits, addresses: ClientAddresses) {
    this.#limits = limits;
    this.#addresses = addresses;
  }

  /** How many are open. */
  get size(): number {
    return this.#bySocket.size;
  }

  /** How many were ever opened, without those that were refused. */
  get opened(): number {
    return this.#opened;
  }

  /** On how many nothing is asked. */
  get idle(): number {
    let idle = 0;
    for (const group of this.#byNetwork.values()) idle += group.idle.size;
    return idle;
  }

  /** How many networks have any. */
  get networks(): number {
    return this.#byNetwork.size;
  }

  /** The open ones of a network. */
  ofNetwork(network: string): Iterable<Connection> {
    return this.#byNetwork.get(network)?.all ?? [];
  }

  /** Undefined for one that was refused, or that has ended. */
  of(socket: Socket): Connection | undefined {
    return this.#bySocket.get(socket);
  }

  /**
   * Whether something that was asked on a connection is still to be answered. Node gives a connection up
   * with a request to become something else: then that is never answered whole, and nobody who waits for
   * answers asks so.
   */
  isAnswering(socket: Socket): boolean {
    return this.of(socket)?.current !== undefined;
  }

  /** Where a request comes from, as far as it can be believed. */
  networkOf({ network, isProxied, socket }: Connection, headers: IncomingHttpHeaders): string {
    return isProxied ? this.#addresses.of(socket.remoteAddress, headers) : network;
  }

  /**
   * Counts a connection that was opened, or refuses it.
   * @param canBeTold that it is refused; else it only ends
   * @returns whether it is counted
   */
  add(socket: Socket, canBeTold = true): boolean {
    // One that offers another protocol is handed over twice.
    if (this.#bySocket.has(socket)) return true;
    if (socket.destroyed) return false;
    const network = this.#addresses.of(socket.remoteAddress, {});
    const isProxied = this.#addresses.isProxy(socket.remoteAddress);
    const refusal = this.#makeRoom(network, isProxied);
    if (refusal !== undefined) {
      if (canBeTold) refuseConnection(socket, refusal);
      else socket.destroy();
      return false;
    }
    this.#opened += 1;
    this.#count(new Connection(socket, network, isProxied));
    return true;
  }

  /** Knows a connection by another socket from now on. @returns false when it is not counted (any more) */
  replace(socket: Socket, by: Socket): boolean {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined || by.destroyed) return false;
    this.leave(socket);
    this.#count(new Connection(by, connection.network, connection.isProxied));
    return true;
  }

  /** Counts a connection no more: it has closed, or is for something else than requests now. */
  leave(socket: Socket): void {
    const connection = this.#bySocket.get(socket);
    if (connection === undefined) return;
    this.#bySocket.delete(socket);
    const group = this.#byNetwork.get(connection.network);
    group?.idle.delete(connection);
    group?.all.delete(connection);
    if (group?.all.size === 0) this.#byNetwork.delete(connection.network);
  }

  begin(connection: Connection, exchange: Exchange): void {
    connection.current = exchange;
    this.#byNetwork.get(connection.network)?.idle.delete(connection);
  }

  end(connection: Connection): void {
    connection.current = undefined;
    if (!this.#bySocket.has(connection.socket)) return;
    this.#byNetwork.get(connection.network)?.idle.add(connection);
  }

  #count(connection: Connection): void {
    const { socket, network } = connection;
    this.#bySocket.set(socket, connection);
    const group = this.#byNetwork.get(network) ?? { all: new Set(), idle: new Set() };
    this.#byNetwork.set(network, group);
    group.all.add(connection);
    group.idle.add(connection);
    socket.once("close", () => this.leave(socket));
  }

  /** @returns what to tell a new connection for which there is no room */
  #makeRoom(network: string, isProxied: boolean): string | undefined {
    const { connectionsPerAddress, connectionsInAll } = this.#limits;
    const group = this.#byNetwork.get(network);
    if (!isProxied && group !== undefined && group.all.size >= connectionsPerAddress) {
      return this.#endOneOf(group) ? undefined : TOO_MANY_OF_NETWORK;
    }
    if (this.#bySocket.size < connectionsInAll) return undefined;
    return this.#endOneOf(this.#greatest()) ? undefined : TOO_MANY_IN_ALL;
  }

  #greatest(): Group | undefined {
    let greatest: Group | undefined;
    for (const group of this.#byNetwork.values()) {
      if (group.all.size > (greatest?.all.size ?? 0)) greatest = group;
    }
    return greatest;
  }

  #endOneOf(group: Group | undefined): boolean {
    const [longestIdle] = group?.idle ?? [];
    const ended = longestIdle ?? firstWaitingForClient(group?.all ?? []);
    if (ended === undefined) return false;
    this.leave(ended.socket);
    ended.socket.destroy();
    return true;
  }
}

function firstWaitingForClient(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) if (connection.waitsForClient) return connection;
  return undefined;
}

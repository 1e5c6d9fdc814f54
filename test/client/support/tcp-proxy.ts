import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** `up`: from the client to the server. */
export type Direction = "up" | "down";

const DIRECTIONS = ["up", "down"] as const;

/** What becomes of connections, old and new: they work, or are reset at once. */
type Fate = "pass" | "reset";

/** Two sockets that are one connection to who is at their ends. */
class Link {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #held = new Set<Socket>();

  constructor(client: Socket, server: Socket, onEnd: () => void) {
    this.#client = client;
    this.#server = server;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      // What a connection ends with is told by "close".
      socket.on("error", () => undefined);
      socket.on("end", () => other.end());
      socket.on("close", (hadError) => {
        if (hadError) other.resetAndDestroy();
        else other.destroySoon();
        onEnd();
      });
      socket.on("drain", () => {
        if (!this.#held.has(other)) other.resume();
      });
      socket.on("data", (bytes) => {
        if (!other.write(bytes)) socket.pause();
      });
    }
  }

  /** What is not read stays in the buffers of the system and at the sender, as in a dead network. */
  hold(direction: Direction, isHeld: boolean): void {
    const source = direction === "up" ? this.#client : this.#server;
    if (isHeld) {
      this.#held.add(source);
      source.pause();
    } else {
      this.#held.delete(source);
      source.resume();
    }
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
  }
}

/** A network between a client and a server that a test breaks and mends. */
export class TcpProxy {
  /** The port of the server behind it, which may move. */
  target: number;
  readonly #links = new Set<Link>();
  readonly #held = new Set<Direction>();
  #fate: Fate = "pass";
  #server = createServer();
  #port = 0;

  private constructor(target: number) {
    this.target = target;
  }

  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.#listen();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Everything works again; what hung is delivered. */
  async pass(): Promise<void> {
    this.#fate = "pass";
    this.#held.clear();
    for (const link of this.#links) for (const each of DIRECTIONS) link.hold(each, false);
    if (!this.#server.listening) await this.#listen();
  }

  /** Connections stay open and new ones are taken, but nothing arrives. */
  hang(...directions: readonly Direction[]): void {
    for (const direction of directions.length === 0 ? DIRECTIONS : directions) {
      this.#held.add(direction);
      for (const link of this.#links) link.hold(direction, true);
    }
  }

  /** Connections are reset, and new ones as soon as they are made. */
  reset(): void {
    this.#fate = "reset";
    this.dropConnections();
  }

  /** Nothing listens. */
  async refuse(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.dropConnections();
    await closed;
  }

  /** Resets what is connected now; new connections work. */
  dropConnections(): void {
    for (const link of this.#links) link.reset();
  }

  async stop(): Promise<void> {
    await this.refuse();
  }

  async #listen(): Promise<void> {
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#take(client));
    // The same port every time: it is part of the address that clients know.
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  #take(client: Socket): void {
    if (this.#fate === "reset") {
      client.on("error", () => undefined);
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: this.target, host: "127.0.0.1", allowHalfOpen: true });
    const link = new Link(client, server, () => this.#links.delete(link));
    this.#links.add(link);
    for (const direction of this.#held) link.hold(direction, true);
  }
}

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
      // A small rest would wait for an answer to what is before it.
      socket.setNoDelay(true);
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

  /** Passes on so many bytes of what has come in a direction that is held; answers how many there were. */
  take(direction: Direction, bytes: number): number {
    const source = direction === "up" ? this.#client : this.#server;
    // Else it would read nothing while it is held.
    source.read(0);
    const taken = Math.min(bytes, source.readableLength);
    if (taken > 0) source.read(taken);
    return taken;
  }

  reset(): void {
    this.#client.resetAndDestroy();
    this.#server.resetAndDestroy();
  }

  /** Only the server notices. */
  resetServer(): void {
    this.#server.removeAllListeners("close").resetAndDestroy();
  }
}

/** How often a slow line carries something. */
const RATE_STEP_MS = 20;

/** A network between a client and a server that a test breaks and mends. */
export class TcpProxy {
  /** The port of the server behind it, which may move. */
  target: number;
  readonly #links = new Set<Link>();
  readonly #stranded = new Set<Link>();
  readonly #held = new Set<Direction>();
  readonly #rates = new Map<Direction, NodeJS.Timeout>();
  readonly #carried = { up: 0, down: 0 };
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
    this.#forgetRates();
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

  /**
   * What is connected now hangs for ever, as with a machine that is gone without a word; new
   * connections work.
   */
  strand(): void {
    for (const link of this.#links) {
      for (const direction of DIRECTIONS) link.hold(direction, true);
      this.#links.delete(link);
      this.#stranded.add(link);
    }
  }

  /** The server's system finds out that who is stranded has gone, as by keepalives; the clients do not. */
  loseStranded(): void {
    for (const link of this.#stranded) link.resetServer();
  }

  /** Passes on so many bytes in a direction that hangs; answers how many there were. */
  take(direction: Direction, bytes: number): number {
    let left = bytes;
    for (const link of this.#links) left -= link.take(direction, left);
    this.#carried[direction] += bytes - left;
    return bytes - left;
  }

  /** Bytes that it has passed on while it was slow, or by `take`. */
  carried(direction: Direction): number {
    return this.#carried[direction];
  }

  /** A slow line: so many bytes a second in each direction, until `pass`. */
  slow(bytesPerSecond: number): void {
    this.hang();
    this.#forgetRates();
    for (const direction of DIRECTIONS) {
      let passedAt = performance.now();
      const pass = (): void => {
        const now = performance.now();
        // What a busy machine was too late for is made up, but a line saves nothing.
        const sinceMs = Math.min(now - passedAt, 10 * RATE_STEP_MS);
        passedAt = now;
        this.take(direction, Math.max(1, Math.round((sinceMs * bytesPerSecond) / 1000)));
      };
      this.#rates.set(direction, setInterval(pass, RATE_STEP_MS));
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
    this.#forgetRates();
    for (const link of this.#stranded) link.reset();
    await this.refuse();
  }

  #forgetRates(): void {
    for (const timer of this.#rates.values()) clearInterval(timer);
    this.#rates.clear();
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
    const link = new Link(client, server, () => {
      this.#links.delete(link);
      this.#stranded.delete(link);
    });
    this.#links.add(link);
    for (const direction of this.#held) link.hold(direction, true);
  }
}

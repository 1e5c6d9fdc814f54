import { Duplex } from "node:stream";
import { type Link, type Packet, Pipe } from "./link.ts";

/** Bytes on their way to a device above which the server's writes wait. */
const WINDOW_BYTES = 4 * 1024;
/** How long it takes a machine to find out that the other one is gone without a word. */
const KEEPALIVE_MS = 30_000;

/** The device's side of a connection is told of what comes. */
export interface ConnectionListener {
  onBytes(bytes: Uint8Array): void;
  /** Once: nothing comes any more. */
  onEnd(): void;
}

/** A connection over a link, as TCP makes one. */
export class Connection {
  /** What the server has of it. */
  readonly serverEnd: Duplex;
  readonly #link: Link;
  readonly #toServer: Pipe;
  readonly #toDevice: Pipe;
  #listener: ConnectionListener | undefined;
  #isServerGone = false;

  constructor(link: Link, listener: ConnectionListener) {
    this.#link = link;
    this.#listener = listener;
    const end = new ServerEnd((packet, onTaken) => this.#fromServer(packet, onTaken));
    this.serverEnd = end;
    this.#toServer = new Pipe(
      link,
      () => link.delay(),
      (packet) => {
        if (this.#isServerGone) return;
        end.arrive(packet);
      },
    );
    this.#toDevice = new Pipe(
      link,
      () => link.delay() + link.slowMs,
      (packet) => this.#toListener(packet),
    );
  }

  send(packet: Packet): void {
    if (this.#isServerGone) this.#answerForTheDead();
    else this.#toServer.send(packet);
  }

  /** The device's program has ended it, or has ended itself. The server is told. */
  leave(how: "end" | "reset"): void {
    this.#listener = undefined;
    this.send(how);
    this.#toDevice.close();
  }

  /** The device is gone without a word. */
  vanish(): void {
    this.#listener = undefined;
    this.#toServer.close();
    this.#toDevice.close();
  }

  /** The server's program is gone: its system says so, unless it is gone as well. */
  loseServer(isTold: boolean): void {
    if (this.#isServerGone) return;
    this.#isServerGone = true;
    this.#toServer.close();
    this.serverEnd.destroy();
    if (isTold) this.#toDevice.send("reset");
    else this.#link.agenda.after(KEEPALIVE_MS, () => this.#toDevice.send("reset"));
  }

  /** A machine that knows nothing of a connection says so to who sends on it. */
  #answerForTheDead(): void {
    this.#toDevice.send("reset");
  }

  #fromServer(packet: Packet, onTaken: () => void): void {
    if (this.#isServerGone) return onTaken();
    if (this.#toDevice.bytes < WINDOW_BYTES) {
      this.#toDevice.send(packet);
      onTaken();
    } else this.#toDevice.send(packet, onTaken);
  }

  #toListener(packet: Packet): void {
    const listener = this.#listener;
    if (typeof packet === "object") return listener?.onBytes(packet);
    this.#listener = undefined;
    this.#toDevice.close();
    listener?.onEnd();
  }
}

/** A socket as Node's HTTP server hands it over. */
class ServerEnd extends Duplex {
  readonly #send: (packet: Packet, onTaken: () => void) => void;
  /** What has come and was not asked for yet. */
  readonly #come: (Uint8Array | null)[] = [];
  #isWanting = false;

  constructor(send: (packet: Packet, onTaken: () => void) => void) {
    super({ writableHighWaterMark: 2 * WINDOW_BYTES });
    this.#send = send;
  }

  arrive(packet: Packet): void {
    if (packet === "reset") return void this.destroy();
    this.#come.push(packet === "end" ? null : packet);
    this.#handOver();
  }

  override _read(): void {
    this.#isWanting = true;
    this.#handOver();
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: () => void): void {
    this.#send(chunk, callback);
  }

  override _final(callback: () => void): void {
    this.#send("end", callback);
  }

  override _destroy(_error: Error | null, callback: (error: Error | null) => void): void {
    // What was written before still arrives.
    this.#send("end", () => undefined);
    callback(null);
  }

  #handOver(): void {
    while (this.#isWanting && this.#come.length > 0) {
      const bytes = this.#come.shift();
      if (bytes !== undefined) this.#isWanting = this.push(bytes);
    }
  }
}

import { IncomingMessage } from "node:http";
import { Socket as NetSocket } from "node:net";
import type { Socket, SocketListener } from "../../../client/lib/connection/socket.ts";
import { FrameReader } from "../../support/frame-reader.ts";
import { maskedFrame } from "../../support/socket-peer.ts";
import { Connection } from "./connection.ts";
import type { Link } from "./link.ts";

const BROKEN = 1006;
const OPCODE = { binary: 2, close: 8, ping: 9, pong: 10 } as const;
const FINAL = 0x80;
const END_OF_HEAD = "\r\n\r\n";

/** Where websockets are opened: a server that runs, or one that does not. */
export interface Gate {
  /** Takes an upgrade request; false when nobody listens there. */
  upgrade(request: IncomingMessage, connection: Connection): boolean;
}

export interface WebsocketOptions {
  readonly link: Link;
  readonly gate: Gate;
  readonly path: string;
  /** As in `Sec-WebSocket-Protocol`. */
  readonly protocols: readonly string[];
}

/** A websocket from the client's side, by hand: frames over a simulated connection. */
export class WebsocketClient implements Socket {
  readonly #connection: Connection;
  readonly #listener: SocketListener;
  readonly #reader = new FrameReader((opcode, payload) => {
    if (this.#state === "open") this.#onFrame(opcode, payload);
  });
  #head: Buffer = Buffer.alloc(0);
  #state: "connecting" | "open" | "closed" = "connecting";
  #code = BROKEN;

  constructor({ link, gate, path, protocols }: WebsocketOptions, listener: SocketListener) {
    this.#listener = listener;
    this.#connection = new Connection(link, {
      onBytes: (bytes) => this.#onBytes(bytes),
      onEnd: () => this.#ended(),
    });
    const request = upgradeRequest(path, protocols);
    const arrive = (): void => {
      if (link.state === "up") {
        if (!gate.upgrade(request, this.#connection)) this.#ended();
      } else if (link.state === "down") this.#ended();
      // Of a line that hangs the other side hears when it goes on, if anybody is still there.
      else link.agenda.after(1000, arrive);
    };
    link.agenda.after(link.delay(), arrive);
  }

  send(bytes: Uint8Array): void {
    if (this.#state === "open") this.#connection.send(maskedFrame(bytes));
  }

  close(): void {
    if (this.#state === "open") this.#sendClose(1000);
    this.#state = "closed";
    this.#connection.leave("end");
  }

  /** The program has ended without closing anything; its system says so, if that still runs. */
  abandon(isSystemAlive: boolean): void {
    this.#state = "closed";
    if (isSystemAlive) this.#connection.leave("reset");
    else this.#connection.vanish();
  }

  #onBytes(bytes: Uint8Array): void {
    if (this.#state !== "connecting") return this.#reader.push(Buffer.from(bytes));
    this.#head = Buffer.concat([this.#head, bytes]);
    const end = this.#head.indexOf(END_OF_HEAD);
    if (end < 0) return;
    if (!this.#head.toString("latin1").startsWith("HTTP/1.1 101")) return this.#ended();
    this.#state = "open";
    this.#listener.onOpen();
    this.#reader.push(this.#head.subarray(end + END_OF_HEAD.length));
  }

  #onFrame(opcode: number, payload: Buffer): void {
    switch (opcode) {
      case OPCODE.binary:
        return this.#listener.onMessage(new Uint8Array(payload));
      case OPCODE.ping:
        return this.#connection.send(maskedFrame(payload, FINAL | OPCODE.pong));
      case OPCODE.close:
        this.#code = payload.length < 2 ? BROKEN : payload.readUInt16BE(0);
        this.#sendClose(this.#code);
    }
  }

  #sendClose(code: number): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code === BROKEN ? 1000 : code);
    this.#connection.send(maskedFrame(payload, FINAL | OPCODE.close));
  }

  #ended(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#connection.leave("end");
    this.#listener.onClose(this.#code);
  }
}

function upgradeRequest(path: string, protocols: readonly string[]): IncomingMessage {
  const request = new IncomingMessage(new NetSocket());
  request.method = "GET";
  request.url = path;
  request.headers = {
    host: "simulated",
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": protocols.join(", "),
  };
  return request;
}

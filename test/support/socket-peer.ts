import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { FrameReader } from "./frame-reader.ts";

/** What a server answered to an upgrade request. */
export interface UpgradeAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of a refusal: parsed JSON. */
  readonly body: unknown;
}

export interface PeerOptions {
  readonly port: number;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A TCP peer that speaks the websocket protocol by hand, and so can say what no library would.
 */
export class SocketPeer {
  readonly socket: Socket;
  readonly answer: UpgradeAnswer;
  /** Payloads of the binary messages that came. */
  readonly messages: Buffer[] = [];
  /** What the pings were answered with. */
  readonly pongs: Buffer[] = [];
  /** The code of the close frame that came last; undefined when there is none. */
  closeCode: number | undefined;
  isClosed = false;

  private constructor(socket: Socket, answer: UpgradeAnswer, rest: Buffer) {
    this.socket = socket;
    this.answer = answer;
    this.isClosed = socket.destroyed;
    const reader = new FrameReader((opcode, payload) => this.#onFrame(opcode, payload));
    reader.push(rest);
    socket.on("data", (chunk: Buffer) => reader.push(chunk));
    socket.on("close", () => {
      this.isClosed = true;
    });
  }

  static async connect({
    port,
    path = "/sync/me",
    headers = {},
  }: PeerOptions): Promise<SocketPeer> {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    await once(socket, "connect");
    const lines = Object.entries({
      host: `127.0.0.1:${port}`,
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
      "sec-websocket-version": "13",
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    return SocketPeer.#read(socket);
  }

  static #read(socket: Socket): Promise<SocketPeer> {
    return new Promise((resolve) => {
      let bytes = Buffer.alloc(0);
      const finish = (): void => {
        socket.off("data", onData);
        socket.off("close", finish);
        const end = bytes.indexOf("\r\n\r\n");
        const head = bytes.subarray(0, Math.max(0, end)).toString().split("\r\n");
        const headers = Object.fromEntries(
          head.slice(1).map((line) => {
            const colon = line.indexOf(":");
            return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
          }),
        );
        const status = Number(head[0]?.split(" ")[1] ?? 0);
        const rest = bytes.subarray(end + 4);
        const isJson = headers["content-type"]?.startsWith("application/json") === true;
        const body: unknown = isJson ? JSON.parse(rest.toString()) : undefined;
        resolve(new SocketPeer(socket, { status, headers, body }, isJson ? Buffer.alloc(0) : rest));
      };
      const onData = (chunk: Buffer): void => {
        bytes = Buffer.concat([bytes, chunk]);
        if (bytes.includes("\r\n\r\n") && bytes.toString("latin1").startsWith("HTTP/1.1 101")) {
          finish();
        }
      };
      socket.on("data", onData);
      socket.on("close", finish);
    });
  }

  /** Sends bytes as they are. */
  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Sends a masked binary frame; `first` sets FIN and opcode. */
  frame(payload: Uint8Array, first = 0x82): void {
    this.write(maskedFrame(payload, first));
  }

  /** Whether a ping was answered. */
  get hasPong(): boolean {
    return this.pongs.length > 0;
  }

  #onFrame(opcode: number, payload: Buffer): void {
    const bytes = Buffer.from(payload);
    if (opcode === OPCODE.binary) this.messages.push(bytes);
    else if (opcode === OPCODE.pong) this.pongs.push(bytes);
    else if (opcode === OPCODE.close && bytes.length >= 2) this.closeCode = bytes.readUInt16BE(0);
    // The server's own pings are left unanswered, but for those that ask how far this has read.
    else if (opcode === OPCODE.ping && bytes.length > 0) this.frame(bytes, FINAL | OPCODE.pong);
  }
}

const FINAL = 0x80;
const OPCODE = { binary: 2, close: 8, ping: 9, pong: 10 } as const;

export function maskedFrame(payload: Uint8Array, first = 0x82): Buffer {
  const length = payload.length;
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = 0x80 | (header.length === 2 ? length : header.length === 4 ? 126 : 127);
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([header, Buffer.alloc(4), payload]);
}

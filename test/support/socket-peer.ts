import { once } from "node:events";
import { connect, type Socket } from "node:net";

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
  /** All bytes behind the answer, in pieces. */
  #pieces: Buffer[];
  isClosed = false;

  private constructor(socket: Socket, answer: UpgradeAnswer, rest: Buffer) {
    this.socket = socket;
    this.answer = answer;
    this.#pieces = [rest];
    this.isClosed = socket.destroyed;
    socket.on("data", (chunk: Buffer) => {
      this.#pieces.push(chunk);
    });
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

  get #received(): Buffer {
    const received = Buffer.concat(this.#pieces);
    this.#pieces = [received];
    return received;
  }

  /** Sends bytes as they are. */
  write(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Sends a masked binary frame; `first` sets FIN and opcode. */
  frame(payload: Uint8Array, first = 0x82): void {
    this.write(maskedFrame(payload, first));
  }

  /** The code of the close frame that came last; undefined when there is none. */
  get closeCode(): number | undefined {
    const close = framesIn(this.#received).find(({ opcode }) => opcode === 8);
    return close === undefined || close.payload.length < 2
      ? undefined
      : close.payload.readUInt16BE(0);
  }

  /** Whether a ping was answered. */
  get hasPong(): boolean {
    return this.pongs.length > 0;
  }

  /** What the pings were answered with. */
  get pongs(): readonly Buffer[] {
    return framesIn(this.#received)
      .filter(({ opcode }) => opcode === 10)
      .map(({ payload }) => payload);
  }

  /** Payloads of the binary frames that came. */
  get messages(): readonly Buffer[] {
    return framesIn(this.#received)
      .filter(({ opcode }) => opcode === 2)
      .map(({ payload }) => payload);
  }
}

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

function framesIn(bytes: Buffer): readonly { opcode: number; payload: Buffer }[] {
  const frames: { opcode: number; payload: Buffer }[] = [];
  for (let at = 0; at + 2 <= bytes.length;) {
    let length = (bytes[at + 1] ?? 0) & 0x7f;
    let start = at + 2;
    if (length === 126) {
      length = bytes.readUInt16BE(start);
      start += 2;
    } else if (length === 127) {
      length = Number(bytes.readBigUInt64BE(start));
      start += 8;
    }
    if (start + length > bytes.length) break;
    frames.push({
      opcode: (bytes[at] ?? 0) & 0x0f,
      payload: bytes.subarray(start, start + length),
    });
    at = start + length;
  }
  return frames;
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PATIENCE_MS } from "../hostile-messages/patience.ts";

export interface WireAnswer {
  readonly status: number;
  /** Names in lower case; the last of several. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** It is a stream of events, of which this is what came first; the connection is over with it. */
  readonly isEndless?: true;
}

/** What came instead of an answer. */
export type NoAnswer = "hung" | "closed" | "garbled";

interface SendOptions {
  /** The answer has no body, whatever it says of its length. */
  readonly isHead?: boolean;
  readonly betweenParts?: () => Promise<unknown>;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [^\r\n]*$/;

/** A connection on which every byte of a request is decided by who sends it; one at a time. */
export class HttpWire {
  readonly #port: number;
  #socket: Socket | undefined;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Sends bytes, and takes one answer to them. */
  async send(
    parts: readonly (Uint8Array | string)[],
    { isHead = false, betweenParts }: SendOptions = {},
  ): Promise<WireAnswer | NoAnswer> {
    const socket = this.#socket ?? (await this.#connect());
    for (const part of parts) {
      if (!socket.writable) break;
      // What the other side does not want to read any more is no fault: it has answered.
      if (!socket.write(part)) await once(socket, "drain").catch(() => undefined);
      await betweenParts?.();
    }
    const answer = await this.#answer(isHead);
    const isLast =
      typeof answer === "string" ||
      answer.isEndless === true ||
      answer.headers.get("connection") === "close";
    if (isLast) this.close();
    return answer;
  }

  /** Bytes beyond the answers that were taken: nobody asked for them. */
  get spare(): number {
    return this.#received.length;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #connect(): Promise<Socket> {
    const socket = connect(this.#port, "127.0.0.1");
    this.#socket = socket;
    this.#received = Buffer.alloc(0);
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on("close", () => {
      socket.emit("drain");
      if (this.#socket === socket) this.#socket = undefined;
      this.#wake();
    });
    await once(socket, "connect");
    return socket;
  }

  async #answer(isHead: boolean): Promise<WireAnswer | NoAnswer> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = this.#take(isHead);
      if (answer !== undefined) return answer;
      if (this.#socket === undefined) return "closed";
      const left = deadline - Date.now();
      if (left <= 0) return "hung";
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #take(isHead: boolean): WireAnswer | "garbled" | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const [statusLine = "", ...lines] = this.#received.toString("latin1", 0, end).split("\r\n");
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? 0);
    if (status === 0) return "garbled";
    const rest = this.#received.subarray(end + 4);
    if (status === 100) {
      this.#received = rest;
      return this.#take(isHead);
    }
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    if (isHead || status === 204 || status === 304) {
      this.#received = rest;
      return { status, headers, body: "" };
    }
    if (headers.get("content-type") === "text/event-stream") {
      const begun = chunksOf(rest, 1);
      if (begun === undefined || begun === "garbled") return begun;
      this.#received = Buffer.alloc(0);
      return { status, headers, body: begun.body.toString(), isEndless: true };
    }
    const taken =
      headers.get("transfer-encoding") === "chunked"
        ? chunksOf(rest)
        : lengthOf(rest, Number(headers.get("content-length") ?? Number.NaN));
    if (taken === undefined || taken === "garbled") return taken;
    this.#received = rest.subarray(taken.length);
    return { status, headers, body: taken.body.toString() };
  }
}

interface Taken {
  readonly body: Buffer;
  /** Of all that was taken. */
  readonly length: number;
}

function lengthOf(bytes: Buffer, length: number): Taken | "garbled" | undefined {
  if (Number.isNaN(length)) return "garbled";
  return bytes.length < length ? undefined : { body: bytes.subarray(0, length), length };
}

/** @param most takes no more of them */
function chunksOf(bytes: Buffer, most = Infinity): Taken | "garbled" | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) return "garbled";
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), length: start + 2 };
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
    if (chunks.length === most) return { body: Buffer.concat(chunks), length: at };
  }
}

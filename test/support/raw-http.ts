import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection on which a test decides every byte. */
export class RawConnection {
  readonly socket: Socket;
  #received = "";
  #isClosed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      this.#received += text;
      socket.emit("progress");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#isClosed = true;
      socket.emit("progress");
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return new RawConnection(socket);
  }

  write(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** A whole request. */
  request(line: string, headers: Readonly<Record<string, string>>, body = ""): void {
    const all = {
      host: "outline.test",
      ...(body === "" ? undefined : { "content-length": String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const head = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    this.write(`${line} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body}`);
  }

  /** The next answer, once it has arrived whole; only ones with a `content-length` can. */
  async answer(): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take();
      if (answer !== undefined) return answer;
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.#received)}`);
      await once(this.socket, "progress");
    }
  }

  #take(): RawAnswer | undefined {
    const [head, rest] = splitOnce(this.#received, "\r\n\r\n");
    if (head.length === this.#received.length) return undefined;
    const [statusLine = "", ...lines] = head.split("\r\n");
    const headers = new Map(lines.map((line) => splitOnce(line.toLowerCase(), ": ")));
    const length = Number(headers.get("content-length"));
    if (Buffer.byteLength(rest) < length) return undefined;
    const body = Buffer.from(rest).subarray(0, length).toString();
    this.#received = rest.slice(body.length);
    return { status: Number(statusLine.split(" ")[1]), headers, body };
  }

  /** Resolves when the other side has hung up. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await once(this.socket, "progress");
  }

  close(): void {
    this.socket.destroy();
  }
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

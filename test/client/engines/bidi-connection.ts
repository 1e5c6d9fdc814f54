import { once } from "node:events";
import { WebSocket } from "ws";

type Params = Readonly<Record<string, unknown>>;

interface Waiting {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** What a browser answers, by the number of the question; events have no number. */
interface Answer {
  readonly id?: number;
  readonly type: "success" | "error" | "event";
  readonly result?: unknown;
  readonly error?: string;
  readonly message?: string;
}

/** A connection of WebDriver BiDi: questions and answers as JSON on a websocket. */
export class BidiConnection {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => this.#hear(JSON.parse(data.toString()) as Answer));
    socket.on("close", () => {
      const error = new Error("the browser has closed the connection");
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
  }

  static async open(url: string): Promise<BidiConnection> {
    const socket = new WebSocket(url, { perMessageDeflate: false });
    await once(socket, "open");
    return new BidiConnection(socket);
  }

  /** @param method a command of the protocol; what it answers has the shape that it says */
  send<T = unknown>(method: string, params: Params = {}): Promise<T> {
    this.#count++;
    const id = this.#count;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { method, resolve: (result) => resolve(result as T), reject });
    });
  }

  close(): void {
    this.#socket.close();
  }

  #hear({ id, type, result, error, message }: Answer): void {
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (type === "success") waiting?.resolve(result);
    else waiting?.reject(new Error(`${waiting.method}: ${error}: ${message}`));
  }
}

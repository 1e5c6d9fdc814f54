import type { IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { Writable } from "node:stream";
import { type AnswerHead, AnswerReader } from "./answer-reader.ts";
import { requestHead } from "./cluster-headers.ts";
import { hostAndPort } from "./host-and-port.ts";

/** Something that another process is asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  /** In the form of Node's `rawHeaders`. */
  readonly headers: readonly string[];
  /** Not read before there is a connection: until then it can be sent to another process. */
  readonly body?: IncomingMessage | undefined;
  /** Called when there is a connection, before anything is sent. */
  readonly onConnected?: () => void;
  /** Called when there was no connection in time. */
  readonly onTimeout?: () => void;
  /** @returns where the body of the answer goes, which is destroyed when that breaks off */
  readonly onAnswer: (answer: AnswerHead) => Writable | undefined;
  /** Called at the end, answered or not. */
  readonly onEnd: () => void;
}

/** How long a process may take to accept a connection. */
export const CONNECT_MS = 2000;
/** How long a connection is kept on which nothing is asked. */
const IDLE_MS = 30_000;

interface LineEvents {
  /** Something else can be asked. */
  readonly onIdle: (line: Line) => void;
  readonly onClosed: (line: Line) => void;
}

/** A connection to another process of the service, on which one thing at a time is asked. */
export class Line {
  readonly #events: LineEvents;
  readonly #socket: Socket;
  readonly #reader = new AnswerReader({
    head: (head) => this.#onHead(head),
    body: (bytes) => this.#onBody(bytes),
    end: (bytes) => this.#onEnd(bytes),
  });
  #asked: Asked | undefined;
  #answer: Writable | undefined;
  /** Ends the sending of a body. */
  #endSending: (() => void) | undefined;
  #isLast = false;
  readonly #readOn = (): void => void this.#socket.resume();

  /** @param address host and port */
  constructor(address: string, events: LineEvents) {
    this.#events = events;
    this.#socket = connect({ ...hostAndPort(address), noDelay: true });
    this.#socket.setTimeout(IDLE_MS);
    this.#socket.on("timeout", () => {
      if (this.#asked === undefined) this.destroy();
    });
    this.#socket.on("data", (bytes) => this.#onBytes(bytes));
    // Its end follows.
    this.#socket.on("error", () => undefined);
    this.#socket.once("close", () => this.#onClosed());
  }

  /** Whether the other process has not hung up. */
  get isOpen(): boolean {
    return this.#socket.readable && this.#socket.writable;
  }

  /** @returns what gives it up */
  ask(asked: Asked): () => void {
    this.#asked = asked;
    this.#reader.expect(asked.method === "HEAD");
    if (this.#socket.connecting) this.#sendLater(asked);
    else this.#send(asked);
    return () => {
      if (this.#asked === asked) this.destroy();
    };
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #sendLater(asked: Asked): void {
    const deadline = setTimeout(() => {
      asked.onTimeout?.();
      this.destroy();
    }, CONNECT_MS);
    this.#socket.once("close", () => clearTimeout(deadline));
    this.#socket.once("connect", () => {
      clearTimeout(deadline);
      this.#send(asked);
    });
  }

  #send(asked: Asked): void {
    asked.onConnected?.();
    const { method, path, headers, body } = asked;
    const head = requestHead(method, path, headers);
    if (body === undefined) this.#socket.write(`${head}\r\n`, "latin1");
    else this.#sendBody(head, body);
  }

  /** The head goes with the first of the body. */
  #sendBody(head: string, body: IncomingMessage): void {
    const socket = this.#socket;
    const isInChunks = body.headers["content-length"] === undefined;
    let before = isInChunks ? `${head}Transfer-Encoding: chunked\r\n\r\n` : `${head}\r\n`;
    const onData = (bytes: Buffer): void => {
      if (isInChunks) before += `${bytes.length.toString(16)}\r\n`;
      socket.cork();
      if (before !== "") socket.write(before, "latin1");
      const isTaken = socket.write(bytes);
      socket.uncork();
      before = isInChunks ? "\r\n" : "";
      if (!isTaken) body.pause();
    };
    const onEnd = (): void => {
      this.#stopSending();
      if (isInChunks) before += "0\r\n\r\n";
      if (before !== "") socket.write(before, "latin1");
    };
    const onDrain = (): void => void body.resume();
    this.#endSending = () => {
      body.off("data", onData).off("end", onEnd).pause();
      socket.off("drain", onDrain);
    };
    socket.on("drain", onDrain);
    body.on("data", onData).once("end", onEnd);
  }

  #stopSending(): void {
    this.#endSending?.();
    this.#endSending = undefined;
  }

  #onBytes(bytes: Buffer): void {
    try {
      this.#reader.read(bytes);
    } catch {
      this.destroy();
    }
  }

  #onHead(head: AnswerHead): void {
    this.#isLast = head.isLast;
    this.#answer = this.#asked?.onAnswer(head);
  }

  #onBody(bytes: Buffer): void {
    if (this.#answer?.write(bytes) !== false || this.#socket.isPaused()) return;
    this.#socket.pause();
    this.#answer.once("drain", this.#readOn);
  }

  #onEnd(bytes?: Buffer): void {
    this.#answer?.end(bytes);
    // Who takes it slowly holds up nobody who is asked behind it.
    this.#answer?.off("drain", this.#readOn);
    this.#readOn();
    this.#answer = undefined;
    // It was answered before its body was read: nobody needs the rest.
    const isUsedUp = this.#isLast || this.#endSending !== undefined;
    this.#over();
    if (isUsedUp) this.destroy();
    else this.#events.onIdle(this);
  }

  #onClosed(): void {
    this.#answer?.destroy();
    this.#over();
    this.#events.onClosed(this);
  }

  #over(): void {
    this.#stopSending();
    const asked = this.#asked;
    this.#asked = undefined;
    asked?.onEnd();
  }
}

import { randomBytes, randomInt } from "node:crypto";
import { WebSocket } from "ws";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { PROTOCOL_VERSION, type ClientMessage } from "../../../src/protocol/message.ts";
import { SUBPROTOCOL } from "../../../src/protocol/subprotocol.ts";
import type { Site } from "./abuse.ts";
import { firstOf } from "./first-of.ts";
import type { Tally } from "./tally.ts";

interface ClientOptions {
  readonly key?: string;
  readonly dialect?: "stock" | "extended";
}

/** A websocket that says what it likes, and counts what it is told. */
export class HostileClient {
  readonly socket: WebSocket;
  readonly #tally: Tally;
  #sent = 0;
  #answered = 0;
  #wake: () => void = () => undefined;

  constructor(site: Site, tally: Tally, { key, dialect = "extended" }: ClientOptions = {}) {
    this.#tally = tally;
    const url = `${site.url.replace("http", "ws")}/sync/me`;
    this.socket = new WebSocket(url, [SUBPROTOCOL[dialect], key ?? site.key], {
      perMessageDeflate: false,
      localAddress: site.address,
    });
    this.socket.on("error", () => undefined);
    this.socket.on("unexpected-response", (outgoing, { statusCode }) => {
      tally.add(`answered${statusCode}`);
      outgoing.destroy();
      this.socket.emit("close", 0);
    });
    this.socket.on("close", (code) => {
      tally.add(`closed${code}`);
      this.#wake();
    });
    this.socket.on("message", (data) => this.#onMessage(data as Buffer));
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** False when the server did not take it. */
  async opened(): Promise<boolean> {
    if (this.socket.readyState === WebSocket.CONNECTING) {
      await firstOf(this.socket, "open", "close");
    }
    return this.isOpen;
  }

  send(message: ClientMessage): void {
    this.sendBytes(encodeMessage(message));
  }

  sendBytes(bytes: Uint8Array): void {
    if (this.isOpen) this.socket.send(bytes);
  }

  hello(epoch = "", seq = 0): void {
    const instance = new Uint8Array(randomBytes(16));
    this.send({ kind: "hello", version: PROTOCOL_VERSION, instance, epoch, seq });
  }

  /** Sends an update, which is counted as applied, refused or lost in the end. */
  update(update: Uint8Array): void {
    if (!this.isOpen) return this.#tally.add("lost");
    this.#sent++;
    this.#tally.add("bytesSent", update.length);
    this.send({ kind: "update", update });
  }

  /** Resolves when all updates but so many are acknowledged or refused, or the connection has ended. */
  async settled(open = 0): Promise<void> {
    while (this.isOpen && this.#sent - this.#answered > open) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    if (!this.isOpen && this.#sent > this.#answered) {
      this.#tally.add("lost", this.#sent - this.#answered);
      this.#answered = this.#sent;
    }
  }

  /** Hangs up as a program that is killed. */
  end(): void {
    this.socket.terminate();
  }

  #onMessage(data: Buffer): void {
    this.#tally.add("bytesReceived", data.length);
    const message = decodeServerMessage(new Uint8Array(data));
    this.#tally.add(`told_${message.kind}`);
    if (message.kind === "refused") {
      this.#tally.add(`refused_${message.code}`);
      this.#answered = Math.max(this.#answered, message.number);
    } else if (message.kind === "acknowledged") {
      this.#answered = Math.max(this.#answered, message.count);
    } else {
      return;
    }
    this.#wake();
  }
}

/** A client that has said hello, and may send updates. */
export async function openWriter(site: Site, tally: Tally): Promise<HostileClient> {
  const client = new HostileClient(site, tally);
  if (!(await client.opened())) throw new Error("no websocket for the attacker");
  client.hello();
  return client;
}

/** None of a server or of seeds. */
export function strangeClientId(): number {
  return randomInt(2 ** 29, 2 ** 31);
}

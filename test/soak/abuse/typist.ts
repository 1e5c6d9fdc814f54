import { isDeepStrictEqual } from "node:util";
import type { WebSocket } from "ws";
import * as Y from "yjs";
import { newNodeKey, ROOT } from "../../../src/core/node-key.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { openSynced } from "../connections/synced-socket.ts";
import type { Place } from "./bystander-tasks.ts";
import { placement } from "./planted.ts";
import type { WaitLog } from "./wait-log.ts";

interface Awaited {
  readonly length: number;
  readonly resolve: () => void;
}

/**
 * Two devices of one person. What one types counts as typed when the other has it, which is when it
 * is durable.
 */
export class Typist {
  readonly #place: Place;
  readonly #log: WaitLog;
  readonly #doc = new Y.Doc();
  readonly #text = new Y.Text("typed: ");
  readonly #copy = new Y.Doc();
  readonly #node = newNodeKey(Math.random);
  /** Those that are open; the others were closed here. */
  readonly #sockets = new Set<WebSocket>();
  #writer: WebSocket | undefined;
  #awaited: Awaited[] = [];

  private constructor(place: Place, log: WaitLog) {
    this.#place = place;
    this.#log = log;
    this.#doc.on("update", (update: Uint8Array) => this.#send(update));
    this.#doc.transact(() => {
      nodesOf(this.#doc).set(this.#node, this.#text);
      this.#text.setAttribute("p", placement(ROOT, 0));
    });
  }

  static async open(place: Place, log: WaitLog): Promise<Typist> {
    const typist = new Typist(place, log);
    const reader = await typist.#connect("reader", (update) => typist.#take(update));
    reader.on("message", (data: Buffer) => {
      const message = decodeServerMessage(new Uint8Array(data));
      if (message.kind === "update" || message.kind === "step2") typist.#take(message.update);
    });
    await typist.reconnect();
    await typist.type();
    return typist;
  }

  /** One keystroke; resolves when the other device has it. */
  type(): Promise<void> {
    this.#text.insert(this.#text.length, "a");
    const { length } = this.#text;
    return new Promise((resolve) => this.#awaited.push({ length, resolve }));
  }

  /** Loses the connection of the device that types, and comes again with all that it has. */
  async reconnect(): Promise<void> {
    if (this.#writer !== undefined) this.#end(this.#writer);
    this.#writer = undefined;
    this.#writer = await this.#connect("writer");
    this.#send(Y.encodeStateAsUpdate(this.#doc));
  }

  /** @throws Error when a device that comes anew gets something else than was typed */
  async compare(): Promise<void> {
    const doc = new Y.Doc();
    const device = await this.#connect("new device", (update) => Y.applyUpdate(doc, update));
    this.#end(device);
    const found = nodesOf(doc).get(this.#node);
    if (!isDeepStrictEqual(found?.toDelta(), this.#text.toDelta())) {
      throw new Error(`of ${this.#text.length} characters ${found?.length ?? 0} are there`);
    }
  }

  close(): void {
    for (const socket of this.#sockets) this.#end(socket);
  }

  async #connect(name: string, onUpdate?: (update: Uint8Array) => void): Promise<WebSocket> {
    const { url, key } = this.#place;
    const socket = await openSynced({
      url: `${url.replace("http", "ws")}/sync/me`,
      key,
      dialect: "stock",
      localAddress: "127.0.0.1",
      ...(onUpdate !== undefined && { onUpdate }),
    });
    this.#sockets.add(socket);
    socket.on("close", (code) => {
      if (this.#sockets.has(socket)) this.#log.failed(`the ${name} was closed with ${code}`);
    });
    return socket;
  }

  #end(socket: WebSocket): void {
    this.#sockets.delete(socket);
    socket.terminate();
  }

  #send(update: Uint8Array): void {
    this.#writer?.send(encodeMessage({ kind: "update", update }));
  }

  #take(update: Uint8Array): void {
    Y.applyUpdate(this.#copy, update);
    const length = nodesOf(this.#copy).get(this.#node)?.length ?? 0;
    while ((this.#awaited[0]?.length ?? Infinity) <= length) this.#awaited.shift()?.resolve();
  }
}

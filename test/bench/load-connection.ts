import { Agent, request } from "node:http";
import type { WebSocket } from "ws";
import * as Y from "yjs";
import { encodeMessage } from "../../src/protocol/encode-message.ts";
import { messageOf, openSocket } from "./sync-sockets.ts";

/** What one person's devices and programs send, as it can be sent again. */
export type Step =
  | {
      readonly kind: "request";
      readonly method: "GET" | "POST" | "DELETE";
      readonly path: string;
      readonly body: string | undefined;
      /** How much was answered. */
      readonly answerBytes: number;
    }
  | {
      readonly kind: "update";
      readonly update: Uint8Array;
      /** What it ends with, when it adds anything: the other device has it when it has seen this. */
      readonly end: { readonly client: number; readonly clock: number } | undefined;
    };

/** Milliseconds that the steps of each kind took. */
export interface StepTimes {
  readonly requestMs: number[];
  readonly updateMs: number[];
}

/** One person's connections: a program's, and those of a device that writes and one that follows. */
export class LoadConnection {
  readonly times: StepTimes = { requestMs: [], updateMs: [] };
  readonly #url: string;
  readonly #key: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #writer: WebSocket;
  readonly #follower: WebSocket;
  /** How far the follower has seen each client's updates. */
  readonly #seen = new Map<number, number>();
  #onSeen: () => void = () => undefined;

  /** @param socketUrl as in `ws://host:port/sync/me` */
  static async open(url: string, socketUrl: string, key: string): Promise<LoadConnection> {
    const sockets = [await openSocket(socketUrl, key), await openSocket(socketUrl, key)] as const;
    return new LoadConnection(url, key, sockets);
  }

  private constructor(
    url: string,
    key: string,
    [writer, follower]: readonly [WebSocket, WebSocket],
  ) {
    this.#url = url;
    this.#key = key;
    this.#writer = writer;
    this.#follower = follower;
    follower.on("message", (data: Buffer) => this.#see(updateIn(data)));
  }

  /** @param listener told of what others changed */
  onUpdate(listener: (update: Uint8Array) => void): void {
    this.#writer.on("message", (data: Buffer) => {
      const update = updateIn(data);
      if (update !== undefined) listener(update);
    });
  }

  /** Asks the API. @returns the body of the answer */
  async request(
    method: "GET" | "POST" | "DELETE",
    path: string,
    body: string | undefined,
  ): Promise<string> {
    const startedAt = performance.now();
    const text = await new Promise<string>((resolve, reject) => {
      const asked = request(this.#url + path, {
        method,
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
      });
      asked.once("error", reject).once("response", (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
        response.once("end", () => {
          if (response.statusCode === 200) resolve(answer);
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
        });
      });
      asked.end(body);
    });
    this.times.requestMs.push(performance.now() - startedAt);
    return text;
  }

  /** Sends an update, and resolves when the other device has it, which means that it is durable. */
  async send({ update, end }: Extract<Step, { readonly kind: "update" }>): Promise<void> {
    const startedAt = performance.now();
    this.#writer.send(encodeMessage({ kind: "update", update }));
    // What only deletes is not told from others: the next update comes behind it.
    if (end === undefined) return;
    while ((this.#seen.get(end.client) ?? 0) < end.clock) {
      await new Promise<void>((resolve) => (this.#onSeen = resolve));
    }
    this.times.updateMs.push(performance.now() - startedAt);
  }

  close(): void {
    this.#writer.terminate();
    this.#follower.terminate();
    this.#agent.destroy();
  }

  #see(update: Uint8Array | undefined): void {
    if (update === undefined) return;
    for (const [client, clock] of Y.parseUpdateMeta(update).to) {
      this.#seen.set(client, Math.max(clock, this.#seen.get(client) ?? 0));
    }
    this.#onSeen();
  }
}

/** The update in a message of the stock protocol; undefined in any other. */
function updateIn(data: Buffer): Uint8Array | undefined {
  const message = messageOf(data);
  return message.kind === "update" || message.kind === "step2" ? message.update : undefined;
}

import { setTimeout as delay } from "node:timers/promises";
import type { WebSocket } from "ws";
import * as Y from "yjs";
import { newNodeKey } from "../../../src/core/node-key.ts";
import { nodesOf } from "../../../src/core/schema.ts";
import { decodeServerMessage } from "../../../src/protocol/decode-message.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { openSynced } from "./synced-socket.ts";

const BETWEEN_KEYSTROKES_MS = 10;
const LOST_AFTER_MS = 10_000;

/** Two people at an outline of their own: one types, the other reads. */
export class Pair {
  /** From each keystroke until the other one had it. */
  readonly latenciesMs: number[] = [];
  readonly #writer: WebSocket;
  readonly #reader: WebSocket;
  readonly #since: () => () => number;
  readonly #doc = new Y.Doc();
  readonly #text = new Y.Text("typed: ");

  private constructor(writer: WebSocket, reader: WebSocket, since: () => () => number) {
    this.#writer = writer;
    this.#reader = reader;
    this.#since = since;
    this.#doc.on("update", (update: Uint8Array) =>
      this.#writer.send(encodeMessage({ kind: "update", update })),
    );
  }

  /** @param since begins to measure milliseconds: by the wall clock, unless something else is given */
  static async open(url: string, key: string, since = wallTime): Promise<Pair> {
    const options = { url, key, dialect: "stock", localAddress: "127.0.0.1" } as const;
    return new Pair(await openSynced(options), await openSynced(options), since);
  }

  /** Types until `work` has ended. @throws Error when a keystroke never arrives */
  async typeWhile<T>(work: () => Promise<T>): Promise<T> {
    const ended = new AbortController();
    const working = work().finally(() => ended.abort());
    await this.typeUntil(ended.signal);
    return working;
  }

  /** The same until it is told to stop. */
  async typeUntil(stop: AbortSignal): Promise<void> {
    await this.#keystroke(() => nodesOf(this.#doc).set(newNodeKey(Math.random), this.#text));
    while (!stop.aborted) {
      this.latenciesMs.push(await this.#keystroke(() => this.#text.insert(7, "a")));
      await delay(BETWEEN_KEYSTROKES_MS);
    }
  }

  close(): void {
    this.#writer.terminate();
    this.#reader.terminate();
  }

  #keystroke(edit: () => void): Promise<number> {
    const tookMs = this.#since();
    return new Promise((resolve, reject) => {
      const lost = setTimeout(() => reject(new Error("a keystroke got lost")), LOST_AFTER_MS);
      const onMessage = (data: Buffer): void => {
        if (decodeServerMessage(new Uint8Array(data)).kind !== "update") return;
        clearTimeout(lost);
        this.#reader.off("message", onMessage);
        resolve(tookMs());
      };
      this.#reader.on("message", onMessage);
      edit();
    });
  }
}

function wallTime(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

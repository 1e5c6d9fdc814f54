import type { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { until } from "./socket-until.ts";
import { stockProvider } from "./stock-provider.ts";

interface Returning {
  readonly key: string;
  readonly doc: Y.Doc;
  provider: WebsocketProvider | undefined;
}

/** Far longer than a server may take. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Clients of y-websocket, one of each of many users, which come to a server all at once. Each keeps its
 * document, as a page does whose connection has ended.
 */
export class ReturningStockClients {
  readonly #all: readonly Returning[];

  /** They have never been to a server. */
  constructor(keys: readonly string[]) {
    this.#all = keys.map((key) => ({ key, doc: new Y.Doc(), provider: undefined }));
  }

  /**
   * All come at once.
   * @returns how long each waited until it had all that there is, in milliseconds, from the shortest on
   * @throws Error when the server ends a connection
   */
  async come(url: string): Promise<readonly number[]> {
    const startedAt = performance.now();
    const waits: number[] = [];
    let closed: number | undefined;
    for (const each of this.#all) {
      const provider = stockProvider(url, each.key, each.doc);
      provider.once("sync", () => waits.push(performance.now() - startedAt));
      provider.on("connection-close", (event) => (closed = event?.code));
      each.provider = provider;
    }
    const isDone = (): boolean => {
      if (closed !== undefined) throw new Error(`closed with ${closed}`);
      return waits.length === this.#all.length;
    };
    await until(isDone, "all clients", PATIENCE_MS);
    return waits;
  }

  leave(): void {
    for (const each of this.#all) {
      each.provider?.destroy();
      each.provider?.awareness.destroy();
      each.provider = undefined;
    }
  }
}

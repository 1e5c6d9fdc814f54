import type { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { Outline } from "../../src/core/outline.ts";
import { newOutlineId } from "../../src/core/node-key.ts";
import { stockProvider } from "../support/stock-provider.ts";

export interface StockClient {
  readonly doc: Y.Doc;
  readonly provider: WebsocketProvider;
  /** The client's own view of the document, by the same rules as the server's. */
  readonly outline: Outline;
  /** The codes with which its sockets were closed. */
  readonly closeCodes: readonly number[];
  /** Drops the connection for good; the document stays. */
  leave(): void;
}

/** A client as people write it with y-websocket, and nothing of ours in the connection. */
export function connectStockClient(url: string, key: string): StockClient {
  const doc = new Y.Doc();
  const provider = stockProvider(url, key, doc);
  const closeCodes: number[] = [];
  provider.on("connection-close", (event) => {
    if (event !== null) closeCodes.push(event.code);
  });
  const outline = Outline.attach(doc, {
    // A stock client need not know whose outline it is: keys are the same in every one.
    id: newOutlineId(() => 0),
    now: Date.now,
    random: Math.random,
  });
  return { doc, provider, outline, closeCodes, leave: () => provider.destroy() };
}

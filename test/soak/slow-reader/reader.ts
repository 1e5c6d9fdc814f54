import { WebSocket } from "ws";
import type * as Y from "yjs";
import { connectStockClient } from "../../e2e/stock-client.ts";
import { Device, SyncClient } from "../../support/sync-client.ts";

export interface Reader {
  readonly name: string;
  readonly doc: Y.Doc;
  /** How often its connection has ended. */
  readonly drops: number;
  stopReading(): void;
  readOn(): void;
  close(): void;
}

/** A client of y-websocket, which comes again by itself. */
export function stockReader(name: string, url: string, key: string): Reader {
  const client = connectStockClient(url, key);
  const socket = (): WebSocket | undefined =>
    client.provider.ws instanceof WebSocket ? client.provider.ws : undefined;
  return {
    name,
    doc: client.doc,
    get drops() {
      return client.closeCodes.length;
    },
    stopReading: () => socket()?.pause(),
    readOn: () => socket()?.resume(),
    close() {
      client.provider.awareness.destroy();
      client.leave();
    },
  };
}

/** A client that speaks `outline.v1`, and comes again where it stood. */
export function extendedReader(name: string, url: string, key: string): Reader {
  const device = new Device();
  const address = `${url.replace("http", "ws")}/sync/me`;
  const connect = (): SyncClient => new SyncClient({ url: address, key, device });
  let client = connect();
  let drops = 0;
  const watching = setInterval(() => {
    // What came is kept by the client for tests that look at it.
    client.received.length = 0;
    if (client.closed === undefined) return;
    drops++;
    client.kill();
    client = connect();
  }, 100);
  return {
    name,
    doc: device.doc,
    get drops() {
      return drops;
    },
    stopReading: () => client.setReading(false),
    readOn: () => client.setReading(true),
    close() {
      clearInterval(watching);
      client.kill();
    },
  };
}

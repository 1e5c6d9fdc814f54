import { WebSocket } from "ws";
import { WebsocketProvider } from "y-websocket";
import type * as Y from "yjs";

/**
 * A connection as people make it with y-websocket, and nothing of ours in it.
 * @param url of the server, as in `http://host:port`
 */
export function stockProvider(url: string, key: string, doc: Y.Doc): WebsocketProvider {
  const provider = new WebsocketProvider(url.replace("http", "ws") + "/sync", "me", doc, {
    protocols: ["yjs", key],
    // Node 20 has no WebSocket of its own.
    WebSocketPolyfill: WebSocket as unknown as typeof globalThis.WebSocket,
    disableBc: true,
    maxBackoffTime: 200,
  });
  provider.on("connection-error", () => undefined);
  return provider;
}

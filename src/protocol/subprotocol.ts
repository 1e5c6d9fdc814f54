/** What a client offers beside its key in `Sec-WebSocket-Protocol`. */
export const SUBPROTOCOL = {
  /** The messages of y-websocket, no more. */
  stock: "yjs",
  /** Those, and the extended ones of version 1. */
  extended: "outline.v1",
} as const;

/** The name of a protocol that the server speaks. */
export type Subprotocol = (typeof SUBPROTOCOL)[keyof typeof SUBPROTOCOL];

/** True for a name of ours; what else is offered may be a key. */
export function isSubprotocol(text: string): text is Subprotocol {
  return text === SUBPROTOCOL.stock || text === SUBPROTOCOL.extended;
}

/** A websocket, as far as the connection needs one. Drivers: the browser's, `ws` in Node. */
export interface Socket {
  /** One binary message. Does nothing when the socket is not open. */
  send(bytes: Uint8Array): void;
  /** Ends it, without waiting for the other side; nothing is told to the listener any more. */
  close(): void;
}

/** Told by a socket; never before the call that opens it has returned. */
export interface SocketListener {
  onOpen(): void;
  onMessage(bytes: Uint8Array): void;
  /** Told once, last. @param code 1006 when the connection broke or never opened */
  onClose(code: number): void;
}

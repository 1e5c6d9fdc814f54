/** FIN, and the opcode of a binary message. */
const BINARY = 0x82;

/**
 * The one unmasked binary frame that carries a message from a server (RFC 6455, 5.2). Made once and
 * written to every receiver's socket as it is, where a websocket library would make a header and two
 * writes for each of them.
 */
export function websocketFrame(message: Uint8Array): Uint8Array {
  const length = message.length;
  const headerLength = length < 126 ? 2 : length < 0x10000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerLength + length);
  frame[0] = BINARY;
  if (headerLength === 2) {
    frame[1] = length;
  } else if (headerLength === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.set(message, headerLength);
  return frame;
}

/** FIN, and the opcode of a binary message. */
const BINARY = 0x82;

/** Parts up to this size are copied into one: a write for each costs more. */
const SMALL_BYTES = 16 * 1024;

/** What is written to a socket, one part behind the other. */
export interface Frame {
  readonly parts: readonly Uint8Array[];
  /** Of all parts. */
  readonly bytes: number;
}

/**
 * The one unmasked binary frame that carries a message from a server (RFC 6455, 5.2). Made once and
 * written to every receiver's socket as it is, where a websocket library would make a header and two
 * writes for each of them.
 *
 * @param message the message in parts; large ones are taken as they are, not copied
 */
export function websocketFrame(message: readonly Uint8Array[]): Frame {
  const length = message.reduce((sum, part) => sum + part.length, 0);
  const parts = [headerOf(length), ...message];
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return { parts: bytes <= SMALL_BYTES ? [Buffer.concat(parts, bytes)] : parts, bytes };
}

function headerOf(length: number): Buffer {
  if (length < 126) return Buffer.from([BINARY, length]);
  if (length < 0x10000) return Buffer.from([BINARY, 126, length >> 8, length & 0xff]);
  const header = Buffer.alloc(10);
  header[0] = BINARY;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

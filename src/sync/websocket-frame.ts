/** FIN, and the opcode of a binary message. */
const BINARY = 0x82;
/** Bits of the first byte of a fragment: what it is, and whether it is the last one. */
const FIRST = 0x02;
const CONTINUED = 0x00;
const LAST = 0x80;
/** FIN, and the opcode of a ping. */
const PING = 0x89;

/** Parts up to this size are copied into one: a write for each costs more. */
const SMALL_BYTES = 16 * 1024;

/** Longer messages go in fragments, so that something can be said to the client meanwhile. */
const WHOLE_BYTES = 48 * 1024;
const FRAGMENT_BYTES = 16 * 1024;

/** What is written to a socket, one part behind the other. */
export interface Frame {
  readonly parts: readonly Uint8Array[];
  /** Of all parts. */
  readonly bytes: number;
  /** Of the first part, when the frame is so long that the header is a part of its own. */
  readonly headerBytes: number;
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
  const header = headerOf(BINARY, length);
  const parts = [header, ...message];
  const bytes = header.length + length;
  return bytes <= SMALL_BYTES
    ? { parts: [Buffer.concat(parts, bytes)], bytes, headerBytes: 0 }
    : { parts, bytes, headerBytes: header.length };
}

/**
 * The same message in frames that are short enough to be written one by one: the frame itself, or
 * fragments of it. Each is to be written in one go; control frames may stand between two of them.
 */
export function fragmentsOf(frame: Frame): (readonly Uint8Array[])[] {
  if (frame.bytes <= WHOLE_BYTES || frame.headerBytes === 0) return [frame.parts];
  const fragments: (readonly Uint8Array[])[] = [];
  let left = frame.bytes - frame.headerBytes;
  let start = FIRST;
  let fragment: Uint8Array[] = [];
  let length = 0;
  for (const part of frame.parts.slice(1)) {
    for (let at = 0; at < part.length;) {
      const slice = part.subarray(at, at + FRAGMENT_BYTES - length);
      fragment.push(slice);
      at += slice.length;
      length += slice.length;
      left -= slice.length;
      if (length < FRAGMENT_BYTES && left > 0) continue;
      fragments.push([headerOf(left > 0 ? start : start | LAST, length), ...fragment]);
      start = CONTINUED;
      fragment = [];
      length = 0;
    }
  }
  return fragments;
}

/** A ping with a number of up to six bytes, with which the client answers. */
export function pingFrame(number: number): Buffer {
  const frame = Buffer.alloc(2 + NUMBER_BYTES);
  frame[0] = PING;
  frame[1] = NUMBER_BYTES;
  frame.writeUIntBE(number, 2, NUMBER_BYTES);
  return frame;
}

/** The number that a pong answers with; undefined when it answers some other ping. */
export function numberOfPong(payload: Buffer): number | undefined {
  return payload.length === NUMBER_BYTES ? payload.readUIntBE(0, NUMBER_BYTES) : undefined;
}

const NUMBER_BYTES = 6;

function headerOf(start: number, length: number): Buffer {
  if (length < 126) return Buffer.from([start, length]);
  if (length < 0x10000) return Buffer.from([start, 126, length >> 8, length & 0xff]);
  const header = Buffer.alloc(10);
  header[0] = start;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}

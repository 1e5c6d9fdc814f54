import * as encoding from "lib0/encoding";
import { encodeAwarenessUpdate } from "../../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import { maskedFrame } from "../../support/socket-peer.ts";
import type { Gene } from "./gene.ts";
import { DEVICE } from "./update-writer.ts";

/** What is done with connections; each of these is of a client that may do so. */
export interface Sending {
  /** On the connection that is open. */
  frame(bytes: Uint8Array): void;
  /** On one of its own, after the greeting; nothing that comes back is read when it is deaf. */
  connect(options: {
    readonly frames: readonly Uint8Array[];
    readonly isDeaf: boolean;
    readonly stays: boolean;
  }): void;
}

const MOST_CONNECTIONS = 90;

/** A message as a whole websocket frame. */
export function frameOf(...message: Parameters<typeof encodeMessage>): Uint8Array {
  return maskedFrame(encodeMessage(...message));
}

/** The first message of an extended client. */
export function helloFrame(seq = 0, epoch = ""): Uint8Array {
  return frameOf({ kind: "hello", version: 1, instance: new Uint8Array(16).fill(7), epoch, seq });
}

/** Kinds of messages. */
export const MESSAGE_GENES: Readonly<Record<string, (sending: Sending, gene: Gene) => void>> = {
  questions: (sending, { count, size }) => {
    for (let left = Math.min(count, 15); left > 0; left--) {
      sending.frame(frameOf({ kind: "step1", stateVector: stateVector(size) }));
    }
  },
  whoIsThere: (sending, { count }) => {
    for (let left = Math.min(count, 15); left > 0; left--)
      sending.frame(frameOf({ kind: "query_awareness" }));
  },
  presences: (sending, { count, size, pick }) => {
    for (let index = 0; index < count % 200; index++) {
      const state = Buffer.from(
        JSON.stringify(pick % 2 === 0 ? "x".repeat(size % 4_000) : nested(size % 900)),
      );
      const presences = Array.from({ length: 1 + (pick % 3) }, (_, other) => ({
        client: DEVICE + other,
        clock: index,
        state,
      }));
      sending.frame(frameOf({ kind: "awareness", update: encodeAwarenessUpdate(presences) }));
    }
  },
  pings: (sending, { count, size, pick }) => {
    const ping = maskedFrame(new Uint8Array(size % 125), pick % 2 === 0 ? 0x89 : 0x8a);
    sending.frame(Buffer.concat(Array.from({ length: count }, () => ping)));
  },
  /** A message that begins, in so many pieces, and does not end. */
  unfinished: (sending, { count, size, pick }) => {
    const piece = maskedFrame(new Uint8Array(size % 50_000), 0x00);
    const pieces = Array.from({ length: count % 1_100 }, () => piece);
    const frames = [maskedFrame(new Uint8Array(1), 0x02), ...pieces];
    sending.connect({ frames: [Buffer.concat(frames)], isDeaf: false, stays: pick % 2 === 0 });
  },
  /** A frame that says how long it is, of which so much comes. */
  unfinishedFrame: (sending, { count, size, pick }) => {
    const frame = Buffer.alloc(size + 14);
    frame[0] = 0x82;
    frame[1] = 0xff;
    frame.writeBigUInt64BE(8_000_000n, 2);
    for (let left = Math.min(count, MOST_CONNECTIONS); left > 0; left--) {
      sending.connect({ frames: [frame], isDeaf: false, stays: pick % 3 > 0 });
    }
  },
  greetings: (sending, { count, size, pick }) => {
    for (let index = 0; index < Math.min(count, MOST_CONNECTIONS); index++) {
      const frames = [helloFrame(pick % 3 === 0 ? 0 : size, ["", "other", "0"][pick % 3])];
      sending.connect({ frames, isDeaf: pick % 5 === 0, stays: pick % 7 === 0 });
    }
  },
  claims: (sending, { count, size }) => {
    for (let client = 0; client < Math.min(count, 15); client++) {
      sending.frame(frameOf({ kind: "lease_claim", client, clock: size }));
    }
  },
  noise: (sending, { count, size, pick }) => {
    const bytes = Uint8Array.from({ length: size }, (_, index) => (index * pick) % 256);
    sending.frame(maskedFrame(bytes, [0x82, 0x81, 0x00, 0xc2][count % 4]));
  },
};

function stateVector(clients: number): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, clients);
    for (let index = 0; index < clients; index++) {
      encoding.writeVarUint(encoder, DEVICE + index);
      encoding.writeVarUint(encoder, index);
    }
  });
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let left = depth; left > 0; left--) value = [value];
  return value;
}

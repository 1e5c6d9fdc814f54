import type { Random } from "../../../src/core/node-key.ts";
import { integerBelow, oneOf } from "../../support/seeded-random.ts";
import { maskedFrame } from "../../support/socket-peer.ts";

const NOTHING = new Uint8Array(0);
/** With the last bit of the first byte set apart: FIN. */
const OPCODE = { continuation: 0x80, text: 0x81, binary: 0x82, close: 0x88, ping: 0x89 } as const;
const UNFINISHED = 0x7f;

function noise(random: Random, most: number): Uint8Array {
  return Uint8Array.from({ length: integerBelow(random, most) }, () => random() * 256);
}

/** Bytes on a websocket that are no right frames, or end it: one after the other is never reached. */
const FRAMES: readonly ((random: Random) => Uint8Array)[] = [
  (random) => noise(random, 200),
  (random) => maskedFrame(noise(random, 20), 0x80 | oneOf(random, [3, 4, 5, 6, 7, 11, 12, 13, 15])),
  (random) => maskedFrame(noise(random, 20), OPCODE.binary | oneOf(random, [0x10, 0x20, 0x40])),
  // Without a mask.
  (random) => new Uint8Array([OPCODE.binary, 3, ...noise(random, 4)]),
  // Headers that announce more than there is in the world.
  (random) => {
    const length = oneOf(random, [
      [0, 0, 1, 0, 0, 0, 0, 0],
      [0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      [0, 0, 0, 0, 0, 0xa0, 0, 0],
    ]);
    return new Uint8Array([OPCODE.binary, 0xff, ...length, 0, 0, 0, 0]);
  },
  // Continuations of nothing, messages within messages, fragments without end.
  (random) => maskedFrame(noise(random, 20), OPCODE.continuation),
  (random) => {
    const begun = maskedFrame(noise(random, 20), OPCODE.binary & UNFINISHED);
    return Buffer.concat([begun, begun]);
  },
  () => {
    const empty = maskedFrame(NOTHING, OPCODE.continuation & UNFINISHED);
    const begun = maskedFrame(NOTHING, OPCODE.binary & UNFINISHED);
    return Buffer.concat([begun, ...Array.from({ length: 17_000 }, () => empty)]);
  },
  // Control frames that are too long or in pieces, closes with codes that are none.
  (random) => maskedFrame(new Uint8Array(126 + integerBelow(random, 300)), OPCODE.ping),
  () => maskedFrame(NOTHING, OPCODE.ping & UNFINISHED),
  (random) => maskedFrame(new Uint8Array([integerBelow(random, 5), 1]), OPCODE.close),
  () => maskedFrame(new Uint8Array([3]), OPCODE.close),
  () => maskedFrame(new Uint8Array([3, 0xe8, 0xff, 0xfe]), OPCODE.close),
  () => maskedFrame(NOTHING, OPCODE.close),
  // Texts.
  () => maskedFrame(Buffer.from("hello"), OPCODE.text),
  () => maskedFrame(new Uint8Array([0xff, 0xfe]), OPCODE.text),
  (random) => maskedFrame(noise(random, 50), OPCODE.text),
];

export function hostileFrame(random: Random): Uint8Array {
  return oneOf(random, FRAMES)(random);
}

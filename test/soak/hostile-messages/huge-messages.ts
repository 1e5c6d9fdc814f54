import * as encoding from "lib0/encoding";
import { encodeAwarenessUpdate } from "../../../src/protocol/awareness-update.ts";
import { encodeMessage } from "../../../src/protocol/encode-message.ts";
import {
  behind,
  CONTENT,
  handmadeUpdate,
  inRoot,
  inType,
  type WriteStruct,
} from "./handmade-update.ts";

const MIB = 2 ** 20;
const CLIENT = 2 ** 30;

function structsOf(count: number, struct: (clock: number) => WriteStruct): WriteStruct[] {
  return Array.from({ length: count }, (_, clock) => struct(clock));
}

/** A value that goes deeper than a stack. */
const bottomless = {
  ref: 8,
  write(encoder: encoding.Encoder) {
    encoding.writeVarUint(encoder, 1);
    for (let level = 0; level < 100_000; level++) {
      encoding.writeUint8(encoder, 117);
      encoding.writeVarUint(encoder, 1);
    }
    encoding.writeAny(encoder, 1);
  },
};

export type HugeMessage =
  | { readonly kind: "update"; readonly update: Uint8Array }
  /** Closes the connection. */
  | { readonly kind: "closing"; readonly bytes: Uint8Array };

/** Messages that are large, or made to cost much. */
export function hugeMessages(): readonly HugeMessage[] {
  const node = inRoot("nodes", "a1b2c3d4e5f6", CONTENT.type(2));
  const mark = inRoot("clk", undefined, CONTENT.any(1));
  const format = CONTENT.format("b", "true");
  const ranges = Array.from({ length: 2_000_000 }, (_, index) => (index % 2 === 0 ? index : 1));
  const state = Buffer.from(JSON.stringify("x".repeat(5 * MIB)));
  const presences = Array.from({ length: 100_000 }, (_, client) => ({
    client,
    clock: 1,
    state: Buffer.from("1"),
  }));
  const updates: Readonly<Record<string, Uint8Array>> = {
    "a delete set of a million ranges": handmadeUpdate([], [{ client: CLIENT, ranges }]),
    "150,000 structs": handmadeUpdate([
      { client: CLIENT + 1, structs: structsOf(150_000, () => mark) },
    ]),
    "50,000 values for one entry": handmadeUpdate([
      {
        client: CLIENT + 2,
        structs: structsOf(50_000, () => inRoot("meta", "v", CONTENT.any(1))),
      },
    ]),
    "a name of 3 MB": handmadeUpdate([
      {
        client: CLIENT + 3,
        structs: [node, inType(CLIENT + 3, 0, CONTENT.text("x".repeat(3 * MIB)))],
      },
    ]),
    "100,000 formats without end": handmadeUpdate([
      {
        client: CLIENT + 4,
        structs: [
          node,
          inType(CLIENT + 4, 0, format),
          ...structsOf(100_000, (clock) => behind(CLIENT + 4, clock + 1, format)),
        ],
      },
    ]),
    "values nested 100,000 deep": handmadeUpdate([
      { client: CLIENT + 5, structs: [inRoot("meta", "v", bottomless)] },
    ]),
    "1,000 values at one place of a list": handmadeUpdate([
      { client: CLIENT + 6, structs: structsOf(1_000, () => mark) },
      { client: CLIENT + 7, structs: structsOf(1_000, () => mark) },
    ]),
    "900 client ids": handmadeUpdate(
      Array.from({ length: 900 }, (_, index) => ({
        client: 2 * CLIENT + index,
        structs: [inRoot("meta", "v", CONTENT.any(1))],
      })),
    ),
    "20,000 characters one by one": handmadeUpdate([
      {
        client: CLIENT + 8,
        structs: [
          inRoot("nodes", "b1b2c3d4e5f6", CONTENT.type(2)),
          inType(CLIENT + 8, 0, CONTENT.text("x")),
          ...structsOf(20_000, (clock) => behind(CLIENT + 8, clock + 1, CONTENT.text("y"))),
        ],
      },
    ]),
    "over the limit of a message": new Uint8Array(5 * MIB),
  };
  const closing: Readonly<Record<string, Uint8Array>> = {
    "a presence of 5 MB": encodeMessage({
      kind: "awareness",
      update: encodeAwarenessUpdate([{ client: 1, clock: 1, state }]),
    }),
    "presences of 100,000 clients": encodeMessage({
      kind: "awareness",
      update: encodeAwarenessUpdate(presences),
    }),
    "more than is read at all": new Uint8Array(9 * MIB),
    "a state vector of 60,000 clients": encodeMessage({
      kind: "step1",
      stateVector: encoding.encode((encoder) => {
        encoding.writeVarUint(encoder, 60_000);
        for (let client = 0; client < 60_000; client++) {
          encoding.writeVarUint(encoder, client);
          encoding.writeVarUint(encoder, 2 ** 50);
        }
      }),
    }),
  };
  return [
    ...Object.values(updates).map((update) => ({ kind: "update" as const, update })),
    ...Object.values(closing).map((bytes) => ({ kind: "closing" as const, bytes })),
  ];
}

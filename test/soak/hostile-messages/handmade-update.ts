import * as encoding from "lib0/encoding";

/** Writes one struct, its info byte first. */
export type WriteStruct = (encoder: encoding.Encoder) => void;

/** What a struct holds: the kind, as in its info byte, and the bytes. */
interface Content {
  readonly ref: number;
  readonly write: (encoder: encoding.Encoder) => void;
}

export interface HandmadeSection {
  readonly client: number;
  readonly clock?: number;
  readonly structs: readonly WriteStruct[];
  /** How many it claims to have. */
  readonly count?: number;
}

/** A Yjs update of version 1 that no encoder would write. */
export function handmadeUpdate(
  sections: readonly HandmadeSection[],
  deletes: readonly { readonly client: number; readonly ranges: readonly number[] }[] = [],
): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, sections.length);
    for (const { client, clock = 0, structs, count = structs.length } of sections) {
      for (const number of [count, client, clock]) encoding.writeVarUint(encoder, number);
      for (const write of structs) write(encoder);
    }
    encoding.writeVarUint(encoder, deletes.length);
    for (const { client, ranges } of deletes) {
      encoding.writeVarUint(encoder, client);
      encoding.writeVarUint(encoder, ranges.length / 2);
      for (const number of ranges) encoding.writeVarUint(encoder, number);
    }
  });
}

/** A struct without neighbours in a root, or as one of its entries. */
export function inRoot(root: string, entry: string | undefined, content: Content): WriteStruct {
  return (encoder) => {
    encoding.writeUint8(encoder, content.ref | (entry === undefined ? 0 : 0x20));
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarString(encoder, root);
    if (entry !== undefined) encoding.writeVarString(encoder, entry);
    content.write(encoder);
  };
}

/** A struct behind another one. */
export function behind(client: number, clock: number, content: Content): WriteStruct {
  return (encoder) => {
    encoding.writeUint8(encoder, content.ref | 0x80);
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, clock);
    content.write(encoder);
  };
}

/** The first struct in a nested type, which is known by the struct that made it. */
export function inType(client: number, clock: number, content: Content): WriteStruct {
  return (encoder) => {
    encoding.writeUint8(encoder, content.ref);
    for (const number of [0, client, clock]) encoding.writeVarUint(encoder, number);
    content.write(encoder);
  };
}

export const CONTENT = {
  any: (value: unknown) => ({
    ref: 8,
    write: (encoder: encoding.Encoder) => {
      encoding.writeVarUint(encoder, 1);
      // Whatever the library can write: it says `any` too.
      encoding.writeAny(encoder, value as never);
    },
  }),
  text: (text: string) => ({
    ref: 4,
    write: (encoder: encoding.Encoder) => encoding.writeVarString(encoder, text),
  }),
  bytes: (ref: number, bytes: Uint8Array) => ({
    ref,
    write: (encoder: encoding.Encoder) => encoding.writeUint8Array(encoder, bytes),
  }),
  type: (typeRef: number) => ({
    ref: 7,
    write: (encoder: encoding.Encoder) => encoding.writeVarUint(encoder, typeRef),
  }),
  format: (key: string, value: string) => ({
    ref: 6,
    write: (encoder: encoding.Encoder) => {
      encoding.writeVarString(encoder, key);
      encoding.writeVarString(encoder, value);
    },
  }),
  length: (ref: number, length: number) => ({
    ref,
    write: (encoder: encoding.Encoder) => encoding.writeVarUint(encoder, length),
  }),
};

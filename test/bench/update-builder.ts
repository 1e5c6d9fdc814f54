import * as encoding from "lib0/encoding";

/** The address of a struct: client and clock. */
export type Address = readonly [client: number, clock: number];

type Content =
  | { readonly text: string }
  | { readonly any: string | number }
  | { readonly type: number }
  | { readonly format: readonly [key: string, value: string | boolean | null] };

/** Where a struct stands: beside others, or as an entry or at the start of a type. */
interface Place {
  readonly left?: Address | undefined;
  readonly right?: Address | undefined;
  readonly parent?: string | Address;
  readonly sub?: string;
}

type Struct = Place & { readonly content: Content };

const TEXT_TYPE = 2;

/**
 * Writes Yjs updates (encoding V1) struct by struct, also such as no document makes: it only says
 * what an update says, whatever that would do.
 */
export class UpdateBuilder {
  readonly #client: number;
  readonly #clock: number;
  readonly #structs: Struct[] = [];
  readonly #ranges: number[] = [];
  #next: number;
  #deletedClient = 0;

  /** @param clock that of the first struct */
  constructor(client: number, clock = 0) {
    this.#client = client;
    this.#clock = clock;
    this.#next = clock;
  }

  add(content: Content, place: Place): Address {
    const address: Address = [this.#client, this.#next];
    this.#structs.push({ ...place, content });
    this.#next += "text" in content ? content.text.length : 1;
    return address;
  }

  /** The text of a node. */
  node(index: number): Address {
    return this.add({ type: TEXT_TYPE }, { parent: "nodes", sub: keyOf(index) });
  }

  delete(client: number, ranges: readonly number[]): this {
    this.#deletedClient = client;
    for (const number of ranges) this.#ranges.push(number);
    return this;
  }

  encode(): Uint8Array {
    return encoding.encode((encoder) => {
      encoding.writeVarUint(encoder, this.#structs.length > 0 ? 1 : 0);
      if (this.#structs.length > 0) {
        encoding.writeVarUint(encoder, this.#structs.length);
        writeAddress(encoder, [this.#client, this.#clock]);
        for (const struct of this.#structs) writeStruct(encoder, struct);
      }
      encoding.writeVarUint(encoder, this.#ranges.length > 0 ? 1 : 0);
      if (this.#ranges.length === 0) return;
      writeAddress(encoder, [this.#deletedClient, this.#ranges.length / 2]);
      for (const number of this.#ranges) encoding.writeVarUint(encoder, number);
    });
  }
}

/** A node's key. */
export function keyOf(index: number): string {
  return (0x100000000000 + index).toString(16);
}

function writeStruct(encoder: encoding.Encoder, struct: Struct): void {
  const { left, right, parent, sub, content } = struct;
  const isAlone = left === undefined && right === undefined;
  const hasSub = isAlone && sub !== undefined;
  const flags = (left ? 0x80 : 0) | (right ? 0x40 : 0) | (hasSub ? 0x20 : 0);
  encoding.writeUint8(encoder, flags | refOf(content));
  if (left !== undefined) writeAddress(encoder, left);
  if (right !== undefined) writeAddress(encoder, right);
  if (isAlone && typeof parent === "string") {
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarString(encoder, parent);
  } else if (isAlone && parent !== undefined) {
    encoding.writeVarUint(encoder, 0);
    writeAddress(encoder, parent as Address);
  }
  if (hasSub) encoding.writeVarString(encoder, sub);
  if ("text" in content) encoding.writeVarString(encoder, content.text);
  else if ("type" in content) encoding.writeVarUint(encoder, content.type);
  else if ("any" in content) {
    encoding.writeVarUint(encoder, 1);
    encoding.writeAny(encoder, content.any);
  } else {
    encoding.writeVarString(encoder, content.format[0]);
    encoding.writeVarString(encoder, JSON.stringify(content.format[1]));
  }
}

function refOf(content: Content): number {
  if ("text" in content) return 4;
  if ("format" in content) return 6;
  return "type" in content ? 7 : 8;
}

function writeAddress(encoder: encoding.Encoder, [first, second]: Address): void {
  encoding.writeVarUint(encoder, first);
  encoding.writeVarUint(encoder, second);
}

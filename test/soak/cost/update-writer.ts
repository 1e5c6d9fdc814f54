import * as encoding from "lib0/encoding";
import type { NodeKey } from "../../../src/core/node-key.ts";
import {
  type CONTENT,
  handmadeUpdate,
  type WriteStruct,
} from "../hostile-messages/handmade-update.ts";

/** Client and clock. */
export type Address = readonly [client: number, clock: number];
type Content = ReturnType<(typeof CONTENT)[keyof typeof CONTENT]>;

/** A node that a case has written. */
export interface WrittenNode {
  readonly key: NodeKey;
  readonly text: Address;
  /** What stands in its text first and last. */
  first: Address | undefined;
  last: Address | undefined;
}

/** Where a struct goes. */
export interface Where {
  readonly left?: Address | undefined;
  readonly right?: Address | undefined;
  /** Without neighbours: a root, or the type that a struct has made. */
  readonly parent?: string | Address;
  readonly sub?: string;
}

/** Nobody's: the id of a case's own device. */
export const DEVICE = 2 ** 30;

/** Writes the updates of a case one after the other, each going on where the one before ended. */
export class UpdateWriter {
  readonly nodes: WrittenNode[] = [];
  /** What was written last as an entry of a map, by the map and its name. */
  readonly entries = new Map<string, Address>();
  readonly #clocks = new Map<number, number>();
  #sections = new Map<number, { readonly clock: number; readonly structs: WriteStruct[] }>();
  #deletes = new Map<number, number[]>();
  #structs = 0;

  /** Structs of the update under way. */
  get structs(): number {
    return this.#structs;
  }

  /** The next clock of a client. */
  clockOf(client: number): number {
    return this.#clocks.get(client) ?? 0;
  }

  /** @param length how many clocks it takes */
  add(client: number, content: Content, where: Where, length = 1): Address {
    return this.addRaw(client, length, writing(content, where));
  }

  addRaw(client: number, length: number, write: WriteStruct): Address {
    const clock = this.clockOf(client);
    let section = this.#sections.get(client);
    if (section === undefined) this.#sections.set(client, (section = { clock, structs: [] }));
    section.structs.push(write);
    this.#clocks.set(client, clock + length);
    this.#structs++;
    return [client, clock];
  }

  delete(client: number, clock: number, length: number): void {
    const ranges = this.#deletes.get(client) ?? [];
    this.#deletes.set(client, ranges);
    ranges.push(clock, length);
  }

  /** One of the nodes; undefined when there is none. */
  nodeAt(index: number): WrittenNode | undefined {
    return this.nodes[index % Math.max(1, this.nodes.length)];
  }

  /** The update that was written since the last time. */
  take(): Uint8Array {
    const sections = [...this.#sections].map(([client, section]) => ({ client, ...section }));
    const deletes = [...this.#deletes].map(([client, ranges]) => ({ client, ranges }));
    this.#sections = new Map();
    this.#deletes = new Map();
    this.#structs = 0;
    return handmadeUpdate(sections, deletes);
  }
}

function writing(content: Content, { left, right, parent, sub }: Where): WriteStruct {
  const isAlone = left === undefined && right === undefined;
  const flags = (left ? 0x80 : 0) | (right ? 0x40 : 0) | (isAlone && sub !== undefined ? 0x20 : 0);
  return (encoder) => {
    encoding.writeUint8(encoder, content.ref | flags);
    if (left !== undefined) writeAddress(encoder, left);
    if (right !== undefined) writeAddress(encoder, right);
    if (isAlone) {
      encoding.writeVarUint(encoder, typeof parent === "string" ? 1 : 0);
      if (typeof parent === "string") encoding.writeVarString(encoder, parent);
      else writeAddress(encoder, parent ?? [0, 0]);
      if (sub !== undefined) encoding.writeVarString(encoder, sub);
    }
    content.write(encoder);
  };
}

function writeAddress(encoder: encoding.Encoder, [client, clock]: Address): void {
  encoding.writeVarUint(encoder, client);
  encoding.writeVarUint(encoder, clock);
}

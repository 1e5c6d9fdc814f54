import * as encoding from "lib0/encoding";
import * as Y from "yjs";
import { indexOf, type Struct, structsOf } from "./struct-store.ts";

/**
 * Writes the clocks `[from, to)` of a struct in the form of Yjs's update encoding V1. Both may lie
 * inside it: structs merge with what was written after them, and an encoded state may end before.
 */
function writeStruct(encoder: Y.UpdateEncoderV1, struct: Struct, from: number, to: number): void {
  const length = to - struct.id.clock;
  const whole = length < struct.length ? startOf(struct, length) : struct;
  whole.write(encoder, from - struct.id.clock);
}

/** The first `length` clocks of a struct, as a struct of its own that is in no document. */
function startOf(struct: Struct, length: number): Struct {
  if (struct instanceof Y.GC) return new Y.GC(struct.id, length);
  const content = struct.content.copy();
  content.splice(length);
  const { id, origin, rightOrigin, parent, parentSub } = struct;
  return new Y.Item(id, null, origin, null, rightOrigin, parent, parentSub, content);
}

/** The structs of one client in an update that is being written. */
export class SectionEncoder {
  readonly client: number;
  readonly #clock: number;
  readonly #encoder = new Y.UpdateEncoderV1();
  #count = 0;

  /** @param clock where the structs begin; each one must begin where the one before ended */
  constructor(client: number, clock: number) {
    this.client = client;
    this.#clock = clock;
  }

  get byteLength(): number {
    return encoding.length(this.#encoder.restEncoder);
  }

  add(struct: Struct, from: number, to: number): void {
    writeStruct(this.#encoder, struct, from, to);
    this.#count++;
  }

  writeTo(encoder: encoding.Encoder): void {
    encoding.writeVarUint(encoder, this.#count);
    encoding.writeVarUint(encoder, this.client);
    encoding.writeVarUint(encoder, this.#clock);
    encoding.writeBinaryEncoder(encoder, this.#encoder.restEncoder);
  }
}

/**
 * All that a client has written from a clock on.
 * @param structs the client's, which go beyond the clock
 * @param isLeftOut of which only the clocks are written, as if they had been collected
 */
export function sectionFrom(
  client: number,
  structs: readonly Struct[],
  clock: number,
  isLeftOut: (struct: Struct) => boolean = () => false,
): SectionEncoder {
  const section = new SectionEncoder(client, clock);
  let from = clock;
  for (let index = indexOf(structs, clock); index < structs.length; index++) {
    const struct = structs[index];
    if (struct === undefined) break;
    const to = struct.id.clock + struct.length;
    section.add(isLeftOut(struct) ? new Y.GC(struct.id, struct.length) : struct, from, to);
    from = to;
  }
  return section;
}

/** An update of sections and of delete ranges that were written by `encodeRanges`. */
export function encodeUpdate(
  sections: readonly SectionEncoder[],
  deletes: readonly Uint8Array[] = [],
): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, sections.length);
    // Yjs finds its way more quickly with the highest client first.
    const sorted = [...sections].sort((one, other) => other.client - one.client);
    for (const section of sorted) section.writeTo(encoder);
    encoding.writeVarUint(encoder, deletes.length);
    for (const bytes of deletes) encoding.writeUint8Array(encoder, bytes);
  });
}

/** The ranges of deleted clocks, merged: clock and length, one behind the other. */
export function deletedRanges(structs: readonly Struct[]): number[] {
  const ranges: number[] = [];
  addDeletedRanges(ranges, structs, 0, structs.length, Infinity);
  return ranges;
}

/** Adds those below `end` of the structs at `[from, to)`, which follow those that the ranges are of. */
function addDeletedRanges(
  ranges: number[],
  structs: readonly Struct[],
  from: number,
  to: number,
  end: number,
): void {
  let until = (ranges.at(-2) ?? -1) + (ranges.at(-1) ?? 0);
  for (let index = from; index < to; index++) {
    const struct = structs[index];
    if (struct === undefined || !struct.deleted) continue;
    const { clock } = struct.id;
    if (clock >= end) break;
    const length = Math.min(struct.length, end - clock);
    if (clock === until) ranges.push((ranges.pop() ?? 0) + length);
    else ranges.push(clock, length);
    until = clock + length;
  }
}

/**
 * Adds those of a client's structs, so many in a step; yields the clock that it has come to. Structs may
 * be cut or merged between two steps: so only the clock is remembered.
 */
export function* deletedInSteps(
  ranges: number[],
  doc: Y.Doc,
  client: number,
  end: number,
  step: number,
): Generator<number> {
  for (let clock = 0; clock < end;) {
    const structs = structsOf(doc, client);
    const from = indexOf(structs, clock);
    const to = Math.min(from + step, structs.length);
    addDeletedRanges(ranges, structs, from, to, end);
    clock = structs[to]?.id.clock ?? end;
    yield clock;
  }
}

/** What one client's part of a delete set looks like in an update. */
export function encodeRanges(client: number, ranges: readonly number[]): Uint8Array {
  return encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, client);
    encoding.writeVarUint(encoder, ranges.length / 2);
    for (const number of ranges) encoding.writeVarUint(encoder, number);
  });
}

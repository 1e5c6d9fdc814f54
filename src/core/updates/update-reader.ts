import * as decoding from "lib0/decoding";
import { decodeUtf8 } from "lib0/string";
import { malformed, tooLarge } from "./update-unreadable.ts";
import {
  readCount,
  readFormatValue,
  readValues,
  type AnyValue,
  type ReadValues,
} from "./update-values.ts";

/**
 * Reads the bytes of a Yjs update (encoding V1) into records, without making any Yjs object.
 *
 * Yjs's own decoder builds items, documents and arrays of whatever size the bytes claim, and two of
 * its readers disagree on bytes that no encoder writes. This one accepts only what an encoder
 * writes, checks every length before it reads, and keeps where each struct stands, so that parts of
 * an update can be copied without encoding them again. Layout of the bytes:
 * `yjs/src/utils/encoding.js` and `yjs/src/structs`, version 13.6.
 */

/** The address of one character, value or mark: what Yjs calls an ID. */
export interface StructId {
  readonly client: number;
  readonly clock: number;
}

type StructContent =
  /** Collected: nothing is known but the length. */
  | { readonly kind: "gc" }
  /** A hole that the sender left, because it merged updates that are not adjacent. */
  | { readonly kind: "skip" }
  | { readonly kind: "deleted" }
  | { readonly kind: "text" }
  /** A formatting mark; `value` is what its JSON says, composites left out. */
  | { readonly kind: "format"; readonly key: string; readonly value: AnyValue }
  | { readonly kind: "type"; readonly typeRef: number }
  | ({ readonly kind: "any" } & ReadValues)
  | { readonly kind: "binary" };

export interface StructRecord extends StructId {
  /** How many clocks it takes: UTF-16 units of text, values of `any` content. At least 1. */
  readonly length: number;
  readonly content: StructContent;
  readonly origin: StructId | undefined;
  readonly rightOrigin: StructId | undefined;
  /** A root's name, or the address of the type; undefined when a neighbour tells the parent. */
  readonly parent: string | StructId | undefined;
  readonly parentSub: string | undefined;
  /** Its bytes are `[start, end)` of the source. */
  readonly start: number;
  readonly end: number;
}

/** What one client contributes: structs without gaps, in the order of their clocks. */
export interface StructSection {
  readonly client: number;
  /** Where the bytes of the structs are. */
  readonly source: Uint8Array;
  readonly structs: readonly StructRecord[];
}

/** What an update deletes of one client's structs. */
export interface DeleteSection {
  readonly client: number;
  /** Clock and length of each range, one behind the other. */
  readonly ranges: readonly number[];
}

export interface DecodedUpdate {
  readonly sections: readonly StructSection[];
  readonly deletes: readonly DeleteSection[];
}

/** How much structure an update may have. A section of nothing counts as a struct, or as a range. */
export interface ReadLimits {
  readonly maxStructs: number;
  /** Asked once, and only when there are more than a few ranges. */
  readonly maxDeleteRanges: () => number;
}

const HAS_ORIGIN = 0x80;
const HAS_RIGHT_ORIGIN = 0x40;
const HAS_PARENT_SUB = 0x20;
const CONTENT_BITS = 0x1f;

const GC_INFO = 0;
const SKIP_INFO = 10;
const DELETED = 1;
const BINARY = 3;
const TEXT = 4;
const FORMAT = 6;
const TYPE = 7;
const ANY = 8;

/** Types 3 and 5 (XML elements and hooks) carry a name; an outline has neither. */
const LAST_PLAIN_TYPE = 2;

/** Clocks end here, so that sums of clocks and lengths stay exact numbers. */
const MAX_CLOCK = 2 ** 48;
const FEW_RANGES = 1_000;

/** Sections, structs and ranges that are read in a step. */
const STEP = 256;

/**
 * Reads an update whole, in time linear in its bytes. Yields after each step of a fraction of a
 * millisecond (a text of a megabyte takes some).
 * @throws UpdateUnreadable for bytes that no encoder writes, for kinds of content that have no place
 *   in an outline (subdocuments, XML, embeds, JSON of Yjs before 13) and above the limits; errors of
 *   lib0 for numbers and texts that are cut off or out of range
 */
export function* readUpdate(
  update: Uint8Array,
  limits: ReadLimits,
): Generator<void, DecodedUpdate> {
  const reader = new UpdateReader(update, limits);
  const sections = yield* reader.readSections();
  const deletes = yield* reader.readDeletes();
  reader.expectEnd();
  return { sections, deletes };
}

class UpdateReader {
  readonly #bytes: Uint8Array;
  readonly #decoder: decoding.Decoder;
  readonly #limits: ReadLimits;
  #maxDeleteRanges: number | undefined;
  /** Sections, structs and ranges. */
  #read = 0;

  constructor(bytes: Uint8Array, limits: ReadLimits) {
    this.#bytes = bytes;
    this.#decoder = decoding.createDecoder(bytes);
    this.#limits = limits;
  }

  *readSections(): Generator<void, StructSection[]> {
    const sections: StructSection[] = [];
    const clients = new Set<number>();
    let structCount = 0;
    for (let left = readCount(this.#decoder); left > 0; left--) {
      const count = readCount(this.#decoder);
      structCount += Math.max(count, 1);
      if (structCount > this.#limits.maxStructs) throw tooLarge("structs");
      const client = this.#readUint();
      // Yjs would silently drop the first of two sections of one client.
      if (clients.has(client)) throw malformed("client twice");
      clients.add(client);
      const structs: StructRecord[] = [];
      let clock = this.#readUint();
      for (let missing = count; missing > 0; missing--) {
        const struct = this.#readStruct(client, clock);
        clock = checkedEnd(clock, struct.length);
        structs.push(struct);
        if (++this.#read % STEP === 0) yield;
      }
      if (++this.#read % STEP === 0) yield;
      sections.push({ client, source: this.#bytes, structs });
    }
    return sections;
  }

  *readDeletes(): Generator<void, DeleteSection[]> {
    const deletes: DeleteSection[] = [];
    const clients = new Set<number>();
    let rangeCount = 0;
    for (let left = readCount(this.#decoder); left > 0; left--) {
      const client = this.#readUint();
      if (clients.has(client)) throw malformed("deleting client twice");
      clients.add(client);
      const count = readCount(this.#decoder);
      rangeCount += Math.max(count, 1);
      if (rangeCount > FEW_RANGES) {
        this.#maxDeleteRanges ??= this.#limits.maxDeleteRanges();
        if (rangeCount > this.#maxDeleteRanges) throw tooLarge("delete ranges");
      }
      const ranges: number[] = [];
      let end = 0;
      for (let missing = count; missing > 0; missing--) {
        const clock = this.#readUint();
        const length = this.#readUint();
        if (clock < end || length === 0) throw malformed("delete ranges out of order");
        end = checkedEnd(clock, length);
        ranges.push(clock, length);
        if (++this.#read % STEP === 0) yield;
      }
      if (++this.#read % STEP === 0) yield;
      deletes.push({ client, ranges });
    }
    return deletes;
  }

  expectEnd(): void {
    if (decoding.hasContent(this.#decoder)) throw malformed("bytes behind the end");
  }

  #readStruct(client: number, clock: number): StructRecord {
    const start = this.#decoder.pos;
    const info = this.#readByte();
    let origin: StructId | undefined;
    let rightOrigin: StructId | undefined;
    let parent: string | StructId | undefined;
    let parentSub: string | undefined;
    let content: StructContent;
    let length: number;
    if (info === GC_INFO || info === SKIP_INFO) {
      content = info === GC_INFO ? GC_CONTENT : SKIP_CONTENT;
      length = this.#readUint();
    } else {
      if ((info & HAS_ORIGIN) !== 0) origin = this.#readId();
      if ((info & HAS_RIGHT_ORIGIN) !== 0) rightOrigin = this.#readId();
      if (origin === undefined && rightOrigin === undefined) {
        parent = this.#readParent();
        if ((info & HAS_PARENT_SUB) !== 0) parentSub = decoding.readVarString(this.#decoder);
      }
      switch (info & CONTENT_BITS) {
        case TEXT:
          content = TEXT_CONTENT;
          length = this.#readTextLength();
          break;
        case DELETED:
          content = DELETED_CONTENT;
          length = this.#readUint();
          break;
        case ANY: {
          const read = readValues(this.#decoder);
          content = { kind: "any", ...read };
          length = read.values.length;
          break;
        }
        default:
          content = this.#readSingleContent(info & CONTENT_BITS);
          length = 1;
      }
    }
    if (length === 0) throw malformed("empty struct");
    const end = this.#decoder.pos;
    return { client, clock, length, content, origin, rightOrigin, parent, parentSub, start, end };
  }

  #readSingleContent(ref: number): StructContent {
    switch (ref) {
      case FORMAT:
        return {
          kind: "format",
          key: decoding.readVarString(this.#decoder),
          value: readFormatValue(this.#decoder),
        };
      case TYPE: {
        const typeRef = this.#readUint();
        if (typeRef > LAST_PLAIN_TYPE) throw malformed("type");
        return { kind: "type", typeRef };
      }
      case BINARY:
        decoding.readVarUint8Array(this.#decoder);
        return BINARY_CONTENT;
      default:
        throw malformed("content");
    }
  }

  #readParent(): string | StructId {
    const isRoot = this.#readUint();
    if (isRoot > 1) throw malformed("parent");
    return isRoot === 1 ? decoding.readVarString(this.#decoder) : this.#readId();
  }

  /** The length in UTF-16 units; also makes sure that the bytes are text. */
  #readTextLength(): number {
    const byteLength = this.#readUint();
    const decoder = this.#decoder;
    const start = decoder.pos;
    const end = start + byteLength;
    if (end > this.#bytes.length) throw malformed("end inside a text");
    decoder.pos = end;
    for (let index = start; index < end; index++) {
      if ((this.#bytes[index] ?? 0) >= 0x80) {
        return decodeUtf8(this.#bytes.subarray(start, end)).length;
      }
    }
    return byteLength;
  }

  #readId(): StructId {
    const client = this.#readUint();
    return { client, clock: this.#readUint() };
  }

  #readUint(): number {
    const value = decoding.readVarUint(this.#decoder);
    if (value > Number.MAX_SAFE_INTEGER) throw malformed("number");
    return value;
  }

  #readByte(): number {
    const byte = this.#bytes[this.#decoder.pos];
    if (byte === undefined) throw malformed("end inside a struct");
    this.#decoder.pos++;
    return byte;
  }
}

const GC_CONTENT: StructContent = { kind: "gc" };
const SKIP_CONTENT: StructContent = { kind: "skip" };
const DELETED_CONTENT: StructContent = { kind: "deleted" };
const TEXT_CONTENT: StructContent = { kind: "text" };
const BINARY_CONTENT: StructContent = { kind: "binary" };

function checkedEnd(clock: number, length: number): number {
  const end = clock + length;
  if (end > MAX_CLOCK) throw malformed("clock");
  return end;
}
